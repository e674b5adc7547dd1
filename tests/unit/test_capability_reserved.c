/*
 * The lists of reserved words are searched by halves: they must be in order, and every word be
 * found.
 */
#include "check.h"
#include "host/capability/reserved.c" /* the lists themselves */

static void check_list(const char *const *words, size_t count,
                       bool reserved(const char *name, size_t len)) {
    for (size_t i = 0; i < count; i++) {
        if (i) CHECK(strcmp(words[i - 1], words[i]) < 0);
        CHECK(reserved(words[i], strlen(words[i])));
    }
    CHECK(!reserved("", 0) && !reserved("zzz", 3) && !reserved("Zebra", 5));
}

int main(void) {
    check_list(js, sizeof js / sizeof *js, cap_reserved_js);
    check_list(shell, sizeof shell / sizeof *shell, cap_reserved_shell);
    CHECK(!cap_reserved_js("awai", 4) && !cap_reserved_js("awaits", 6));
    CHECK(cap_reserved_js("Mathematics", 4)); /* by length, not up to a NUL */
    return check_report();
}
