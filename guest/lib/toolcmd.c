/*
 * guest/lib/toolcmd.c: see toolcmd.h.
 */
#include "toolcmd.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/limits.h"
#include "abi/types.h"
#include "pf.h"
#include "tool_args.h"
#include "tool_catalog.h"

bool (*toolcmd_interrupted)(void);
bool (*toolcmd_result)(const char *text, size_t len);

static const char general_help[] =
    "Usage: tool NAME [--PARAM VALUE]... [--FLAG] [--json OBJECT] [--raw]\n"
    "       tool NAME < FILE\n"
    "       tool --list [PREFIX]\n"
    "       tool --search WORD\n"
    "       tool --help NAME\n"
    "Call a tool of the host and print its result as JSON.\n"
    "\n"
    "  --PARAM VALUE  a parameter; its type is the one the tool declares\n"
    "  --PARAM=VALUE  the same; --a.b VALUE sets b inside a, repeating makes a list\n"
    "  --FLAG         true; --no-FLAG is false\n"
    "  --json OBJECT  all parameters at once\n"
    "  --raw          print a result that is a string without quotes\n"
    "\n"
    "Without parameters, the object is read from standard input.\n"
    "Exit status: 0 success, 1 the tool failed, 2 wrong usage, 126 denied or over a limit,\n"
    "127 no such tool.\n";

static int message(const char *name, const char *text, int status) {
    fprintf(stderr, "%s: %s\n", name, text);
    return status;
}

static int out_of_memory(const char *name) {
    return message(name, "Cannot allocate memory", TOOLCMD_FAILED);
}

/* ------------------------------------------------------------------ standard input */

/*
 * Whether parameters are read from standard input when there are no options. A terminal never; a
 * tool that needs parameters always; one that does not, from a pipe or from the start of a file (a
 * file read in part belongs to a loop around the call).
 */
static bool reads_input(struct tool_schema schema) {
    struct stat status;
    if (isatty(STDIN_FILENO) || fstat(STDIN_FILENO, &status) < 0) return false;
    if (tool_schema_required(schema, 0) != NULL) return true;
    if (schema.node != NULL && !tool_schema_has_members(schema) && !tool_schema_is_open(schema))
        return false;
    if (S_ISREG(status.st_mode)) return lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    return !S_ISDIR(status.st_mode);
}

/* Everything up to the end, as a string; NULL with errno. */
static char *read_all(int fd, size_t *len) {
    size_t cap = 4096;
    char *text = malloc(cap + 1);
    *len = 0;
    while (text != NULL) {
        ssize_t n = read(fd, text + *len, cap - *len);
        if (n < 0 && errno == EINTR && !(toolcmd_interrupted && toolcmd_interrupted())) continue;
        if (n <= 0) {
            text[*len] = '\0';
            if (n == 0) return text;
            break;
        }
        *len += (size_t)n;
        if (*len < cap) continue;
        cap *= 2;
        char *more = realloc(text, cap + 1);
        if (more == NULL) break;
        text = more;
    }
    free(text);
    return NULL;
}

/* ------------------------------------------------------------------ the call */

/* Is a name its own JSON, but for the quotes? */
static bool is_plain(const char *name) {
    while (*name >= ' ' && *name <= '~' && *name != '"' && *name != '\\') name++;
    return *name == '\0';
}

static char *plain_request(const char *name, const struct tool_args *args, size_t *len) {
    static const char before[] = "{\"tool\":\"", between[] = "\",\"params\":";
    char *text = malloc(sizeof before + strlen(name) + sizeof between + args->len + 1);
    if (text == NULL) return NULL;
    char *at = stpcpy(stpcpy(stpcpy(text, before), name), between);
    memcpy(at, args->json, args->len);
    at += args->len;
    memcpy(at, "}", 2);
    *len = (size_t)(at - text) + 1;
    return text;
}

/* {"tool": NAME, "params": …} as pf_tool_start() wants it; malloc'ed. */
static char *request(const char *name, const struct tool_args *args, size_t *len) {
    if (is_plain(name)) return plain_request(name, args, len);
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    char *text = NULL;
    if (yyjson_mut_obj_add_str(doc, root, "tool", name) &&
        yyjson_mut_obj_add(root, yyjson_mut_str(doc, "params"),
                           yyjson_mut_rawn(doc, args->json, args->len)))
        text = yyjson_mut_val_write(root, 0, len);
    yyjson_mut_doc_free(doc);
    return text;
}

/* False: errno. */
static bool put_result(const char *text, size_t len) {
    if (toolcmd_result) return toolcmd_result(text, len) && toolcmd_result("\n", 1);
    return fwrite(text, 1, len, stdout) == len && putchar('\n') != EOF && fflush(stdout) == 0;
}

static int print_result(const char *name, const char *reply, size_t len, bool raw) {
    yyjson_doc *doc = raw && len > 0 && reply[0] == '"' ? yyjson_read(reply, len, 0) : NULL;
    yyjson_val *text = yyjson_doc_get_root(doc);
    if (yyjson_is_str(text)) {
        reply = yyjson_get_str(text);
        len = yyjson_get_len(text);
    }
    bool ok = put_result(reply, len);
    yyjson_doc_free(doc);
    if (ok) return 0;
    return message(name, strerror(errno), TOOLCMD_FAILED);
}

static int unknown(const char *name) {
    fprintf(stderr, "tool: unknown tool: %s", name);
    tool_catalog_suggest(name);
    fputc('\n', stderr);
    return TOOLCMD_UNKNOWN;
}

static int print_outcome(const char *name, int id, bool raw) {
    size_t len;
    int outcome;
    char *reply = pf_tool_take(id, &outcome, &len);
    if (reply == NULL) return message(name, strerror(errno), TOOLCMD_FAILED);
    int status =
        outcome == PF_OP_DENIED || outcome == PF_OP_LIMIT ? TOOLCMD_DENIED : TOOLCMD_FAILED;
    if (outcome == PF_OP_OK)
        status = print_result(name, reply, len, raw);
    else if (outcome == PF_OP_UNKNOWN)
        status = unknown(name);
    else
        message(name, len > 0 ? reply : "the tool failed", status);
    free(reply);
    return status;
}

/* `name` is what the user wrote, `id` what the host is asked for. */
static int call(const char *name, const char *id, const struct tool_args *args) {
    size_t len;
    char *text = request(id, args, &len);
    if (text == NULL) return out_of_memory(name);
    int op = pf_tool_start(text, len);
    free(text);
    if (op < 0 && errno == E2BIG) {
        fprintf(stderr, "%s: the arguments have %zu bytes, the limit is %u\n", name, len,
                PF_MESSAGE_IN_MAX);
        return TOOLCMD_FAILED;
    }
    if (op < 0) return message(name, strerror(errno), TOOLCMD_FAILED);
    int status = 130;
    while (pf_tool_wait(op) < 0) {
        if (errno != EINTR) {
            status = message(name, strerror(errno), TOOLCMD_FAILED);
            pf_tool_close(op);
            return status;
        }
        if (toolcmd_interrupted && toolcmd_interrupted()) {
            pf_tool_close(op);
            return status;
        }
    }
    return print_outcome(name, op, args->raw);
}

/* ------------------------------------------------------------------ one tool */

static void help_of(const char *command, struct tool_entry entry, struct tool_schema schema) {
    const char *what = tool_catalog_text(entry.tool, "description");
    tool_schema_usage(stdout, command, schema);
    if (*what != '\0') printf("%s\n", what);
    const char *returns = tool_catalog_text(entry.tool, "returns");
    if (*returns != '\0' && strcmp(returns, "any") != 0) printf("\nPrints JSON: %s\n", returns);
    puts("\nOptions:");
    if (tool_schema_has_members(schema))
        tool_schema_options(stdout, schema, yyjson_obj_get(entry.tool, "shapes"));
    puts("  --json OBJECT\n        all parameters at once\n"
         "  --raw\n        print a result that is a string without quotes");
}

static struct tool_schema schema_of(struct tool_entry entry) {
    yyjson_val *schema = yyjson_obj_get(entry.tool, "parameters");
    return (struct tool_schema){schema, schema};
}

static int read_parameters(const char *name, struct tool_schema schema, struct tool_args *args,
                           enum tool_args_outcome *outcome) {
    size_t len = 0;
    char *text = NULL;
    if (reads_input(schema)) {
        fflush(stdout);
        text = read_all(STDIN_FILENO, &len);
        if (text == NULL && errno == EINTR) return 130;
        if (text == NULL) return message(name, strerror(errno), TOOLCMD_FAILED);
    }
    *outcome = tool_args_from_text(args, schema, text != NULL ? text : "", len);
    free(text);
    return 0;
}

/* argv: the arguments after the name. `command`: how the tool is called in a usage line. */
static int run_tool(const char *command, const char *name, int argc, char **argv) {
    struct tool_entry entry = tool_catalog_find(name);
    struct tool_schema schema = schema_of(entry);
    struct tool_args args;
    const char *id = entry.tool != NULL ? tool_catalog_text(entry.tool, "id") : name;
    int status = 0;
    enum tool_args_outcome outcome = tool_args_parse(&args, schema, argc, argv);
    if (outcome == TOOL_ARGS_EMPTY) status = read_parameters(name, schema, &args, &outcome);
    if (status == 0) {
        switch (outcome) {
        case TOOL_ARGS_OK: status = call(name, id, &args); break;
        case TOOL_ARGS_HELP:
            if (entry.tool == NULL)
                status = unknown(name);
            else
                help_of(command, entry, schema);
            break;
        case TOOL_ARGS_NO_MEMORY: status = out_of_memory(name); break;
        default:
            status = message(name, args.error, TOOLCMD_USAGE);
            tool_schema_usage(stderr, command, schema);
            break;
        }
    }
    free(args.json);
    tool_catalog_release(&entry);
    return status;
}

/* ------------------------------------------------------------------ the command */

static int run_named(const char *name, int argc, char **argv) {
    char command[300] = "tool ";
    strncat(command, name, sizeof command - sizeof "tool ");
    return run_tool(command, name, argc, argv);
}

static int run_general(int argc, char **argv) {
    const char *option = argc > 1 ? argv[1] : "--help", *word = argc > 2 ? argv[2] : NULL;
    if (strcmp(option, "--list") == 0 || strcmp(option, "-l") == 0) {
        if (tool_catalog_list(word != NULL ? word : "") > 0 || word == NULL) return 0;
        fprintf(stderr, "tool: no tool begins with '%s'\n", word);
        return TOOLCMD_FAILED;
    }
    if (strcmp(option, "--search") == 0 && word != NULL) {
        if (tool_catalog_search(word) > 0) return 0;
        fprintf(stderr, "tool: no tool is about '%s'\n", word);
        return TOOLCMD_FAILED;
    }
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
        char *help[] = {"--help", NULL};
        if (word != NULL) return run_named(word, 1, help);
        fputs(general_help, argc > 1 ? stdout : stderr);
        return argc > 1 ? 0 : TOOLCMD_USAGE;
    }
    if (strcmp(option, "--raw") == 0 && word != NULL) {
        argv[2] = argv[1];
        int status = run_named(word, argc - 2, argv + 2);
        argv[2] = (char *)(uintptr_t)word;
        return status;
    }
    fprintf(stderr, "tool: unknown option '%s'\n", option);
    fputs(
        "usage: tool NAME [--PARAM VALUE]..., tool --list, tool --search WORD, tool --help NAME\n",
        stderr);
    return TOOLCMD_USAGE;
}

int toolcmd_main(int argc, char **argv) {
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = argc > 0 ? (slash != NULL ? slash + 1 : argv[0]) : "tool";
    int status;
    if (strcmp(name, "tool") != 0)
        status = run_tool(name, name, argc - 1, argv + 1);
    else if (argc > 1 && argv[1][0] != '-' && argv[1][0] != '\0')
        status = run_named(argv[1], argc - 2, argv + 2);
    else
        status = run_general(argc, argv);
    if (fflush(stdout) != 0 && status == 0)
        status = message("tool", strerror(errno), TOOLCMD_FAILED);
    fflush(stderr);
    return status;
}
