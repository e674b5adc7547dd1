/* edit.c: see edit.h. */
#include "edit.h"

#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of <histedit.h>, whose numbers have not changed since libedit was first versioned. */
typedef struct editline EditLine;
typedef struct history History;
struct line_info {
    const char *buffer, *cursor, *lastchar;
};
struct history_event {
    int number;
    const char *text;
};
enum { EL_PROMPT, EL_EDITOR = 2, EL_SIGNAL, EL_BIND, EL_SETTY = 8, EL_ADDFN, EL_HIST };
enum { EL_PREP_TERM = 16 };
enum { H_SETSIZE = 1, H_ENTER = 10, H_SETUNIQUE = 20 };
enum { CC_NORM, CC_NEWLINE, CC_REFRESH = 4, CC_ERROR = 6, CC_REDISPLAY = 8 };

static struct libedit {
    EditLine *(*init)(const char *, FILE *, FILE *, FILE *);
    void (*end)(EditLine *);
    int (*set)(EditLine *, int, ...);
    const char *(*gets)(EditLine *, int *);
    const struct line_info *(*line)(EditLine *);
    int (*insertstr)(EditLine *, const char *);
    int (*source)(EditLine *, const char *);
    History *(*history_init)(void);
    void (*history_end)(History *);
    int (*history)(History *, struct history_event *, int, ...);
} lib;

static bool terminal;
static EditLine *editor; /* NULL: the terminal's own editing */
static History *history;
static const char *current_prompt = "";
static bool struck; /* Ctrl-C ended the line */
static edit_complete_fn complete;
static void *complete_user;

static bool load_library(void) {
    static const char *const names[] = {"libedit.so.2", "libedit.so.0", "libedit.so"};
    static const struct {
        const char *name;
        void *to;
    } functions[] = {
        {"el_init", &lib.init},
        {"el_end", &lib.end},
        {"el_set", &lib.set},
        {"el_gets", &lib.gets},
        {"el_line", &lib.line},
        {"el_insertstr", &lib.insertstr},
        {"el_source", &lib.source},
        {"history_init", &lib.history_init},
        {"history_end", &lib.history_end},
        {"history", &lib.history},
    };
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function) return false;
        memcpy(functions[i].to, &function, sizeof function);
    }
    return true;
}

static const char *prompt_of(EditLine *el) {
    (void)el;
    return current_prompt;
}

static unsigned char on_interrupt(EditLine *el, int key) {
    (void)el, (void)key;
    struck = true;
    fputs("^C\n", stderr);
    return CC_NEWLINE;
}

/* How far all lines of `found` begin alike, and how many there are. */
static size_t common_prefix(const char *found, size_t *count) {
    size_t common = strcspn(found, "\n");
    *count = 0;
    for (const char *at = found; *at; at += strcspn(at, "\n"), at += *at == '\n', ++*count) {
        size_t same = 0;
        while (same < common && at[same] == found[same]) same++;
        common = same;
    }
    while (common && ((unsigned char)found[common] & 0xc0) == 0x80) common--; /* whole characters */
    return common;
}

static void list_found(const char *found) {
    fputc('\n', stderr);
    for (const char *at = found; *at; at += strcspn(at, "\n"), at += *at == '\n')
        show(stderr, "%.*s", (int)strcspn(at, "\n"), at);
}

static unsigned char on_complete(EditLine *el, int key) {
    (void)key;
    const struct line_info *info = lib.line(el);
    struct text line = {0}, found = {0};
    text_add(&line, info->buffer, (size_t)(info->cursor - info->buffer));
    size_t start = complete(complete_user, line.data, &found), have = line.len - start, count = 0;
    size_t common = found.len ? common_prefix(found.data, &count) : 0;
    unsigned char result = CC_ERROR; /* rings */
    if (count && common >= have && !strncmp(found.data, line.data + start, have)) {
        struct text more = {0};
        text_add(&more, found.data + have, common - have);
        if (count == 1 && found.data[common - 1] != '/') text_add(&more, " ", 1);
        if (!text_is_printable(found.data, common)) {
            result = CC_ERROR; /* what is put into the line is what is seen there */
        } else if (more.len) {
            lib.insertstr(el, more.data);
            result = CC_REFRESH;
        } else if (count > 1) {
            list_found(found.data);
            result = CC_REDISPLAY;
        }
        free(more.data);
    }
    free(line.data);
    free(found.data);
    return result;
}

static void history_add(const char *command) {
    struct history_event event;
    lib.history(history, &event, H_ENTER, command);
}

void edit_open(edit_complete_fn with, void *user) {
    complete = with;
    complete_user = user;
    terminal = isatty(STDIN_FILENO);
    const char *term = getenv("TERM");
    if (!terminal || !isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb") || !load_library())
        return;
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
    editor = lib.init("pinfold", stdin, stderr, stderr);
    history = editor ? lib.history_init() : NULL;
    if (!history) {
        if (editor) lib.end(editor);
        editor = NULL;
        return;
    }
    struct history_event event;
    lib.history(history, &event, H_SETSIZE, 1000);
    lib.history(history, &event, H_SETUNIQUE, 1);
    lib.set(editor, EL_PROMPT, prompt_of);
    lib.set(editor, EL_EDITOR, "emacs");
    lib.set(editor, EL_SIGNAL, 1);
    lib.set(editor, EL_HIST, lib.history, history);
    lib.set(editor, EL_ADDFN, "pinfold-interrupt", "Give up the line", on_interrupt);
    lib.set(editor, EL_ADDFN, "pinfold-complete", "Complete the word", on_complete);
    lib.set(editor, EL_BIND, "^I", "pinfold-complete", NULL);
    lib.set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    lib.source(editor, NULL); /* ~/.editrc */
    /* While a line is edited Ctrl-C is a key and no signal. */
    lib.set(editor, EL_SETTY, "-d", "-isig", NULL);
    lib.set(editor, EL_BIND, "^C", "pinfold-interrupt", NULL);
    history_load(history_add);
}

static enum edit_line read_edited(struct text *line, const char *prompt) {
    int len = 0;
    current_prompt = prompt;
    struck = false;
    /* Before the prompt is there: a Ctrl-D behind it must be a key already. */
    lib.set(editor, EL_PREP_TERM, 1);
    const char *data = lib.gets(editor, &len);
    if (struck) return EDIT_INTERRUPT;
    if (!data || len <= 0) return EDIT_END;
    text_add(line, data, strlen(data));
    return EDIT_LINE;
}

static volatile sig_atomic_t signalled;
static void on_sigint_at_prompt(int number) {
    (void)number;
    signalled = 1;
}

/* Waits for a line or for Ctrl-C, which must not come between looking and waiting. */
static void wait_for_line(void) {
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    if (!signalled) ppoll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, NULL, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void get_line(struct text *line, size_t most) {
    for (int c = 0; c != '\n' && line->len < most && (c = getc(stdin)) != EOF;)
        text_add(line, (char[]){(char)c}, 1);
}

static enum edit_line read_plain(struct text *line, const char *prompt, size_t most) {
    struct text read = {0};
    signalled = 0;
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_sigint_at_prompt}, NULL);
    if (terminal) fputs(prompt, stderr);
    if (terminal) wait_for_line();
    if (!signalled) get_line(&read, most);
    if (signalled) {
        clearerr(stdin);
        fputc('\n', stderr);
    } else {
        text_add(line, read.data, read.len);
    }
    free(read.data);
    return signalled ? EDIT_INTERRUPT : read.len ? EDIT_LINE : EDIT_END;
}

enum edit_line edit_read(struct text *line, const char *prompt, size_t most) {
    return editor ? read_edited(line, prompt) : read_plain(line, prompt, most);
}

void edit_remember(const char *command) {
    if (!editor || !command[strspn(command, " \t\n")] || *command == ' ') return;
    char *text = strdup(command);
    if (!text) return;
    for (size_t len = strlen(text); len && text[len - 1] == '\n';) text[--len] = '\0';
    history_add(text);
    history_append(text);
    free(text);
}

void edit_close(void) {
    if (!editor) return;
    lib.history_end(history);
    lib.end(editor);
    editor = NULL;
}
