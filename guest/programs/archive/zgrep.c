/*
 * zgrep.c: grep in compressed files.
 *
 * help zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep:
 *   Usage: @NAME@ [OPTION]... [-e] PATTERN [FILE]...
 *   Look for instances of PATTERN in the input FILEs, using their
 *   uncompressed contents if they are compressed.
 *
 *   OPTIONs are the same as for 'grep', except that the following 'grep'
 *   options are not supported: --dereference-recursive (-R), --directories (-d),
 *   --exclude, --exclude-from, --exclude-dir, --include, --null (-Z),
 *   --null-data (-z), and --recursive (-r).
 *
 *   With no FILE, or when FILE is -, read standard input.
 *
 * help lzgrep lzegrep lzfgrep zstdgrep:
 *   Usage: @NAME@ [OPTION]... [-e] PATTERN [FILE]...
 *   Look for instances of PATTERN in the input FILEs, using their
 *   uncompressed contents if they are compressed.
 *
 *   OPTIONs are those of 'grep', without the recursive ones, -d, -z and -Z.
 */
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "through.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char **args; /* of grep; its first word is the command */
    int count;
    char **files;
    int file_count;
    bool pattern, names_only, names_without, no_names, with_names, quiet;
} search;

static void add(search *s, const char *arg) {
    s->args[s->count++] = (char *)arg;
}

static _Noreturn void refuse(const char *option) {
    g_die(2, "%s: option not supported", option);
}

/* A long option; true when its value is the next word. */
static bool long_option(search *s, const char *arg) {
    static const char *const refused[] = {"--dereference-recursive",
                                          "--directories",
                                          "--exclude",
                                          "--include",
                                          "--null",
                                          "--recursive",
                                          NULL};
    static const char *const valued[] = {"--regexp",         "--file",    "--after-context",
                                         "--before-context", "--context", "--max-count",
                                         "--binary-files",   "--label",   NULL};
    const char *equals = strchr(arg, '=');
    size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
    for (size_t i = 0; refused[i]; i++)
        if (n >= 4 && strncmp(arg, refused[i], strlen(refused[i])) == 0) refuse(arg);
    if (strcmp(arg, "--help") == 0) {
        g_outs(g_help());
        g_exit(0);
    }
    if (strcmp(arg, "--version") == 0) {
        g_print_version();
        g_exit(0);
    }
    if (strncmp(arg, "--regexp", n) == 0 || strncmp(arg, "--file", n) == 0) s->pattern = n > 5;
    if (strcmp(arg, "--files-with-matches") == 0)
        s->names_only = true;
    else if (strcmp(arg, "--files-without-match") == 0)
        s->names_without = true;
    else if (strcmp(arg, "--no-filename") == 0)
        s->no_names = true;
    else if (strcmp(arg, "--with-filename") == 0)
        s->with_names = true;
    else if (strcmp(arg, "--quiet") == 0 || strcmp(arg, "--silent") == 0)
        s->quiet = true;
    for (size_t i = 0; valued[i] && !equals; i++)
        if (strcmp(arg, valued[i]) == 0) return true;
    return false;
}

/* A cluster of short options; true when the value of the last is the next word. */
static bool short_options(search *s, const char *arg) {
    for (const char *p = arg + 1; *p; p++) {
        if (strchr("RdrZz", *p)) {
            char text[3] = {'-', *p, 0};
            refuse(text);
        }
        switch (*p) {
        case 'l': s->names_only = true; break;
        case 'L': s->names_without = true; break;
        case 'h': s->no_names = true; break;
        case 'H': s->with_names = true; break;
        case 'q': s->quiet = true; break;
        case 'V': g_print_version(); g_exit(0);
        case 'e':
        case 'f': s->pattern = true; return !p[1];
        case 'A':
        case 'B':
        case 'C':
        case 'D':
        case 'm': return !p[1];
        }
    }
    return false;
}

static void read_words(search *s, int argc, char **argv) {
    const char *pattern = NULL;
    bool options = true;
    s->args = g_alloc(((size_t)argc + 8) * sizeof *s->args);
    s->files = g_alloc(((size_t)argc + 1) * sizeof *s->files);
    const char *name = g_name();
    const char *kind = strstr(name, "egrep") ? "-E" : strstr(name, "fgrep") ? "-F" : NULL;
    add(s, "grep");
    if (kind) add(s, kind);
    for (int i = 1; i < argc; i++) {
        char *arg = argv[i];
        if (!options || arg[0] != '-' || !arg[1]) {
            s->files[s->file_count++] = arg;
        } else if (strcmp(arg, "--") == 0) {
            options = false;
        } else {
            bool value = arg[1] == '-' ? long_option(s, arg) : short_options(s, arg);
            add(s, arg);
            if (value && i + 1 < argc) add(s, argv[++i]);
        }
    }
    if (!s->pattern) {
        bool zstd = strncmp(name, "zstd", 4) == 0;
        if (s->file_count == 0 && zstd) g_die(1, "missing pattern");
        if (s->file_count == 0) g_die(2, "missing pattern; try `%s --help' for help", name);
        pattern = s->files[0];
        memmove(s->files, s->files + 1, (size_t)--s->file_count * sizeof *s->files);
        add(s, "-e");
        add(s, pattern);
    }
    if (s->file_count == 0) s->files[s->file_count++] = (char *)"-";
}

static int search_one(search *s, const char *file) {
    int from, count = s->count;
    bool names = s->names_only || s->names_without;
    char *label = NULL;
    pid_t unpack = through_open(file, &from);
    if (names) {
        add(s, "-q");
    } else if (s->with_names || (s->file_count > 1 && !s->no_names)) {
        label = g_alloc(strlen(file) + sizeof "--label=(standard input)");
        strcpy(label, "--label=");
        strcat(label, strcmp(file, "-") == 0 ? "(standard input)" : file);
        add(s, "-H");
        add(s, label);
    }
    s->args[s->count] = NULL;
    s->count = count;
    pid_t grep = through_start(s->args, from, -1, -1);
    close(from);
    int status = g_exit_status(g_wait(grep));
    bool good = through_ended(unpack);
    if (strncmp(g_name(), "bz", 2) == 0 || strncmp(g_name(), "zstd", 4) == 0) good = true;
    free(label);
    if (names && status == (s->names_without ? 1 : 0) && (good || status == 0)) {
        g_outs(file);
        g_outc('\n');
    }
    return good ? status : 2;
}

int zgrep_main(int argc, char **argv) {
    search s = {0};
    bool strict = strncmp(g_name(), "bz", 2) == 0; /* each file has to have a match */
    int result = !strict;
    g_set_failure(2);
    read_words(&s, argc, argv);
    for (int i = 0; i < s.file_count; i++) {
        int status = search_one(&s, s.files[i]);
        if (status > 1 || (strict && status))
            result = status;
        else if (status == 0 && result == 1 && !strict)
            result = 0;
    }
    free(s.args);
    free(s.files);
    return result;
}
