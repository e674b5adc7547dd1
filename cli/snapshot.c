/* snapshot.c: `pinfold snapshot show`: shows the contents of a snapshot, without any authority. */
#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "pinfold.h"
#include "text.h"
#include "url.h"

static void help(void) {
    fputs("usage: pinfold snapshot show [OPTION]... SNAPSHOT\n"
          "\n"
          "Shows what a snapshot says of itself, its processes and the calls that wait in it. "
          "Nothing\n"
          "in it runs. Of a portable one, and of one that another build made, the files are to be "
          "seen.\n"
          "SNAPSHOT is a file, or the text pinfold:… that Sandbox.to_url() gives.\n"
          "\n"
          "      --files               list its files, too\n"
          "      --get GUEST           print one of its files, and nothing else\n"
          "      --key FILE            the key it was made with\n"
          "      --json                one JSON object\n"
          "      --help\n"
          "\n"
          "Exit status: 0; 1 when this pinfold cannot open it (then its head is still shown); 125 "
          "when\n"
          "it is no snapshot at all or cannot be read.\n",
          stdout);
}

enum { FILES = 256, GET, KEY, JSON, HELP };
static const struct option options[] = {
    {"files", no_argument, NULL, FILES},   {"get", required_argument, NULL, GET},
    {"key", required_argument, NULL, KEY}, {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, HELP},     {NULL, 0, NULL, 0},
};

static struct text slurp(const char *path) {
    struct text text = {0};
    if (!text_read_file(&text, path)) die("%s: %s", path, strerror(errno));
    return text;
}

static void show_head(const pf_snapshot_facts *f, size_t len, bool portable) {
    if (portable) puts("kind           portable: for this and any later version");
    printf("format         %u%s\n", f->format, f->readable ? "" : " (not readable here)");
    printf("build          %.16s…%s\n", f->build, f->this_build ? ", this one" : ", another one");
    printf("authenticated  %s\n", f->authenticated ? "with a key" : "no");
    if (f->counter) printf("counter        %" PRIu64 "\n", f->counter);
    printf("size           %zu bytes, %" PRIu64 " decompressed\n", len, f->contents_bytes);
}

enum { SHOWN_MAX = 1024, MOUNTS_MAX = 64 };

static void show_body(pf_sandbox *sandbox) {
    static pf_process processes[SHOWN_MAX];
    static pf_call calls[SHOWN_MAX];
    printf("run            %s\n", pf_sandbox_running(sandbox) ? "on" : "none");
    pf_mount_info mounts[MOUNTS_MAX];
    size_t mount_count = pf_sandbox_mounts(sandbox, mounts, MOUNTS_MAX);
    for (size_t i = 0; i < mount_count && i < MOUNTS_MAX; i++)
        show(stdout, "mount          %s, %s", mounts[i].guest,
             mounts[i].mode == PF_MOUNT_COPY ? "copy-on-write" : "read-only");
    size_t count = pf_sandbox_processes(sandbox, processes, SHOWN_MAX);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
        show(stdout, "process        %d (child of %d) %c %s, %" PRIu64 " KiB", processes[i].pid,
             processes[i].parent, processes[i].state, processes[i].name,
             processes[i].memory_bytes >> 10);
    count = pf_sandbox_pending(sandbox, calls, SHOWN_MAX);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
        show(stdout, "call           %" PRIu64 " %s %s", calls[i].id, calls[i].method,
             calls[i].params);
}

static void json_head(struct text *out, const pf_snapshot_facts *f, size_t len) {
    char line[400];
    snprintf(line, sizeof line,
             "{\"format\": %u, \"readable\": %s, \"build\": \"%s\", \"this_build\": %s, "
             "\"authenticated\": %s, \"counter\": %" PRIu64
             ", \"bytes\": %zu, \"contents_bytes\": %" PRIu64,
             f->format, f->readable ? "true" : "false", f->build, f->this_build ? "true" : "false",
             f->authenticated ? "true" : "false", f->counter, len, f->contents_bytes);
    text_puts(out, line);
}

static void json_body(struct text *out, pf_sandbox *sandbox) {
    static pf_process processes[SHOWN_MAX];
    static pf_call calls[SHOWN_MAX];
    char line[200];
    text_puts(out, pf_sandbox_running(sandbox) ? ", \"running\": true" : ", \"running\": false");
    pf_mount_info mounts[MOUNTS_MAX];
    size_t mount_count = pf_sandbox_mounts(sandbox, mounts, MOUNTS_MAX);
    text_puts(out, ", \"mounts\": [");
    for (size_t i = 0; i < mount_count && i < MOUNTS_MAX; i++) {
        text_puts(out, i ? ", {\"place\": " : "{\"place\": ");
        text_json(out, mounts[i].guest, strlen(mounts[i].guest));
        text_puts(out,
                  mounts[i].mode == PF_MOUNT_COPY ? ", \"copy\": true}" : ", \"copy\": false}");
    }
    text_puts(out, "], \"processes\": [");
    size_t count = pf_sandbox_processes(sandbox, processes, SHOWN_MAX);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        snprintf(line, sizeof line,
                 "%s{\"pid\": %d, \"parent\": %d, \"state\": \"%c\", \"memory_bytes\": %" PRIu64
                 ", \"name\": ",
                 i ? ", " : "", processes[i].pid, processes[i].parent, processes[i].state,
                 processes[i].memory_bytes);
        text_puts(out, line);
        text_json(out, processes[i].name, strlen(processes[i].name));
        text_puts(out, "}");
    }
    text_puts(out, "], \"calls\": [");
    count = pf_sandbox_pending(sandbox, calls, SHOWN_MAX);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        snprintf(line, sizeof line, "%s{\"id\": %" PRIu64 ", \"method\": ", i ? ", " : "",
                 calls[i].id);
        text_puts(out, line);
        text_json(out, calls[i].method, strlen(calls[i].method));
        text_puts(out, ", \"params\": ");
        text_printable(out, calls[i].params, calls[i].params_len);
        text_puts(out, "}");
    }
    text_puts(out, "]");
}

struct request {
    const char *path, *get;
    bool files, json;
};

/* Mode, size, time and path of each, whatever build made the snapshot. */
static void list_listed(const pf_snapshot_files *files) {
    pf_snapshot_file f;
    for (size_t i = 0; pf_snapshot_files_at(files, i, &f); i++) {
        pf_file_info info = {.mode = f.mode, .size = (int64_t)f.size, .mtime_ns = f.mtime_ns};
        files_list_one(f.path, &info);
    }
}

static bool print_listed(const pf_snapshot_files *files, const char *path) {
    pf_snapshot_file f;
    pf_error error;
    for (size_t i = 0; pf_snapshot_files_at(files, i, &f); i++) {
        char *data;
        size_t len;
        if (strcmp(f.path, path) != 0) continue;
        if (pf_snapshot_files_take(files, i, f.size + 1, &data, &len, &error) != PF_OK) {
            complain("%s", error.message);
            return false;
        }
        bool ok = fwrite(data, 1, len, stdout) == len && fflush(stdout) == 0;
        pf_free(data);
        if (!ok) complain("%s", strerror(errno));
        return ok;
    }
    complain("%s: No such file or directory", path);
    return false;
}

/* A portable one, or another build's: its files are what there is to see. False: `error` says why
 * not. */
static bool show_listed(const struct request *r, const struct text *data, const struct text *key,
                        struct text *out, pf_error *error) {
    pf_snapshot_files *files;
    size_t left_len;
    if (pf_snapshot_files_open(data->data, data->len, key->data, key->len, UINT64_MAX, &files,
                               error) != PF_OK)
        return false;
    const char *left = pf_snapshot_files_left_out(files, &left_len);
    bool ok = !r->get || print_listed(files, r->get);
    if (!r->get && r->json) text_puts(out, ", \"left_out\": [");
    for (size_t at = 0; !r->get && at < left_len; at += strlen(left + at) + 1) {
        if (!r->json) {
            show(stdout, "left out       %s", left + at);
            continue;
        }
        if (at) text_puts(out, ", ");
        text_json(out, left + at, strlen(left + at));
    }
    if (!r->get && r->json) text_puts(out, "]");
    if (r->files) list_listed(files);
    pf_snapshot_files_free(files);
    return ok || (error->message[0] = '\0');
}

/* One of this build, with its processes and calls. */
static bool show_opened(const struct request *r, pf_sandbox *sandbox, struct text *out) {
    pf_mount_info mounts[MOUNTS_MAX];
    bool ok = true;
    if (r->get) ok = files_print(sandbox, r->get);
    else if (r->json) json_body(out, sandbox);
    else show_body(sandbox);
    if (!ok || !r->files) return ok;
    size_t count = pf_sandbox_mounts(sandbox, mounts, MOUNTS_MAX);
    files_list(sandbox, "/workspace");
    files_list(sandbox, "/tmp");
    for (size_t i = 0; i < count && i < MOUNTS_MAX; i++)
        if (strncmp(mounts[i].guest, "/workspace", 10) && strncmp(mounts[i].guest, "/tmp", 4))
            files_list(sandbox, mounts[i].guest);
    return true;
}

static int show_snapshot(const struct request *r, const struct text *data, const struct text *key) {
    pf_snapshot_facts facts;
    pf_error error = {0};
    pf_sandbox *sandbox = NULL;
    struct text out = {0};
    bool ok;
    if (pf_snapshot_info(data->data ? data->data : "", data->len, &facts, &error) != PF_OK)
        die("%s: %s", r->path, error.message);
    bool portable = pf_snapshot_is_portable(data->data, data->len);
    if (r->json) {
        json_head(&out, &facts, data->len);
        text_puts(&out, portable ? ", \"portable\": true" : ", \"portable\": false");
    } else if (!r->get) {
        show_head(&facts, data->len, portable);
    }
    if (portable || (!facts.this_build && (r->files || r->get))) {
        ok = show_listed(r, data, key, &out, &error);
    } else {
        pf_status status =
            pf_snapshot_look(data->data, data->len, key->data, key->len, &sandbox, &error);
        ok = status == PF_OK && show_opened(r, sandbox, &out);
        if (status == PF_OK) error.message[0] = '\0';
    }
    if (!ok && error.message[0]) complain("%s: %s", r->path, error.message);
    if (r->json) printf("%s}\n", out.data);
    pf_sandbox_free(sandbox);
    free(out.data);
    return ok ? 0 : 1;
}

int snapshot_command(int argc, char **argv) {
    struct request r = {0};
    const char *key_file = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case FILES: r.files = true; break;
        case GET: r.get = optarg; break;
        case KEY: key_file = optarg; break;
        case JSON: r.json = true; break;
        case HELP:
        case 'h': help(); return 0;
        default: fputs("Try 'pinfold snapshot --help'.\n", stderr); return CLI_FAILURE;
        }
    }
    if (optind != argc - 2 || strcmp(argv[optind], "show") != 0)
        die("usage: pinfold snapshot show [OPTION]... SNAPSHOT");
    if (r.json && (r.files || r.get))
        die("--json is for what the snapshot says of itself, not for files");
    r.path = snapshot_name(argv[optind + 1]);
    struct text data = {0}, key = key_file ? slurp(key_file) : (struct text){0};
    snapshot_read(&data, argv[optind + 1]);
    int status = show_snapshot(&r, &data, &key);
    free(data.data);
    free(key.data);
    return status;
}
