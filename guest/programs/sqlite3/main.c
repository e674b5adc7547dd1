/*
 * main.c: the sqlite3 shell: its options.
 *
 * A shell of our own with the commands, modes and messages of the original one. Databases are
 * opened without locks. shell.h maps the other files.
 */
#include "shell.h"
#include "pf.h"

#include <stdlib.h>
#include <unistd.h>

static const char help[] =
    "Usage: sqlite3 [OPTIONS] FILENAME [SQL]\n"
    "FILENAME is the name of an SQLite database. A new database is created\n"
    "if the file does not previously exist.\n"
    "OPTIONS include:\n"
    "   -ascii -box -column -csv -html -json -line -list -markdown -quote -table -tabs\n"
    "                        set output mode\n"
    "   -bail                stop after hitting an error\n"
    "   -batch               force batch I/O\n"
    "   -cmd COMMAND         run \"COMMAND\" before reading stdin\n"
    "   -echo                print inputs before execution\n"
    "   -init FILENAME       read/process named file\n"
    "   -[no]header          turn headers on or off\n"
    "   -help                show this message\n"
    "   -newline SEP         set output row separator. Default: '\\n'\n"
    "   -nullvalue TEXT      set text string for NULL values. Default ''\n"
    "   -readonly            open the database read-only\n"
    "   -separator SEP       set output column separator. Default: '|'\n"
    "   -version             show SQLite version\n";

static _Noreturn void end(shell *sh, int status) {
    shell_output_reset(sh);
    sqlite3_close(sh->db);
    if (fflush(stdout) != 0 && status == 0) status = 1;
    _exit(status);
}

static const char *value(int argc, char **argv, int *i) {
    if (*i + 1 < argc) return argv[++*i];
    fprintf(stderr, "sqlite3: Error: missing argument to %s\n", argv[*i]);
    _exit(1);
}

/* A command from the command line: SQL or a dot command. Ends the program when it fails or quits.
 */
static void run_command(shell *sh, const char *text, bool go_on) {
    int status = 0;
    if (*text == '.') {
        char *line = g_copy_string(text);
        int result = shell_dot(sh, line);
        free(line);
        if (result == 2) end(sh, shell_quit_status);
        status = result;
    } else {
        char *message;
        status = shell_exec(sh, text, &message);
        if (message) {
            fflush(sh->out);
            fprintf(stderr, "Error: %s\n", message);
            sqlite3_free(message);
        }
        if (status == SQLITE_CANTOPEN && !sh->db) status = 1;
        if (sh->out_once) shell_output_reset(sh);
    }
    fflush(sh->out);
    if (status != 0 && (!go_on || sh->bail)) end(sh, status);
}

/* Options that set how things are printed; false for others. */
static bool mode_option(shell *sh, const char *option) {
    enum shell_mode mode;
    static const char *const names[] = {"ascii", "box",  "column",   "csv",   "html",  "json",
                                        "line",  "list", "markdown", "quote", "table", "tabs"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(names[k], option) != 0 || !shell_mode_named(option, &mode)) continue;
        shell_mode_set(sh, mode);
        if (mode == MODE_CSV) strcpy(sh->row_separator, "\n"); /* unlike .mode csv */
        return true;
    }
    return false;
}

static bool takes_value(const char *o) {
    return strcmp(o, "cmd") == 0 || strcmp(o, "init") == 0 || strcmp(o, "separator") == 0 ||
           strcmp(o, "newline") == 0 || strcmp(o, "nullvalue") == 0;
}

static bool one_option(shell *sh, const char *o, const char *arg) {
    if (mode_option(sh, o)) return true;
    if (strcmp(o, "header") == 0 || strcmp(o, "headers") == 0)
        sh->headers = sh->headers_set = true;
    else if (strcmp(o, "noheader") == 0) {
        sh->headers = false;
        sh->headers_set = true;
    } else if (strcmp(o, "separator") == 0)
        snprintf(sh->column_separator, sizeof sh->column_separator, "%s", arg);
    else if (strcmp(o, "newline") == 0)
        snprintf(sh->row_separator, sizeof sh->row_separator, "%s", arg);
    else if (strcmp(o, "nullvalue") == 0)
        snprintf(sh->null_text, sizeof sh->null_text, "%s", arg);
    else if (strcmp(o, "echo") == 0)
        sh->echo = true;
    else if (strcmp(o, "bail") == 0)
        sh->bail = true;
    else if (strcmp(o, "readonly") == 0)
        sh->readonly = true;
    else if (strcmp(o, "cmd") != 0 && strcmp(o, "init") != 0 && strcmp(o, "batch") != 0 &&
             strcmp(o, "interactive") != 0 && strcmp(o, "stats") != 0 &&
             strcmp(o, "nofollow") != 0 && strcmp(o, "memtrace") != 0)
        return false;
    return true;
}

static void run_file(shell *sh, const char *name) {
    FILE *in = fopen(name, "rb");
    if (!in) {
        fprintf(stderr, "cannot open: \"%s\"\n", name);
        end(sh, 1);
    }
    int result = shell_read(sh, in);
    fclose(in);
    if (result < 0) end(sh, shell_quit_status);
    if (result > 0 && sh->bail) end(sh, 1);
}

int main(int argc, char **argv) {
    shell sh = {.out = stdout, .column_separator = "|", .row_separator = "\n"};
    int operands = 0, first = 0;
    g_begin("sqlite3", help);
    char **commands = g_zalloc((size_t)argc * sizeof *commands);
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i];
        if (o[0] != '-' || !o[1] || operands > 1) {
            if (operands++ == 0)
                sh.file = g_copy_string(o);
            else
                commands[first++] = argv[i];
            continue;
        }
        o += 1 + (o[1] == '-');
        if (strcmp(o, "help") == 0) {
            fputs(help, stdout);
            end(&sh, 0);
        }
        if (strcmp(o, "version") == 0) {
            printf("%s %s\n", sqlite3_libversion(), sqlite3_sourceid());
            end(&sh, 0);
        }
        const char *arg = takes_value(o) ? value(argc, argv, &i) : NULL;
        if (!one_option(&sh, o, arg)) {
            fprintf(stderr,
                    "sqlite3: Error: unknown option: %s\nUse -help for a list of options.\n",
                    argv[i]);
            free(commands);
            return 1;
        }
    }
    if (sh.file && strcmp(sh.file, ":memory:") != 0 && access(sh.file, F_OK) == 0 &&
        !shell_open(&sh))
        end(&sh, 1);
    for (int i = 1; i + 1 < argc; i++) {
        const char *o = argv[i] + (argv[i][0] == '-') + (argv[i][0] == '-' && argv[i][1] == '-');
        if (argv[i][0] == '-' && strcmp(o, "init") == 0) run_file(&sh, argv[i + 1]);
        if (argv[i][0] == '-' && strcmp(o, "cmd") == 0) run_command(&sh, argv[i + 1], true);
        if (argv[i][0] == '-' && takes_value(o)) i++;
    }
    for (int i = 0; i < first; i++) run_command(&sh, commands[i], false);
    int status = 0;
    if (first == 0) {
        int errors = shell_read(&sh, stdin);
        status = errors < 0 ? shell_quit_status : errors > 0;
    }
    end(&sh, status);
}
