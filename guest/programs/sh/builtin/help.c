/*
 * builtin/help.c: help, and what each builtin and keyword is for, in this shell's own words.
 */
#include "builtin.h"

static const struct topic {
    const char *name, *usage; /* usage: of a keyword; a builtin's is in table.c */
    const char *text;
} topics[] = {
    {"((", "(( expression ))", "Computes in 64-bit integers. True when the result is not 0."},
    {".", NULL, "Runs a file's commands in this shell, with the arguments as $1, $2 …"},
    {":", NULL, "Does nothing and succeeds; its arguments are expanded."},
    {"[", NULL, "As `test'; the last argument must be `]'."},
    {"[[", "[[ expression ]]",
     "Tests files, strings and numbers. Words are neither split nor matched against files;\n"
     "right of == stands a pattern, right of =~ a regular expression (BASH_REMATCH)."},
    {"alias", NULL,
     "Defines aliases (name=value) or prints them. They count with shopt expand_aliases."},
    {"bg", NULL, "Lets stopped jobs go on in the background."},
    {"bind", NULL, "Line editing is not the shell's here: says so."},
    {"break", NULL, "Leaves the innermost loop, or the n innermost ones."},
    {"builtin", NULL, "Runs a builtin even where a function has its name."},
    {"caller", NULL, "Prints the line (and function and file) this function was called from."},
    {"case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
     "Runs the commands of the first pattern that matches. `;&' goes on with the next arm,\n"
     "`;;&' with the next that matches."},
    {"cd", NULL,
     "Changes the working directory: to HOME without one, to OLDPWD for `-'. -P resolves links."},
    {"command", NULL, "Runs a command but no function. -v and -V tell what a name stands for."},
    {"compgen", NULL,
     "Prints what a word can be completed to: -W words, -A kind, -f files, -v variables …"},
    {"complete", NULL, "Notes and prints how the arguments of commands are to be completed."},
    {"compopt", NULL, "Only for functions that complete, which nothing calls here."},
    {"continue", NULL, "Goes on with the next round of the loop, or of the n-th enclosing one."},
    {"coproc", "coproc [NAME] command [redirections]",
     "Runs a command in the background with pipes: NAME[0] reads its output, NAME[1] writes to "
     "it."},
    {"declare", NULL,
     "Makes variables with attributes and prints them (-p). -a array, -A associative array,\n"
     "-i integer, -l and -u case, -n reference, -r read-only, -x exported; + takes one away.\n"
     "In a function they are local, unless -g is given. -f and -F are about functions."},
    {"dirs", NULL, "Prints the directory stack of pushd and popd."},
    {"disown", NULL, "Forgets jobs; -h only keeps SIGHUP from them."},
    {"echo", NULL,
     "Prints its arguments with blanks between. -n: no newline; -e: \\n, \\t and so on count."},
    {"enable", NULL, "Turns builtins on and off (-n), and lists them."},
    {"eval", NULL, "Runs its arguments, joined by blanks, as a command."},
    {"exec", NULL, "Replaces the shell by a command; without one its redirections stay."},
    {"exit", NULL, "Ends the shell with status n, or that of the last command."},
    {"export", NULL,
     "Gives variables (-f: functions) to the commands that are started. -n takes it back."},
    {"false", NULL, "Fails."},
    {"fc", NULL, "Lists the history (-l), or runs one of its commands again, changed (-s)."},
    {"fg", NULL, "Brings a job to the foreground."},
    {"for", "for NAME [in WORDS ... ] ; do COMMANDS; done",
     "Runs the commands once for each word, or for each positional parameter without `in'."},
    {"for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done",
     "Computes exp1, then as long as exp2 is not 0 the commands and exp3."},
    {"function", "function name { COMMANDS ; } or name () { COMMANDS ; }",
     "Defines a function. Its arguments are $1, $2 … while it runs."},
    {"getopts", NULL,
     "Takes the next option from the arguments: its letter to name, its argument to OPTARG."},
    {"hash", NULL, "Prints, sets (-p) or forgets (-r, -d) the paths that commands were found at."},
    {"help", NULL,
     "Describes builtins and keywords. -d: one line; -s: how it is used; -m: at length."},
    {"history", NULL,
     "Lists what `set -o history' keeps. -c clears, -d deletes, -s adds, -w -a -r -n: a file."},
    {"if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
     "Runs the first branch whose condition succeeds."},
    {"jobs", NULL,
     "Lists the jobs: -l with process ids, -p only these, -r running, -s stopped ones."},
    {"kill", NULL, "Sends a signal (SIGTERM) to processes or jobs. -l lists the signals."},
    {"let", NULL, "Computes each argument. True when the last result is not 0."},
    {"local", NULL,
     "Makes variables that end with the function; options as for declare. `-': the options of "
     "set."},
    {"logout", NULL, "Ends a login shell."},
    {"mapfile", NULL,
     "Reads lines into an array. -t drops the newlines, -n and -s count, -d delimits."},
    {"popd", NULL, "Takes a directory from the stack and goes there."},
    {"printf", NULL,
     "Prints the arguments as the format says, again until all are used. Besides C's: %b with\n"
     "escapes, %q quoted for the shell, %(fmt)T a time. -v: to a variable."},
    {"pushd", NULL, "Puts a directory on the stack and goes there, or turns the stack."},
    {"pwd", NULL, "Prints the working directory; -P without symbolic links."},
    {"read", NULL,
     "Reads a line and splits it at IFS into the names. -r: a backslash is itself; -a: an array;\n"
     "-d delimiter; -n, -N characters; -t seconds; -u descriptor; -p prompt; -s silent."},
    {"readarray", NULL, "As mapfile."},
    {"readonly", NULL, "Makes variables (-f: functions) that cannot be changed any more."},
    {"return", NULL, "Ends a function or a sourced file with status n."},
    {"select", "select NAME [in WORDS ... ;] do COMMANDS; done",
     "Shows a menu of the words, again and again reads a choice to NAME and REPLY."},
    {"set", NULL,
     "Sets options and the positional parameters. -e ends at a failure, -u at an unset variable,\n"
     "-x shows commands, -f no file names, -o pipefail and others by name. `--': arguments "
     "follow."},
    {"shift", NULL, "Drops the first n (1) positional parameters."},
    {"shopt", NULL, "Sets (-s), unsets (-u) and prints the shell's options; -o: those of set -o."},
    {"source", NULL, "As `.'."},
    {"suspend", NULL, "Stops the shell until a SIGCONT."},
    {"test", NULL,
     "Tests files (-e -f -d -r -w -x -s …), strings (= != < > -n -z) and numbers (-eq -lt …);\n"
     "combined with !, -a, -o and parentheses."},
    {"time", "time [-p] pipeline", "Says on standard error how long the pipeline took."},
    {"times", NULL, "Prints the processor time of the shell and of its children."},
    {"tool", NULL, "Calls one of the tools that the sandbox was given; prints its result."},
    {"trap", NULL,
     "Gives commands to run at signals, and at EXIT, ERR, DEBUG, RETURN. '' ignores the signal,\n"
     "`-' takes it back; -p prints, -l lists the signals."},
    {"true", NULL, "Succeeds."},
    {"type", NULL,
     "Tells what a name stands for: -t in a word, -a everything, -p and -P the file."},
    {"typeset", NULL, "As declare."},
    {"ulimit", NULL, "Prints and sets the limits of the processes."},
    {"umask", NULL, "Prints or sets the permissions that new files do not get. -S in letters."},
    {"unalias", NULL, "Removes aliases; -a all."},
    {"unset", NULL, "Removes variables (-v), functions (-f) or references themselves (-n)."},
    {"until", "until COMMANDS; do COMMANDS; done", "Runs the body until the condition succeeds."},
    {"wait", NULL,
     "Waits for jobs and processes; -n for the next to end, -p notes its id in a variable."},
    {"while", "while COMMANDS; do COMMANDS; done",
     "Runs the body as long as the condition succeeds."},
    {"{", "{ COMMANDS ; }",
     "Groups commands: together they are redirected, and run in this shell."},
};

static const char *usage_of(const struct topic *t) {
    const struct builtin *b = t->usage ? NULL : builtin_find_any(t->name);
    return b ? b->usage : t->usage ? t->usage : t->name;
}

/* Indents each line of the text. */
static void put_text(struct shell *sh, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        out_puts(sh, "    ");
        out_put(sh, text, n);
        out_putc(sh, '\n');
        text += n + (text[n] == '\n');
    }
}

static void show(struct shell *sh, const struct topic *t, int how) {
    if (how == 'd') {
        out_printf(sh, "%s - %.*s\n", t->name, (int)strcspn(t->text, "\n"), t->text);
    } else if (how == 'm') {
        out_printf(sh, "NAME\n    %s - %.*s\n\nSYNOPSIS\n    %s\n\nDESCRIPTION\n", t->name,
                   (int)strcspn(t->text, "\n"), t->text, usage_of(t));
        put_text(sh, t->text);
    } else {
        out_printf(sh, "%s: %s\n", t->name, usage_of(t));
        if (!how) put_text(sh, t->text);
    }
}

void b_print_help(struct shell *sh, const char *name) {
    for (int i = 0; i < DIM(topics); i++)
        if (strcmp(topics[i].name, name) == 0) show(sh, &topics[i], 0);
}

/* An argument names topics by a pattern, or by how they begin. */
static bool names(const char *arg, const struct topic *t) {
    if (pattern_match(arg, t->name, strlen(t->name), PAT_EXT)) return true;
    for (int i = 0; i < DIM(topics); i++)
        if (strcmp(topics[i].name, arg) == 0) return false;
    return !pattern_special(arg, PAT_EXT) && strncmp(arg, t->name, strlen(arg)) == 0;
}

BUILTIN(help) {
    struct bopt o = bopt_new(argc, argv);
    int how = 0, status = 0;
    for (int c; (c = bopt_next(sh, &o, "dms", NULL));) {
        if (bopt_over(c)) return 2;
        how = c;
    }
    if (o.index >= argc) {
        out_printf(sh, "GNU bash, version %s compatible shell\n", SH_VERSION);
        out_puts(sh, "`help NAME' says what each of these is for.\n\n");
        for (int i = 0; i < DIM(topics); i++) out_printf(sh, " %s\n", usage_of(&topics[i]));
        return 0;
    }
    for (int k = o.index; k < argc; k++) {
        int hits = 0;
        if (pattern_special(argv[k], 0))
            out_printf(sh, "Shell commands matching keyword `%s'\n\n", argv[k]);
        for (int i = 0; i < DIM(topics); i++) {
            if (!names(argv[k], &topics[i])) continue;
            hits++;
            show(sh, &topics[i], how);
        }
        if (hits || k + 1 < argc) continue;
        sh_builtin_error(sh,
                         "no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.",
                         argv[k], argv[k], argv[k]);
        status = 1;
    }
    return status;
}
