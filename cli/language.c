/* language.c: guesses the language of a script when none is given. */
#include "run.h"

#include <string.h>

static const struct {
    const char *suffix, *language;
} suffixes[] = {
    {".sh", "shell"},       {".bash", "shell"},    {".js", "javascript"},  {".mjs", "javascript"},
    {".cjs", "javascript"}, {".ts", "typescript"}, {".mts", "typescript"}, {".cts", "typescript"},
    {".py", "python"},      {".rb", NULL},         {".pl", NULL},          {".php", NULL},
};

/* The interpreters that a #! line may name, by the last part of a path or the argument of env. */
static const struct {
    const char *name, *language;
} interpreters[] = {
    {"sh", "shell"},        {"bash", "shell"},     {"dash", "shell"},
    {"ash", "shell"},       {"ksh", "shell"},      {"zsh", "shell"},
    {"node", "javascript"}, {"js", "javascript"},  {"qjs", "javascript"},
    {"python3", "python"},  {"python", "python"},  {"python3.11", "python"},
    {"deno", "typescript"}, {"bun", "typescript"}, {"ts-node", "typescript"},
};

static const char *by_interpreter(const char *line) {
    const char *end = line + strcspn(line, "\n");
    for (const char *p = line; p < end;) {
        p += strspn(p, " \t\r/");
        size_t len = strcspn(p, " \t\r/\n");
        for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++)
            if (strlen(interpreters[i].name) == len && !strncmp(p, interpreters[i].name, len))
                return interpreters[i].language;
        p += len ? len : 1;
    }
    return NULL;
}

const char *language_of(const char *path, const char *code) {
    size_t len = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t tail = strlen(suffixes[i].suffix);
        if (len > tail && !strcmp(path + len - tail, suffixes[i].suffix))
            return suffixes[i].language;
    }
    return code && !strncmp(code, "#!", 2) ? by_interpreter(code + 2) : "shell";
}
