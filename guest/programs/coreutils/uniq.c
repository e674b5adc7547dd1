/*
 * uniq.c: reports or leaves out repeated lines.
 *
 * help uniq:
 *   Usage: uniq [OPTION]... [INPUT [OUTPUT]]
 *   Filter adjacent matching lines from INPUT (or standard input), writing to OUTPUT (or standard
 *   output). With no options, matching lines are merged to the first occurrence.
 *
 *     -c, --count           prefix lines by the number of occurrences
 *     -d, --repeated        only print duplicate lines, one for each group
 *     -D                    print all duplicate lines
 *         --all-repeated[=METHOD]  like -D, but allow separating groups with an empty line;
 *                             METHOD={none(default),prepend,separate}
 *     -f, --skip-fields=N   avoid comparing the first N fields
 *         --group[=METHOD]  show all items, separating groups with an empty line;
 *                             METHOD={separate(default),prepend,append,both}
 *     -i, --ignore-case     ignore differences in case when comparing
 *     -s, --skip-chars=N    avoid comparing the first N characters
 *     -u, --unique          only print unique lines
 *     -z, --zero-terminated  line delimiter is NUL, not newline
 *     -w, --check-chars=N   compare no more than N characters in lines
 *         --help            display this help and exit
 *         --version         output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NONE, PREPEND, SEPARATE, APPEND, BOTH };

typedef struct {
    bool count, ignore_case, show_unique, show_repeated, all;
    bool group;
    int method;
    uint64_t skip_fields, skip_chars, check;
    char end;
} uniq;

typedef struct {
    char *s;
    size_t len, cap;
    size_t key, key_len;
} kept_line;

static void find_key(const uniq *u, const char *s, size_t len, size_t *key, size_t *key_len) {
    size_t at = 0;
    for (uint64_t i = 0; i < u->skip_fields && at < len; i++) {
        while (at < len && isblank((unsigned char)s[at])) at++;
        while (at < len && !isblank((unsigned char)s[at])) at++;
    }
    at = u->skip_chars < len - at ? at + (size_t)u->skip_chars : len;
    *key = at;
    *key_len = u->check < len - at ? (size_t)u->check : len - at;
}

static void keep(kept_line *k, const char *s, size_t len) {
    if (k->cap < len) {
        k->cap = len * 2;
        k->s = g_realloc(k->s, k->cap);
    }
    if (len) memcpy(k->s, s, len);
    k->len = len;
}

static void put(const uniq *u, const kept_line *k, uint64_t count) {
    if (u->count) {
        char text[24];
        size_t at = sizeof text;
        text[--at] = ' ';
        do {
            text[--at] = (char)('0' + count % 10);
            count /= 10;
        } while (count);
        while (sizeof text - at < 8) text[--at] = ' ';
        g_out(text + at, sizeof text - at);
    }
    g_out(k->s, k->len);
    g_outc(u->end);
}

/* Prints every line of groups: --group shows all of them, -D those with several lines (with -u, as
 * GNU, all but the last). */
static void put_groups(const uniq *u, g_reader *in) {
    kept_line last = {0};
    g_line line;
    bool any_group = false, first = true;
    uint64_t repeats = 0; /* of the line before */
    while (g_read_line(in, &line)) {
        size_t key, key_len;
        find_key(u, line.s, line.len, &key, &key_len);
        bool same = !first && key_len == last.key_len &&
                    (u->ignore_case ? strncasecmp(line.s + key, last.s + last.key, key_len)
                                    : memcmp(line.s + key, last.s + last.key, key_len)) == 0;
        if (u->group) {
            bool between = !first && !same;
            if (between && u->method == APPEND) g_outc(u->end);
            if (!same && (u->method == PREPEND || u->method == BOTH ||
                          (u->method == SEPARATE && !first))) {
                g_outc(u->end);
            }
            g_out(line.s, line.len);
            g_outc(u->end);
        } else if (same) {
            if (repeats++ == 0 && (u->method == PREPEND || (u->method == SEPARATE && any_group)))
                g_outc(u->end);
            put(u, &last, 0);
        } else {
            if (repeats > 0) any_group = true;
            if (repeats > 0 && u->show_repeated) put(u, &last, 0);
            repeats = 0;
        }
        keep(&last, line.s, line.len);
        last.key = key;
        last.key_len = key_len;
        first = false;
    }
    if (repeats > 0 && u->show_repeated) put(u, &last, 0);
    if (u->group && !first && (u->method == APPEND || u->method == BOTH)) g_outc(u->end);
}

static void filter(const uniq *u, g_reader *in) {
    kept_line last = {0};
    g_line line;
    uint64_t count = 0;
    while (g_read_line(in, &line)) {
        size_t key, key_len;
        find_key(u, line.s, line.len, &key, &key_len);
        if (count > 0 && key_len == last.key_len &&
            (u->ignore_case ? strncasecmp(line.s + key, last.s + last.key, key_len)
                            : memcmp(line.s + key, last.s + last.key, key_len)) == 0) {
            count++;
            continue;
        }
        if (count > 0 && (count > 1 ? u->show_repeated : u->show_unique)) put(u, &last, count);
        keep(&last, line.s, line.len);
        last.key = key;
        last.key_len = key_len;
        count = 1;
    }
    if (count > 0 && (count > 1 ? u->show_repeated : u->show_unique)) put(u, &last, count);
}

enum { GROUP = 256 };
static const g_long longs[] = {
    {"count", 'c', G_NONE},           {"repeated", 'd', G_NONE},
    {"all-repeated", 'D', G_OPTIONAL}, {"group", GROUP, G_OPTIONAL},
    {"ignore-case", 'i', G_NONE},     {"unique", 'u', G_NONE},
    {"skip-fields", 'f', G_REQUIRED}, {"skip-chars", 's', G_REQUIRED},
    {"check-chars", 'w', G_REQUIRED}, {"zero-terminated", 'z', G_NONE},
    {0}};
static const g_word repeated_words[] = {
    {"none", NONE}, {"prepend", PREPEND}, {"separate", SEPARATE}, {0}};
static const g_word group_words[] = {
    {"prepend", PREPEND}, {"append", APPEND}, {"separate", SEPARATE}, {"both", BOTH}, {0}};

static uint64_t number(const char *text, const char *problem) {
    uint64_t value = 0;
    enum g_number_result result = g_parse_unsigned(text, "", &value, NULL);
    if (result != G_NUMBER_OK && result != G_NUMBER_OVERFLOW) g_die(1, "%s: %s", text, problem);
    return value;
}

int uniq_main(int argc, char **argv) {
    uniq u = {.check = UINT64_MAX, .end = '\n', .show_unique = true, .show_repeated = true};
    bool old_fields = false;
    g_options o = g_options_of(argc, argv, "cdDf:is:uw:z0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c': u.count = true; break;
        case 'd': u.show_unique = false; break;
        case 'D':
            u.all = true;
            u.show_unique = false;
            u.method = o.arg ? g_match_word("--all-repeated", o.arg, repeated_words) : NONE;
            break;
        case GROUP:
            u.group = true;
            u.method = o.arg ? g_match_word("--group", o.arg, group_words) : SEPARATE;
            break;
        case 'i': u.ignore_case = true; break;
        case 'u': u.show_repeated = false; break;
        case 'f':
            old_fields = false;
            u.skip_fields = number(o.arg, "invalid number of fields to skip");
            break;
        case 's': u.skip_chars = number(o.arg, "invalid number of bytes to skip"); break;
        case 'w': u.check = number(o.arg, "invalid number of bytes to compare"); break;
        case 'z': u.end = '\0'; break;
        default: /* -N: fields to skip */
            if (!old_fields) u.skip_fields = 0;
            old_fields = true;
            u.skip_fields = u.skip_fields * 10 + (uint64_t)(option - '0');
            break;
        }
    int operands = o.at; /* old usage: +N among the files says how many bytes to skip */
    for (int i = o.at; i < argc; i++) {
        uint64_t value;
        if (argv[i][0] == '+' && !g_plus_is_a_name() && g_parse_unsigned(argv[i], "", &value, NULL) == G_NUMBER_OK)
            u.skip_chars = value;
        else
            argv[operands++] = argv[i];
    }
    argc = operands;
    if (argc - o.at > 2) g_extra_operand(argv[o.at + 2]);
    if (u.group && (u.count || u.all || !u.show_unique || !u.show_repeated))
        g_usage("--group is mutually exclusive with -c/-d/-D/-u");
    if (u.all && u.count)
        g_usage("printing all duplicated lines and repeat counts is meaningless");
    int fd = STDIN_FILENO;
    const char *name = o.at < argc ? argv[o.at] : "-";
    if (strcmp(name, "-") != 0 && (fd = open(name, O_RDONLY | O_CLOEXEC)) < 0)
        g_die_errno(1, errno, "%s", g_quotef(name));
    if (argc - o.at == 2 && strcmp(argv[o.at + 1], "-") != 0) {
        g_stdout.fd = open(argv[o.at + 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (g_stdout.fd < 0) {
            int error = errno;
            g_stdout.fd = STDOUT_FILENO;
            g_die_errno(1, error, "%s", g_quotef(argv[o.at + 1]));
        }
    }
    g_reader in;
    g_reader_init(&in, fd, u.end);
    if (u.group || u.all)
        put_groups(&u, &in);
    else
        filter(&u, &in);
    if (in.error) g_die(1, "error reading %s", g_quoteaf(name));
    return 0;
}
