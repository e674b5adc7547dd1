/*
 * stty.c: settings of a terminal. Nothing here is one, which is what it says.
 *
 * help stty:
 *   Usage: stty [-F DEVICE | --file=DEVICE] [SETTING]...
 *     or:  stty [-F DEVICE | --file=DEVICE] [-a|--all]
 *     or:  stty [-F DEVICE | --file=DEVICE] [-g|--save]
 *   Print or change terminal characteristics.
 *
 *     -a, --all          print all current settings in human-readable form
 *     -g, --save         print all current settings in a stty-readable form
 *     -F, --file=DEVICE  open and use the specified DEVICE instead of stdin
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Settings alone, those that a dash turns off, and those with a value. */
static const char plain[] =
    " sane raw cooked ek evenp parity oddp nl crt dec size speed cs5 cs6 cs7 cs8 cbreak pass8 "
    "litout tabs LCASE lcase decctlq drain cr0 cr1 cr2 cr3 nl0 nl1 tab0 tab1 tab2 tab3 bs0 bs1 vt0 "
    "vt1 ff0 ff1 ";
static const char switches[] =
    " parenb parodd cmspar hupcl hup cstopb cread clocal crtscts ignbrk brkint ignpar parmrk inpck "
    "istrip inlcr igncr icrnl ixon ixoff tandem iuclc ixany imaxbel iutf8 opost olcuc ocrnl onlcr "
    "onocr onlret ofill ofdel isig icanon iexten echo echoe crterase echok echonl noflsh xcase "
    "tostop echoprt prterase echoctl ctlecho echoke crtkill flusho extproc evenp parity oddp nl "
    "raw "
    "cooked cbreak pass8 litout tabs lcase LCASE decctlq drain ";
static const char valued[] =
    " intr quit erase kill eof eol eol2 swtch start stop susp dsusp rprnt werase lnext discard "
    "flush min time ispeed ospeed rows cols columns line ";

static bool is_one(const char *list, const char *word) {
    size_t len = strlen(word);
    for (const char *at = list; len && (at = strstr(at, word)); at++)
        if (at[-1] == ' ' && at[len] == ' ') return true;
    return false;
}

static bool is_number(const char *s) {
    size_t digits = strspn(s, "0123456789");
    return digits > 0 && s[digits] == '\0';
}

/* Settings as -g prints them: numbers in hexadecimal with colons. */
static bool is_saved(const char *s) {
    return strchr(s, ':') && s[strspn(s, "0123456789abcdefABCDEF:")] == '\0';
}

static void check(char **words, int count) {
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (is_one(valued, word)) {
            if (i + 1 == count) g_usage("missing argument to %s", g_quote(word));
            i++;
            continue;
        }
        bool off = *word == '-' && is_one(switches, word + 1);
        if (!off && !is_one(plain, word) && !is_one(switches, word) && !is_number(word) &&
            !is_saved(word))
            g_usage("invalid argument %s", g_quote(word));
    }
}

int stty_main(int argc, char **argv) {
    const char *device = NULL;
    bool shows = false;
    char *words[256];
    int count = 0;
    /* Settings may begin with a dash: what is no option is one of them. */
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--help") == 0 || strcmp(a, "--version") == 0) {
            g_standard_option(2, (char *[]){argv[0], argv[i], NULL});
        } else if (strcmp(a, "-a") == 0 || strcmp(a, "--all") == 0 || strcmp(a, "-g") == 0 ||
                   strcmp(a, "--save") == 0) {
            shows = true;
        } else if (strncmp(a, "--file=", 7) == 0 || (strncmp(a, "-F", 2) == 0 && a[2])) {
            device = a[1] == 'F' ? a + 2 : a + 7;
        } else if (strcmp(a, "-F") == 0 || strcmp(a, "--file") == 0) {
            if (i + 1 == argc) g_usage("option requires an argument -- 'F'");
            device = argv[++i];
        } else if (count < (int)(sizeof words / sizeof *words)) {
            words[count++] = argv[i];
        }
    }
    if (shows && count > 0) g_die(1, "when specifying an output style, modes may not be set");
    check(words, count);
    if (device) {
        int fd = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) g_die_errno(1, errno, "%s", g_quotef(device));
    }
    g_die_errno(1, ENOTTY, "%s", device ? g_quotef(device) : "'standard input'");
}
