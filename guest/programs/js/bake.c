/*
 * bake.c: build-time tool that compiles the JavaScript library to bytecode in a C file.
 *
 *     bake OUTPUT.c NAME=FILE.js …
 *
 * The files that the template loads while it boots come first and so lie together (library.h). Each
 * file is the body of a function (exports, require, module, native), as Node does for CommonJS.
 * Runs on the build machine only; linked with the same QuickJS sources as the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "quickjs.h"

/* quickjs_open.c: what is baked must not depend on the time. */
int engine_gettimeofday(struct timeval *now, void *zone);
int engine_gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    *now = (struct timeval){0};
    return 0;
}

static const char head[] = "(function (exports, require, module, native) {";
static const char tail[] = "\n})";

struct entry {
    const char *name, *path;
    uint8_t *bytecode;
    size_t len;            /* of bytecode */
    size_t offset, packed; /* in the output */
};

static char *read_wrapped(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, 0, SEEK_SET);
    size_t head_len = sizeof head - 1, tail_len = sizeof tail - 1;
    char *text = malloc((size_t)size + head_len + tail_len + 1);
    if (text) {
        memcpy(text, head, head_len);
        size_t got = fread(text + head_len, 1, (size_t)size, file);
        memcpy(text + head_len + got, tail, tail_len + 1);
        *len = head_len + got + tail_len;
    }
    fclose(file);
    return text;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int compile(JSContext *ctx, struct entry *entry) {
    size_t len = 0;
    char *text = read_wrapped(entry->path, &len);
    if (!text) {
        fprintf(stderr, "bake: cannot read %s\n", entry->path);
        return -1;
    }
    JSValue code =
        JS_Eval(ctx, text, len, entry->path, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    free(text);
    if (JS_IsException(code)) {
        JSValue error = JS_GetException(ctx);
        JSValue stack = JS_GetPropertyStr(ctx, error, "stack");
        const char *message = JS_ToCString(ctx, error), *where = JS_ToCString(ctx, stack);
        fprintf(stderr, "bake: %s: %s\n%s", entry->path, message, where);
        return -1;
    }
    entry->bytecode = JS_WriteObject(ctx, &entry->len, code,
                                     JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE |
                                         JS_WRITE_OBJ_STRIP_DEBUG);
    JS_FreeValue(ctx, code);
    return entry->bytecode ? 0 : -1;
}

/* ---- packing: library.h describes the format */

#define MIN_MATCH 4
#define MAX_MATCH (127 + MIN_MATCH)
#define WINDOW    65535u

struct packer {
    uint8_t *out;
    size_t used;
    size_t literals; /* unwritten bytes before the current position */
};

static void put_literals(struct packer *p, const uint8_t *end) {
    while (p->literals > 0) {
        size_t part = p->literals < 128 ? p->literals : 128;
        p->out[p->used++] = (uint8_t)(part - 1);
        memcpy(p->out + p->used, end - p->literals, part);
        p->used += part;
        p->literals -= part;
    }
}

static uint32_t hash_at(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> 16;
}

/* The longest earlier match among a few with the same hash. */
static size_t best_match(const uint8_t *data, size_t len, size_t at, const int32_t *head,
                         const int32_t *previous, size_t *distance) {
    size_t best = 0, most = len - at < MAX_MATCH ? len - at : MAX_MATCH;
    int tries = 64;
    for (int32_t from = head[hash_at(data + at)]; from >= 0 && tries-- > 0; from = previous[from]) {
        if (at - (size_t)from > WINDOW) break;
        size_t same = 0;
        while (same < most && data[(size_t)from + same] == data[at + same]) same++;
        if (same > best) {
            best = same;
            *distance = at - (size_t)from;
        }
    }
    return best;
}

static uint8_t *pack(const uint8_t *data, size_t len, size_t *packed) {
    struct packer p = {malloc(len + len / 64 + 16), 0, 0};
    int32_t *head = malloc(65536 * sizeof *head), *previous = malloc((len + 1) * sizeof *previous);
    if (!p.out || !head || !previous) return NULL;
    memset(head, -1, 65536 * sizeof *head);
    for (size_t at = 0; at < len;) {
        size_t distance = 0, match = 0;
        if (at + MIN_MATCH <= len) match = best_match(data, len, at, head, previous, &distance);
        size_t step = match >= MIN_MATCH ? match : 1;
        if (match >= MIN_MATCH) {
            put_literals(&p, data + at);
            p.out[p.used++] = (uint8_t)(128 | (match - MIN_MATCH));
            p.out[p.used++] = (uint8_t)distance;
            p.out[p.used++] = (uint8_t)(distance >> 8);
        } else {
            p.literals++;
        }
        for (size_t end = at + step; at < end; at++) {
            if (at + MIN_MATCH > len) continue;
            uint32_t hash = hash_at(data + at);
            previous[at] = head[hash];
            head[hash] = (int32_t)at;
        }
    }
    put_literals(&p, data + len);
    free(head);
    free(previous);
    *packed = p.used;
    return p.out;
}

static int print(FILE *out, struct entry *entries, int count) {
    size_t offset = 0;
    fprintf(out, "/* Written by bake.c. */\n#include \"library.h\"\n\nuint8_t library_bytes[] = {");
    for (int i = 0; i < count; i++) {
        uint8_t *packed = pack(entries[i].bytecode, entries[i].len, &entries[i].packed);
        if (!packed) return -1;
        for (size_t at = 0; at < entries[i].packed; at++)
            fprintf(out, at % 24 ? "%u," : "\n%u,", packed[at]);
        free(packed);
        entries[i].offset = offset;
        offset += entries[i].packed;
    }
    fprintf(out, "\n};\nconst struct library_file library_files[] = {\n");
    qsort(entries, (size_t)count, sizeof *entries, by_name);
    for (int i = 0; i < count; i++)
        fprintf(out, "    {\"%s\", %zu, %zu, %zu},\n", entries[i].name, entries[i].offset,
                entries[i].packed, entries[i].len);
    fprintf(out, "};\nconst uint32_t library_count = %d;\n", count);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: bake OUTPUT.c NAME=FILE.js ...\n");
        return 2;
    }
    JSContext *ctx = JS_NewContext(JS_NewRuntime());
    int count = 0;
    struct entry *entries = calloc((size_t)argc, sizeof *entries);
    if (!ctx || !entries) return 1;
    for (int i = 2; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) return 2;
        *equals = 0;
        entries[count].name = argv[i];
        entries[count].path = equals + 1;
        if (compile(ctx, &entries[count++]) != 0) return 1;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        fprintf(stderr, "bake: cannot write %s\n", argv[1]);
        return 1;
    }
    int result = print(out, entries, count);
    return fclose(out) == 0 && result == 0 ? 0 : 1;
}
