/*
 * clock.c: the time that libgit2 sees. Signatures that it makes itself stand in reflogs, whose date is
 * the committer's.
 */
#include <string.h>

#undef time

time_t git_log_clock; /* set from GIT_COMMITTER_DATE; 0: the clock's */

time_t git_log_time(time_t *at, const char *file) {
    size_t len = strlen(file);
    time_t now = time(at);
    if (git_log_clock && len > 11 && strcmp(file + len - 11, "signature.c") == 0) now = git_log_clock;
    if (at) *at = now;
    return now;
}
