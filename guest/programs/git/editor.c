/*
 * editor.c: messages from an editor, and how messages are cleaned.
 */
#include "git.h"

#include <unistd.h>

#include "g_spawn.h"

const char *editor_problem;

static const char *editor(void) {
    const char *name = getenv("GIT_EDITOR");
    if (!name) name = config_string("core.editor");
    if (!name) name = getenv("VISUAL");
    if (!name) name = getenv("EDITOR");
    return name;
}

bool has_editor(void) { return editor() != NULL; }

char *edit_file(const char *path) {
    const char *name = editor();
    g_text line = {0};
    size_t len;
    if (!name) {
        error("Terminal is dumb, but EDITOR unset");
        if (editor_problem) die("%s", editor_problem);
        note("Please supply the message using either -m or -F option.");
        g_exit(1);
    }
    if (strcmp(name, ":") != 0) {
        g_text_addf(&line, "%s \"$@\"", name);
        char *argv[] = {"sh", "-c", line.s, (char *)name, (char *)path, NULL};
        pid_t pid = g_spawn(argv, NULL, G_STDIN_SAME);
        if (pid < 0 || g_exit_status(wait_child(pid)) != 0) {
            error("There was a problem with the editor '%s'.", name);
            if (editor_problem) die("%s", editor_problem);
            note("Please supply the message using either -m or -F option.");
            g_exit(1);
        }
        g_text_free(&line);
    }
    char *text = read_file(path, &len);
    if (!text) die("could not read '%s'", path);
    return text;
}

char *clean_message(const char *text, bool comments) {
    g_text out = {0};
    bool empty = false;
    g_text_adds(&out, "");
    while (*text) {
        size_t len = strcspn(text, "\n"), used = len;
        const char *line = text;
        text += len + (text[len] != 0);
        if (comments && *line == '#') {
            if (strstr(line, "------------------------ >8 ------------------------") == line + 2) break;
            continue;
        }
        while (used && strchr(" \t\r\f\v", line[used - 1])) used--;
        if (!used) {
            empty = out.len > 0;
            continue;
        }
        if (empty) g_text_addc(&out, '\n');
        empty = false;
        g_text_add(&out, line, used);
        g_text_addc(&out, '\n');
    }
    return out.s;
}
