/* completion.c: `pinfold completion SHELL`: prints what a shell needs to complete our commands. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

/* Options of each command; those that take a file are completed as files by every shell. */
static const struct {
    const char *command, *options;
} words[] = {
    {"run", "--language --tool --http --secret --approve --pure --simulate --policy --file --out --mount --changes --env --cwd --stdin --limit --clock "
            "--seed --record --redact "
            "--restore --snapshot --portable --key --counter --min-counter --json --help"},
    {"shell", "--tool --http --secret --approve --pure --simulate --policy --file --mount --changes --env --limit --clock --seed --record "
              "--redact --restore "
              "--snapshot --portable --key --counter --min-counter --help"},
    {"replay", "--until --files --get --result --partial --limit --max-seconds --json --help"},
    {"restore", "--tool --http --secret --policy --file --out --mount --changes --limit --record --redact --snapshot --key --counter "
                "--min-counter --json --help"},
    {"what-if", "--answer --fail --live --tool --policy --get --result --partial --limit --max-seconds --json "
                "--help"},
    {"bisect", "--check --good --bad --result --partial --limit --max-seconds --json --help"},
    {"diff", "--no-files --partial --max-seconds --json --help"},
    {"trace", "--output --no-files --result --limit --partial --max-seconds --help"},
    {"debug", "--port --open --line --tool --pure --simulate --policy --result --partial --limit --max-seconds "
              "--help"},
    {"verify", "--by --trace --limit --max-seconds --json --help"},
    {"snapshot", "show --files --get --key --json --help"},
    {"check", "--language --json --policy --tool --help"},
    {"policy", "check explain --help"},
    {"serve", "key token --config --store --large --store-key --host --port --openapi --help"},
    {"completion", "bash zsh fish --help"},
};
enum { WORDS = sizeof words / sizeof *words };

static void print_bash(void) {
    fputs("_pinfold() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} list\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        list='",
          stdout);
    for (int i = 0; command_name(i); i++) printf("%s ", command_name(i));
    fputs("-c --help --version'\n    else\n        case ${COMP_WORDS[1]} in\n", stdout);
    for (int i = 0; i < WORDS; i++)
        printf("        %s) list='%s' ;;\n", words[i].command, words[i].options);
    printf("        *) list='%s' ;;\n", words[0].options);
    fputs("        esac\n    fi\n"
          "    COMPREPLY=($(compgen -W \"$list\" -- \"$word\"))\n"
          "}\n"
          "complete -o default -F _pinfold pinfold\n",
          stdout);
}

static void print_zsh(void) {
    fputs("#compdef pinfold\nautoload -U +X bashcompinit && bashcompinit\n", stdout);
    print_bash();
}

static void print_fish(void) {
    for (int i = 0; command_name(i); i++)
        printf("complete -c pinfold -n __fish_use_subcommand -a %s\n", command_name(i));
    for (int i = 0; i < WORDS; i++) {
        char copy[512];
        snprintf(copy, sizeof copy, "%s", words[i].options);
        for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
            printf("complete -c pinfold -n '__fish_seen_subcommand_from %s' %s %s\n",
                   words[i].command, word[0] == '-' ? "-l" : "-a",
                   word[0] == '-' ? word + 2 : word);
    }
}

int completion_command(int argc, char **argv) {
    const char *shell = argc == 2 ? argv[1] : "";
    if (!strcmp(shell, "--help") || !strcmp(shell, "-h")) {
        fputs("usage: pinfold completion bash|zsh|fish\n\n"
              "Prints what the shell needs to complete pinfold's commands and options, e.g.\n\n"
              "  source <(pinfold completion bash)\n",
              stdout);
        return 0;
    }
    if (!strcmp(shell, "bash"))
        print_bash();
    else if (!strcmp(shell, "zsh"))
        print_zsh();
    else if (!strcmp(shell, "fish"))
        print_fish();
    else
        die("usage: pinfold completion bash|zsh|fish");
    return 0;
}
