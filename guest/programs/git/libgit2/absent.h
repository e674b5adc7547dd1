/*
 * absent.h: what libgit2 asks of a C library and the guest's does not have; before each of its files.
 */
#ifdef __wasm__
#include <errno.h>
#include <pwd.h>
#include <stddef.h>

/* Asked only without $HOME: nobody has an entry. */
static inline int getpwuid_r(uid_t uid, struct passwd *out, char *text, size_t size,
                             struct passwd **found) {
    (void)uid, (void)out, (void)text, (void)size;
    *found = NULL;
    return 0;
}
#endif

/* Logs of references bear the committer's date, which the environment may give: identity.c */
#include <time.h>
/* time(); for signature.c of libgit2 git_log_clock, when it is set. */
time_t git_log_time(time_t *at, const char *file);
#define time(at) git_log_time(at, __FILE__)
