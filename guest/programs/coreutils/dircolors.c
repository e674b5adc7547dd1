/*
 * dircolors.c: the colours of ls as text for the shell.
 *
 * Deviation: the comments of --print-database are others.
 *
 * help dircolors:
 *   Usage: dircolors [OPTION]... [FILE]
 *   Output commands to set the LS_COLORS environment variable.
 *
 *   Determine format of output:
 *     -b, --sh, --bourne-shell    output Bourne shell code to set LS_COLORS
 *     -c, --csh, --c-shell        output C shell code to set LS_COLORS
 *     -p, --print-database        output defaults
 *         --print-ls-colors       output fully escaped colors for display
 *         --help        display this help and exit
 *         --version     output version information and exit
 *
 *   If FILE is specified, read it to determine which colors to use for which
 *   file types and extensions.  Otherwise, a precompiled database is used.
 *   For details on the format of these files, run 'dircolors --print-database'.
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char terms[] =
    "Eterm ansi *color* con[0-9]*x[0-9]* cons25 console cygwin *direct* dtterm gnome "
    "hurd jfbterm konsole kterm linux linux-c mlterm putty rxvt* screen* st "
    "terminator tmux* vt100 xterm*";

static const struct {
    const char *title, *code, *endings; /* separated by blanks */
} groups[] = {
    {"archives, and what is compressed", "01;31",
     ".tar .tgz .arc .arj .taz .lha .lz4 .lzh .lzma .tlz .txz .tzo .t7z .zip .z .dz "
     ".gz .lrz .lz .lzo .xz .zst .tzst .bz2 .bz .tbz .tbz2 .tz .deb .rpm .jar .war "
     ".ear .sar .rar .alz .ace .zoo .cpio .7z .rz .cab .wim .swm .dwm .esd"},
    {"pictures and films", "01;35",
     ".avif .jpg .jpeg .mjpg .mjpeg .gif .bmp .pbm .pgm .ppm .tga .xbm .xpm .tif "
     ".tiff .png .svg .svgz .mng .pcx .mov .mpg .mpeg .m2v .mkv .webm .webp .ogm .mp4 "
     ".m4v .mp4v .vob .qt .nuv .wmv .asf .rm .rmvb .flc .avi .fli .flv .gl .dl .xcf "
     ".xwd .yuv .cgm .emf .ogv .ogx"},
    {"sound", "00;36",
     ".aac .au .flac .m4a .mid .midi .mka .mp3 .mpc .ogg .ra .wav .oga .opus .spx "
     ".xspf"},
    {"copies and leftovers", "00;90",
     "*~ *# .bak .old .orig .part .rej .swp .tmp .dpkg-dist .dpkg-old .ucf-dist "
     ".ucf-new .ucf-old .rpmnew .rpmorig .rpmsave"},
};

static const struct {
    const char *word, *key, *code, *meaning; /* no code: only a synonym */
} kinds[] = {
    {"NORMAL", "no", NULL, ""},
    {"NORM", "no", NULL, ""},
    {"FILE", "fi", NULL, ""},
    {"RESET", "rs", "0", "back to the usual colour"},
    {"DIR", "di", "01;34", "directory"},
    {"LNK", "ln", NULL, ""},
    {"LINK", "ln", "01;36", "symbolic link; 'target': as what it points to"},
    {"SYMLINK", "ln", NULL, ""},
    {"MULTIHARDLINK", "mh", "00", "regular file with several names"},
    {"FIFO", "pi", "40;33", "named pipe"},
    {"PIPE", "pi", NULL, ""},
    {"SOCK", "so", "01;35", "socket"},
    {"DOOR", "do", "01;35", "door"},
    {"BLK", "bd", "40;33;01", "block device"},
    {"BLOCK", "bd", NULL, ""},
    {"CHR", "cd", "40;33;01", "character device"},
    {"CHAR", "cd", NULL, ""},
    {"ORPHAN", "or", "40;31;01", "symbolic link to nothing"},
    {"MISSING", "mi", "00", "what such a link points to"},
    {"SETUID", "su", "37;41", "file with u+s"},
    {"SETGID", "sg", "30;43", "file with g+s"},
    {"CAPABILITY", "ca", "00", "file with capabilities"},
    {"STICKY_OTHER_WRITABLE", "tw", "30;42", "directory with o+w and +t"},
    {"OTHER_WRITABLE", "ow", "34;42", "directory with o+w"},
    {"STICKY", "st", "37;44", "directory with +t"},
    {"EXEC", "ex", "01;32", "file that can be executed"},
    {"LEFT", "lc", NULL, ""},
    {"LEFTCODE", "lc", NULL, ""},
    {"RIGHT", "rc", NULL, ""},
    {"RIGHTCODE", "rc", NULL, ""},
    {"END", "ec", NULL, ""},
    {"ENDCODE", "ec", NULL, ""},
    {"CLRTOEOL", "cl", NULL, ""},
};
enum { KINDS = sizeof kinds / sizeof *kinds, GROUPS = sizeof groups / sizeof *groups };

typedef struct {
    const char *file;
    bool display;
    g_text out;
    /* Whether lines count: no TERM yet, none that fits, the last one fits, one before did. */
    enum { EVERYWHERE, ELSEWHERE, HERE_SURE, HERE } state;
    bool failed;
} reading;

/* Calls `use` with each word of a text. */
static void each_word(const char *s, void (*use)(void *, const char *, const char *), void *context,
                      const char *code) {
    while (*s) {
        size_t n = strcspn(s, " ");
        char *word = g_copy_bytes(s, n);
        use(context, word, code);
        free(word);
        s += n + (s[n] == ' ');
    }
}

static void put_line(void *context, const char *word, const char *code) {
    g_text *out = context;
    g_text_addf(out, code ? "%s %s\n" : "TERM %s\n", word, code);
}

static void database(g_text *out) {
    g_text_adds(
        out, "# What ls shows in which colour. Lines behind TERM or COLORTERM count where one of\n"
             "# those patterns fits the variable; a pattern of names begins with . or *.\n"
             "COLORTERM ?*\n");
    each_word(terms, put_line, out, NULL);
    g_text_adds(
        out,
        "# Attributes: 00 none, 01 bold, 04 underscore, 05 blink, 07 reverse, 08 concealed\n"
        "# Text: 30 black, 31 red, 32 green, 33 yellow, 34 blue, 35 magenta, 36 cyan, 37 white;\n"
        "# the background: 40 to 47\n");
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].code)
            g_text_addf(out, "%s %s # %s\n", kinds[i].word, kinds[i].code, kinds[i].meaning);
    for (int i = 0; i < GROUPS; i++) {
        g_text_addf(out, " # %s\n", groups[i].title);
        each_word(groups[i].endings, put_line, out, groups[i].code);
    }
}

/* With what the shell, and then ls, would take for something else behind a backslash. */
static void put_escaped(g_text *out, const char *s) {
    bool escape = true;
    for (; *s; s++) {
        if (*s == '\'') {
            g_text_adds(out, "'\\'");
            escape = true;
        } else if (*s == '\\' || *s == '^') {
            escape = !escape;
        } else {
            if ((*s == ':' || *s == '=') && escape) g_text_addc(out, '\\');
            escape = true;
        }
        g_text_addc(out, *s);
    }
}

static void put_entry(reading *r, const char *star, const char *key, const char *code) {
    if (r->display) {
        g_text_addf(&r->out, "\033[%sm%s%s\t%s\033[0m\n", code, star, key, code);
        return;
    }
    g_text_adds(&r->out, star);
    put_escaped(&r->out, key);
    g_text_addc(&r->out, '=');
    put_escaped(&r->out, code);
    g_text_addc(&r->out, ':');
}

static const char *environment(const char *name, const char *without) {
    const char *value = getenv(name);
    return value && *value ? value : without;
}

static void use_line(reading *r, const char *word, const char *code, size_t number) {
    bool term = strcasecmp(word, "TERM") == 0;
    if (term || strcasecmp(word, "COLORTERM") == 0) {
        const char *value = term ? environment("TERM", "none") : environment("COLORTERM", "");
        if (r->state != HERE_SURE) r->state = fnmatch(code, value, 0) == 0 ? HERE_SURE : ELSEWHERE;
        return;
    }
    if (r->state == HERE_SURE) r->state = HERE;
    if (r->state == ELSEWHERE) return;
    if (word[0] == '.' || word[0] == '*') {
        put_entry(r, word[0] == '.' ? "*" : "", word, code);
        return;
    }
    static const char *const ignored[] = {"OPTIONS", "COLOR", "EIGHTBIT"};
    for (int i = 0; i < 3; i++)
        if (strcasecmp(word, ignored[i]) == 0) return;
    for (int i = 0; i < KINDS; i++) {
        if (strcasecmp(word, kinds[i].word)) continue;
        put_entry(r, "", kinds[i].key, code);
        return;
    }
    if (r->state != HERE) return;
    g_warn("%s:%zu: unrecognized keyword %s", r->file ? g_quotef(r->file) : "<internal>", number,
           word);
    r->failed = true;
}

static void read_line(reading *r, char *s, size_t number) {
    while (isspace((unsigned char)*s)) s++;
    if (!*s || *s == '#') return;
    char *word = s;
    while (*s && !isspace((unsigned char)*s)) s++;
    char *end = s;
    while (isspace((unsigned char)*s)) s++;
    char *code = s;
    if (!*s || *s == '#') {
        g_warn("%s:%zu: invalid line;  missing second token", g_quotef(r->file), number);
        r->failed = true;
        return;
    }
    while (*s && *s != '#') s++;
    while (s > code && isspace((unsigned char)s[-1])) s--;
    *s = *end = '\0';
    use_line(r, word, code, number);
}

static void read_text(reading *r, char *text) {
    for (size_t number = 1; *text; number++) {
        char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
        *end = '\0';
        read_line(r, text, number);
        text = next;
    }
}

static char *contents(const char *file) {
    size_t len;
    int fd = g_open_input(file);
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (!text) g_exit(1);
    g_close_input(fd);
    return text;
}

/* Whether the shell of the environment is a C shell. */
static bool csh(void) {
    const char *shell = getenv("SHELL"), *slash = shell ? strrchr(shell, '/') : NULL;
    if (!shell || !*shell)
        g_die(1, "no SHELL environment variable, and no shell type option given");
    if (slash) shell = slash + 1;
    return strcmp(shell, "csh") == 0 || strcmp(shell, "tcsh") == 0;
}

int dircolors_main(int argc, char **argv) {
    static const g_long longs[] = {{"bourne-shell", 'b', G_NONE},
                                   {"sh", 'b', G_NONE},
                                   {"csh", 'c', G_NONE},
                                   {"c-shell", 'c', G_NONE},
                                   {"print-database", 'p', G_NONE},
                                   {"print-ls-colors", 256, G_NONE},
                                   {0}};
    int shell = 0;
    bool print = false;
    reading r = {0};
    g_options o = g_options_of(argc, argv, "bcp", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'p')
            print = true;
        else if (option == 256)
            r.display = true;
        else
            shell = option;
    }
    if ((print || r.display) && shell)
        g_usage(
            "the options to output non shell syntax,\nand to select a shell syntax are mutually "
            "exclusive");
    if (print && r.display)
        g_usage("options --print-database and --print-ls-colors are mutually exclusive");
    if (argc - o.at > !print) {
        g_warn("extra operand %s", g_quote(argv[o.at + !print]));
        if (print) fputs("file operands cannot be combined with --print-database (-p)\n", stderr);
        g_try_help(1);
    }
    g_text text = {0};
    database(&text);
    if (print) {
        g_out(text.s, text.len);
        return 0;
    }
    bool c_shell = !r.display && (shell ? shell == 'c' : csh());
    if (o.at < argc) r.file = argv[o.at];
    g_text_adds(&r.out, "");
    read_text(&r, r.file ? contents(r.file) : text.s);
    if (r.failed) return 1;
    if (!r.display) g_outs(c_shell ? "setenv LS_COLORS '" : "LS_COLORS='");
    g_out(r.out.s, r.out.len);
    if (!r.display) g_outs(c_shell ? "'\n" : "';\nexport LS_COLORS\n");
    return 0;
}
