/*
 * launcher.c: the command `pinfold` of the Python package.
 *
 * The program itself lies in the package, beside the library that it shares with the extension
 * module. A wheel does not know where below a prefix the installer puts packages, so this looks
 * where they are put: in an environment, below /usr/local, in ~/.local, beside `pip --target`'s
 * bin. Some commands are Python's: they start the interpreter that lies beside this file.
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a distribution of this version leaves beside its package, from the folder of commands on. */
static const char *const places[] = {
    "../lib/python3*/site-packages/pinfold-" PINFOLD_VERSION ".dist-info",
    "../lib64/python3*/site-packages/pinfold-" PINFOLD_VERSION ".dist-info",
    "../lib/python3*/dist-packages/pinfold-" PINFOLD_VERSION ".dist-info",
    "../local/lib/python3*/dist-packages/pinfold-" PINFOLD_VERSION ".dist-info",
    "../pinfold-" PINFOLD_VERSION ".dist-info",
};

/* `folder`, which is no pattern, with what is one behind it. */
static void pattern_of(char out[2 * PATH_MAX + 128], const char *folder, const char *place) {
    char *end = out;
    for (const char *c = folder; *c; c++) {
        if (strchr("\\*?[", *c)) *end++ = '\\';
        *end++ = *c;
    }
    sprintf(end, "/%s", place);
}

/* Becomes the program that belongs to the commands in `folder`. Returns when it is not found. */
static void run_program(const char *folder, char **argv) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char pattern[2 * PATH_MAX + 128], program[PATH_MAX + 16];
        pattern_of(pattern, folder, places[i]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found)) continue;
        for (size_t k = 0; k < found.gl_pathc; k++) {
            int parent = (int)(strrchr(found.gl_pathv[k], '/') - found.gl_pathv[k]);
            snprintf(program, sizeof program, "%.*s/pinfold/_program", parent, found.gl_pathv[k]);
            execv(program, argv);
        }
        globfree(&found);
    }
}

/* Becomes `python3 -m pinfold`, of this environment or, where it has none, of the search path. */
static void run_python(const char *folder, int argc, char **argv) {
    char python[PATH_MAX + 16];
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words) return;
    words[0] = python;
    words[1] = "-m";
    words[2] = "pinfold";
    for (int i = 1; i < argc; i++) words[i + 2] = argv[i];
    snprintf(python, sizeof python, "%s/python3", folder);
    execv(python, words);
    if (errno == ENOENT) {
        strcpy(python, "python3");
        execvp(python, words);
    }
    free(words);
}

int main(int argc, char **argv) {
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0) {
        fprintf(stderr, "pinfold: /proc/self/exe: %s\n", strerror(errno));
        return 125;
    }
    self[len] = 0;
    char *folder = self;
    *strrchr(self, '/') = 0;
    static const char *const theirs[] = {"mcp",     "check",  "images", "trace",
                                         "what-if", "bisect", "diff",   "debug",
                                         "serve"};
    bool python = false;
    for (size_t i = 0; argc > 1 && i < sizeof theirs / sizeof *theirs; i++)
        python |= !strcmp(argv[1], theirs[i]);
    if (!python) run_program(folder, argv);
    run_python(folder, argc, argv);
    fprintf(stderr,
            "pinfold: the Python package pinfold " PINFOLD_VERSION
            " is not below %s/.., and there is no python3: %s\n",
            folder, strerror(errno));
    return 125;
}
