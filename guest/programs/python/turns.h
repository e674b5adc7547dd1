/*
 * turns.h: where the interpreter's loop gives others their turn.
 *
 * CPython has a place for this in its loop, where Emscripten asks for signals: at every jump backwards
 * and every call. Included before each of its files (CMakeLists.txt), in place of its own header.
 */
#ifndef Py_EMSCRIPTEN_SIGNAL_H
#define Py_EMSCRIPTEN_SIGNAL_H

#define PYTHON_TURN 512 /* steps between two turns */

extern int python_steps; /* until the next turn */
void python_turn(void); /* Others run, signals arrive, limits strike. */

#define _Py_CHECK_EMSCRIPTEN_SIGNALS() python_turn()
#define _Py_CHECK_EMSCRIPTEN_SIGNALS_PERIODICALLY()      \
    do {                                                 \
        if (__builtin_expect(--python_steps < 0, 0)) python_turn(); \
    } while (0)

#endif
