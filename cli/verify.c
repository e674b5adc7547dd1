/* verify.c: `pinfold verify`: a proof, checked by running it again. */
#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pinfold.h"
#include "run.h"
#include "text.h"

static void help(void) {
    fputs("usage: pinfold verify [OPTION]... FILE\n"
          "\n"
          "Checks a proof, which Sandbox.proof() makes: that a sandbox in the state that it names comes,\n"
          "with the inputs that lie in it, to the other state that it names. It looks at the signature\n"
          "and runs the inputs again, without tools, clock or randomness.\n"
          "\n"
          "      --by KEY              whose signature it has to be: a public key as 64 hexadecimal\n"
          "                            digits, or a file with it or its 32 bytes. Without it anybody's\n"
          "      --trace FILE          write the recording that lies in the proof to FILE (-: standard\n"
          "                            output), for `pinfold replay` and `pinfold trace`\n"
          "      --limit NAME=VALUE    what the recording may ask for at most, as for pinfold replay\n"
          "      --max-seconds N       give up after this time (300); none: never\n"
          "      --json                print one JSON object\n"
          "      --help\n"
          "\n"
          "Exit status: 0 when it holds; 1 when it does not: it was altered, has another signature, or\n"
          "comes to something else; 125 when it cannot be checked here, as by another build than the one\n"
          "that made it.\n",
          stdout);
}

enum { BY = 256, TRACE, LIMIT, MAX_SECONDS, JSON, HELP };
static const struct option options[] = {
    {"by", required_argument, NULL, BY},
    {"trace", required_argument, NULL, TRACE},
    {"limit", required_argument, NULL, LIMIT},
    {"max-seconds", required_argument, NULL, MAX_SECONDS},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

struct request {
    const char *file, *trace;
    bool json, has_key;
    uint8_t key[PF_KEY_BYTES];
    struct pairs limits;
    double max_seconds;
};

static bool take_digits(uint8_t key[PF_KEY_BYTES], const char *text, size_t len) {
    if (len != 2 * PF_KEY_BYTES) return false;
    for (size_t i = 0; i < PF_KEY_BYTES; i++) {
        char *end, two[3] = {text[2 * i], text[2 * i + 1], '\0'};
        if (strspn(two, "0123456789abcdefABCDEF") != 2) return false;
        key[i] = (uint8_t)strtoul(two, &end, 16);
    }
    return true;
}

static void read_key(struct request *r, const char *given) {
    struct text file = {0};
    r->has_key = true;
    if (take_digits(r->key, given, strlen(given))) return;
    if (!text_read_file(&file, given))
        die("--by %s: neither 64 hexadecimal digits nor a file that can be read: %s", given,
            strerror(errno));
    size_t len = file.len;
    while (len && strchr(" \t\r\n", file.data[len - 1])) len--;
    if (file.len == PF_KEY_BYTES)
        memcpy(r->key, file.data, PF_KEY_BYTES);
    else if (!take_digits(r->key, file.data ? file.data : "", len))
        die("--by %s: the file has neither 32 bytes nor 64 hexadecimal digits", given);
    free(file.data);
}

static struct request parse(int argc, char **argv) {
    struct request r = {0};
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case BY: read_key(&r, optarg); break;
        case TRACE: r.trace = optarg; break;
        case LIMIT: add_pair(&r.limits, "limit", optarg, strchr(optarg, '='), "NAME=VALUE"); break;
        case MAX_SECONDS: r.max_seconds = seconds_of(optarg); break;
        case JSON: r.json = true; break;
        case HELP:
        case 'h': help(); exit(0);
        default: fputs("Try 'pinfold verify --help'.\n", stderr); exit(CLI_FAILURE);
        }
    }
    if (optind != argc - 1) die("verify: which FILE? See pinfold verify --help");
    r.file = argv[optind];
    return r;
}

static void add_hex(struct text *out, const uint8_t *bytes, size_t len) {
    char two[3];
    for (size_t i = 0; i < len; i++) {
        snprintf(two, sizeof two, "%02x", bytes[i]);
        text_puts(out, two);
    }
}

static void show_hex(const char *name, const uint8_t *bytes, size_t len) {
    struct text line = {0};
    add_hex(&line, bytes, len);
    show(stdout, "%s%s", name, line.data);
    free(line.data);
}

static void add_member(struct text *out, const char *name, const uint8_t *bytes, size_t len) {
    text_puts(out, name);
    add_hex(out, bytes, len);
    text_puts(out, "\"");
}

static void print_json(const pf_proof_facts *f, bool holds, const char *why) {
    struct text out = {0};
    text_puts(&out, holds ? "{\"holds\": true" : "{\"holds\": false");
    if (why) {
        text_puts(&out, ", \"why\": ");
        text_json(&out, why, strlen(why));
    }
    text_puts(&out, ", \"build\": ");
    text_json(&out, f->build, strlen(f->build));
    add_member(&out, ", \"before\": \"", f->before, sizeof f->before);
    add_member(&out, ", \"inputs\": \"", f->inputs, sizeof f->inputs);
    add_member(&out, ", \"after\": \"", f->after, sizeof f->after);
    add_member(&out, ", \"public_key\": \"", f->public_key, sizeof f->public_key);
    printf("%s}\n", out.data);
    free(out.data);
}

static void print(const pf_proof_facts *f, const struct request *r) {
    show(stdout, "%s: it holds", r->file);
    show_hex("before   ", f->before, sizeof f->before);
    show_hex("inputs   ", f->inputs, sizeof f->inputs);
    show_hex("after    ", f->after, sizeof f->after);
    show_hex("signed   ", f->public_key, sizeof f->public_key);
    if (!r->has_key) puts("         (whose key that is was not asked: --by KEY)");
}

static void save_trace(const pf_proof_facts *f, const char *path) {
    bool ok = strcmp(path, "-") ? text_write_file(path, f->trace, f->trace_len)
                                : fwrite(f->trace, 1, f->trace_len, stdout) == f->trace_len &&
                                      fflush(stdout) == 0;
    if (!ok) die("%s: %s", path, strerror(errno));
}

int verify_command(int argc, char **argv) {
    struct request r = parse(argc, argv);
    struct text proof = {0};
    pf_error error = {0};
    pf_proof_facts facts;
    if (!text_read_file(&proof, r.file)) die("%s: %s", r.file, strerror(errno));
    const char *data = proof.data ? proof.data : "";
    pf_options *limits = replay_limits(&r.limits);
    pf_replay_bounds bounds = {.size = sizeof bounds, .limits = limits, .max_seconds = r.max_seconds};
    pf_status status = pf_proof_info(data, proof.len, &facts, &error);
    if (status == PF_OK && r.has_key && memcmp(r.key, facts.public_key, sizeof r.key) != 0) {
        status = error.status = PF_FORMAT;
        snprintf(error.message, sizeof error.message, "somebody else has signed it, and not the key of --by");
    }
    if (status == PF_OK) status = pf_proof_verify(data, proof.len, &bounds, &facts, &error);
    pf_options_free(limits);
    bool wrong = status == PF_FORMAT || status == PF_DIVERGED;
    if (status != PF_OK && !wrong) die("%s: %s", r.file, error.message);
    if (r.trace && status == PF_OK) save_trace(&facts, r.trace);
    bool quiet = r.trace && !strcmp(r.trace, "-");
    if (r.json && !quiet)
        print_json(&facts, !wrong, wrong ? error.message : NULL);
    else if (!wrong && !quiet)
        print(&facts, &r);
    if (wrong && !r.json) complain("%s: %s", r.file, error.message);
    free(proof.data);
    return wrong;
}
