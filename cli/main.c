/* main.c: the program `pinfold`: which command was meant. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "run.h"
#include "text.h"
#include "web.h"

/* The MCP server is Python's. */
static int mcp_command(int argc, char **argv) {
    (void)argc, (void)argv;
    die("mcp comes with the Python package: pip install 'pinfold[mcp]', then python -m pinfold "
        "mcp");
}

/* And so is what looks at scripts and compares recordings. */
static int python_command(int argc, char **argv) {
    (void)argc;
    die("%s comes with the Python package: pip install pinfold, then python -m pinfold %s", argv[0],
        argv[0]);
}

static int restore_command(int argc, char **argv) {
    struct arguments arguments;
    arguments_parse(&arguments, argc, argv, "restore");
    return run_restored(&arguments);
}

static const struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *purpose;
} commands[] = {
    {"run", NULL, "run a script, with its arguments"},
    {"shell", shell_command, "a session, line by line"},
    {"restore", restore_command, "let a sandbox that waits in a snapshot go on"},
    {"replay", replay_command, "run a recording again and compare"},
    {"what-if", python_command, "a recording with other answers to its calls"},
    {"bisect", python_command, "find the event of a recording that broke something"},
    {"diff", python_command, "say where two recordings part"},
    {"trace", trace_command, "turn a recording into an HTML page"},
    {"debug", python_command, "move about in a recording, and branch from it, in a browser"},
    {"verify", verify_command, "check a proof by running it again"},
    {"snapshot", snapshot_command, "look at a snapshot"},
    {"check", python_command, "say what a script names, without running it"},
    {"images", python_command, "keep the images of this build for later versions"},
    {"policy", policy_command, "check a policy, explain what it decides"},
    {"completion", completion_command, "print completions for bash, zsh or fish"},
    {"mcp", mcp_command, "a sandbox as a tool for MCP clients"},
    {"serve", python_command, "sandboxes over HTTP, for many tenants"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(void) {
    fputs("usage: pinfold COMMAND [OPTION]... [ARGUMENT]...\n"
          "       pinfold [OPTION]... -c CODE      run a piece of code\n"
          "\n"
          "Runs code in a sandbox that reaches nothing but the tools given to it.\n"
          "\n",
          stdout);
    for (int i = 0; i < COMMANDS; i++) printf("  %-12s%s\n", commands[i].name, commands[i].purpose);
    fputs("\n"
          "`pinfold COMMAND --help` says more; `pinfold run --help` has the options of -c, too.\n"
          "`pinfold --version` is the version.\n"
          "The exit status is the script's; 125 when pinfold itself could not do what was asked.\n",
          stdout);
    return 0;
}

const char *command_name(int index) {
    return index < COMMANDS ? commands[index].name : NULL;
}

int main(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "";
    static char own_name[] = "pinfold";
    if (argc) argv[0] = own_name; /* what messages of getopt() begin with */
    if (!strcmp(first, "--version")) {
        printf("pinfold %s\n", pf_version());
        return 0;
    }
    if (argc < 2) {
        help();
        return 125;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || !strcmp(first, "help")) return help();
    for (int i = 1; i < COMMANDS; i++)
        if (!strcmp(first, commands[i].name)) {
            bool python = commands[i].function == python_command;
            if (!python) argv[1] = argv[0];
            return commands[i].function(argc - 1, argv + 1);
        }

    if (!strcmp(first, WEB_COMMAND)) return web_main(); /* what web.c starts */
    struct arguments arguments;
    bool run = !strcmp(first, "run");
    if (run) argv[1] = argv[0];
    if (!run && *first != '-')
        die("there is no command '%s'; a script is run by 'pinfold run %s'", first, first);
    arguments_parse(&arguments, run ? argc - 1 : argc, run ? argv + 1 : argv, run ? "run" : "-c");
    return run_script(&arguments);
}
