/*
 * waits.h: which waits of Python are plain bytes, and which park the process. README.md, "Waits".
 *
 * A wait can be unwound when every C function on the stack is on the list of CMakeLists.txt (WAY). The
 * same functions are also called from C that is not (a comparison inside sort(), __del__), so who
 * is on the stack is known at run time only. It is kept in two numbers and two marks:
 *
 *   python_depth   activations of the interpreter's loop; a call from Python to Python makes none
 *   python_way     how many of the outermost ones have nothing but the list below them
 *   python_next    set right before a call by who is on the way: the object that is called, or that
 *                  the function called is about. Who is listed takes it, and nobody else does.
 *   python_leaf    set right before each call of a C function: it is called on the way
 *
 * Included before each of CPython's files.
 */
#ifndef PYTHON_WAITS_H
#define PYTHON_WAITS_H

/* Deeper than this a wait parks: an activation takes some 700 bytes of Asyncify's stack. */
#define PYTHON_WAY_MAX 64

extern int python_depth, python_way, python_leaf;
extern const void *python_next;
extern const void *python_reader; /* the stream one of whose methods was called on the way */

/* Is the innermost activation of the loop on the way? */
static inline int python_on_way(void) { return python_depth == python_way; }

/* By a listed function at its start: was it called on the way, for this object? */
static inline int python_take(const void *object) {
    const void *next = python_next;
    python_next = 0;
    return next == object && python_on_way();
}

/* By a listed function that is on the way, right before it calls another one for an object. */
static inline void python_pass(int way, const void *object) { python_next = way ? object : 0; }

/* Around an activation of the loop. */
static inline void python_enter(const void *frame) {
    int way = python_take(frame) && python_way < PYTHON_WAY_MAX;
    python_depth++;
    if (way) python_way = python_depth;
}
static inline void python_leave(void) {
    if (python_way == python_depth) python_way--;
    python_depth--;
    python_next = 0;
}

/* A call that may wait, from a function that is on the way or not. Other threads wait with it (threads.h). */
extern int python_pinned;
void pf_set_unwindable(int whole_stack); /* pf.h */
#define PYTHON_UNWOUND(way, call)             \
    ({                                        \
        pf_set_unwindable((way) && !python_pinned); \
        __typeof__(call) result_ = (call);    \
        pf_set_unwindable(0);                 \
        result_;                              \
    })

/* waits.c: waits of listed functions that are on the way. */

/* Until a descriptor can be read; at once if it would not wait anyway, or at a signal. */
void python_wait_fd(int fd);
/* The same for what lies below a buffered stream, if it is a FileIO. */
void python_wait_raw(void *raw);
/* Of a FileIO; -1: it is none, or closed. */
int python_raw_fd(void *raw);
/* Is it no regular file, so that reading may wait? */
int python_is_stream(int fd);
/* Everything up to the end, as readall() of a FileIO gives it. */
void *python_read_all(void *raw);
/* As time.sleep(), in nanoseconds. -1: an exception is set. */
int python_sleep(int way, long long ns);
/* In textio.c: sys.stdin.readline(), on the way. NULL without exception: it is no TextIOWrapper. */
void *python_text_line(void *stream);
/* In bufferedio.c: before the next chunk of a stream is asked for, or all that is left of it. */
void python_wait_buffered(void *stream);
void *python_read_buffered(void *stream); /* All that is left, as bytes; NULL with an exception. */

#endif
