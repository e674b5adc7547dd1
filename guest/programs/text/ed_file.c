/*
 * ed_file.c: commands of ed that read and write files, and those of the shell.
 */
#include "ed.h"

#include "g_out.h"
#include "g_spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void say_size(struct ed *ed, size_t size) {
    if (!ed->quiet) g_outf("%zu\n", size);
}

static bool is_command(const char *name) { return name[0] == '!'; }

/* `!` alone repeats the last command, % is the file's name; answers the command, or NULL. */
static const char *shell_text(struct ed *ed, const char *text) {
    static char *last;
    if (ed->restricted) return (ed->error = "Shell access restricted", NULL);
    g_text made = {0};
    bool changed = false;
    if (*text == '!') {
        if (!last) return (ed->error = "No previous command", NULL);
        g_text_adds(&made, last);
        text++;
        changed = true;
    }
    for (; *text; text++) {
        if (*text == '\\' && text[1] == '%') g_text_addc(&made, *++text);
        else if (*text == '%') {
            if (!ed->file) return (ed->error = "No current filename", NULL);
            g_text_adds(&made, ed->file);
            changed = true;
        } else g_text_addc(&made, *text);
    }
    free(last);
    last = g_copy_string(made.s ? made.s : "");
    g_text_free(&made);
    if (changed) g_outf("%s\n", last);
    g_out_flush();
    return last;
}

/* Lines of a file or of a command behind `after`; *size its bytes. */
static bool read_into(struct ed *ed, const char *name, size_t after, size_t *size) {
    const char *command = is_command(name) ? shell_text(ed, name + 1) : NULL;
    if (is_command(name) && !command) return false;
    FILE *from = command ? popen(command, "r") : fopen(name, "r");
    if (!from) {
        if (!ed->silent) {
            g_out_flush();
            fprintf(stderr, "%s: %s\n", name, strerror(errno));
        }
        ed->error = "Cannot open input file";
        return false;
    }
    size_t len;
    char *text = g_read_all(fileno(from), &len);
    if (command) pclose(from);
    else fclose(from);
    if (!text) {
        if (!ed->silent) fprintf(stderr, "%s: %s\n", name, strerror(errno));
        ed->error = "Cannot read input file";
        return false;
    }
    struct ed_lines made = {0};
    for (char *s = text, *end = text + len; s < end;) {
        char *newline = memchr(s, '\n', (size_t)(end - s));
        ed_lines_add(&made, ed_line_new(s, (size_t)((newline ? newline : end) - s)));
        if (!newline) {
            len++;
            if (!ed->quiet) g_outs("Newline appended\n");
        }
        s = newline ? newline + 1 : end;
    }
    if (made.count) ed_insert(ed, after, made.line + 1, made.count);
    free(made.line);
    free(text);
    *size = len;
    return true;
}

static bool write_to(struct ed *ed, const char *name, size_t first, size_t last, const char *mode,
                     size_t *size) {
    const char *command = is_command(name) ? shell_text(ed, name + 1) : NULL;
    if (is_command(name) && !command) return false;
    FILE *to = command ? popen(command, "w") : fopen(name, mode);
    if (!to) {
        if (!ed->silent) {
            g_out_flush();
            fprintf(stderr, "%s: %s\n", name, strerror(errno));
        }
        ed->error = "Cannot open output file";
        return false;
    }
    *size = 0;
    for (size_t i = first; i <= last && i >= 1; i++) {
        fwrite(ed->now.line[i]->text, 1, ed->now.line[i]->len, to);
        putc('\n', to);
        *size += ed->now.line[i]->len + 1;
    }
    bool failed = ferror(to);
    if (command) pclose(to);
    else failed = fclose(to) || failed;
    if (failed) ed->error = "Cannot write file";
    return !failed;
}

/* The name behind a command: *name stays the current one without it. */
bool ed_name(struct ed *ed, const char **name) {
    if (*ed->at && *ed->at != ' ' && *ed->at != '\t') {
        ed->error = "Unexpected command suffix";
        return false;
    }
    ed_blanks(ed);
    *name = *ed->at ? ed->at : ed->file;
    if (!*name) ed->error = "No current filename";
    return *name != NULL;
}

void ed_set_file(struct ed *ed, const char *name) {
    char *copy = g_copy_string(name);
    free(ed->file);
    ed->file = copy;
}

enum ed_result ed_edit(struct ed *ed, bool forced) {
    const char *name;
    size_t size;
    if (ed->modified && !forced && !ed->warned) return WARNED;
    if (!ed_name(ed, &name)) return FAILED;
    char *kept = g_copy_string(name);
    ed->now.count = ed->now.dot = 0;
    if (!is_command(kept)) ed_set_file(ed, kept);
    bool ok = read_into(ed, kept, 0, &size);
    free(kept);
    ed->modified = false;
    ed->can_undo = false;
    if (ok) say_size(ed, size);
    return ok ? DONE : FAILED;
}

enum ed_result ed_read(struct ed *ed, size_t after) {
    const char *name;
    size_t size;
    if (!ed_name(ed, &name)) return FAILED;
    if (!ed->file && !is_command(name)) ed_set_file(ed, name);
    ed_remember(ed);
    if (!read_into(ed, name, after, &size)) return FAILED;
    say_size(ed, size);
    return DONE;
}

enum ed_result ed_write(struct ed *ed, struct ed_addresses *a, char how) {
    bool quits = *ed->at == 'q';
    const char *name;
    size_t size;
    if (quits) ed->at++;
    if (!ed_name(ed, &name)) return FAILED;
    if (a->count == 0 && ed->now.count == 0) a->first = a->last = 0;
    else if (!ed_check(ed, a, 1, ed->now.count)) return FAILED;
    if (!ed->file && !is_command(name)) ed_set_file(ed, name);
    if (!write_to(ed, name, a->first, a->last, how == 'W' ? "a" : "w", &size)) return FAILED;
    say_size(ed, size);
    if (a->first <= 1 && a->last == ed->now.count && !is_command(name)) ed->modified = false;
    return quits ? (ed->modified ? WARNED : QUIT) : DONE;
}

enum ed_result ed_shell(struct ed *ed) {
    const char *command = shell_text(ed, ed->at);
    if (!command) return FAILED;
    char *const argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    pid_t pid = g_spawn(argv, NULL, G_STDIN_SAME);
    if (pid > 0) g_wait(pid);
    if (!ed->quiet) g_outs("!\n");
    return DONE;
}

void ed_start(struct ed *ed, const char *name) {
    size_t size;
    if (!is_command(name)) ed_set_file(ed, name);
    if (read_into(ed, name, 0, &size)) say_size(ed, size);
    else ed->said = ed->error;
    ed->modified = ed->can_undo = false;
}
