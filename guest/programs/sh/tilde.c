/*
 * tilde.c: ~ ~+ ~- ~N ~user.
 */
#include "sh.h"

#include <pwd.h>
#include <unistd.h>

char *dirs_entry(struct shell *sh, const char *spec); /* builtin/dirs.c */

const char *tilde_home(struct shell *sh, const char *user, size_t n) {
    if (n == 0) {
        const char *home = var_get(sh, "HOME");
        if (home) return home;
        const struct passwd *pw = getpwuid(getuid());
        return pw ? arena_strdup(&sh->tmp, pw->pw_dir) : NULL;
    }
    if (n == 1 && user[0] == '+') return var_get(sh, "PWD");
    if (n == 1 && user[0] == '-') return var_get(sh, "OLDPWD");
    const char *digits = user[0] == '+' || user[0] == '-' ? user + 1 : user;
    if (*digits >= '0' && *digits <= '9' && strspn(digits, "0123456789") >= n - (size_t)(digits - user))
        return dirs_entry(sh, arena_strndup(&sh->tmp, user, n));
    const struct passwd *pw = getpwnam(arena_strndup(&sh->tmp, user, n));
    return pw ? arena_strdup(&sh->tmp, pw->pw_dir) : NULL;
}
