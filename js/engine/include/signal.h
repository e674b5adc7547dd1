/*
 * js/engine/include/signal.h: a type that host/cpu's header names; the engine has no signals.
 */
#ifndef PF_ENGINE_SIGNAL_H
#define PF_ENGINE_SIGNAL_H

typedef void *timer_t;

#endif
