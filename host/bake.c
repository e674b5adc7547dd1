/*
 * host/bake.c: build-time tool that boots a machine and starts each program once, and writes what
 * they are then to a file, which cmake/baked.c.in puts into the program. See host/cpu/baked.h.
 *
 *     pf_bake FILE
 *
 * The file follows from the images alone, so that two builds are the same.
 */
#include "host/cpu/baked.h"
#include "host/machine/machine.h"

#include <monocypher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is written, in a buffer that grows. */
struct output {
    uint8_t *data;
    size_t len, capacity;
};

static void fail(const char *what) {
    fprintf(stderr, "pf_bake: %s\n", what);
    exit(1);
}

/* Appends `len` bytes (zeros if `data` is NULL) behind padding to `align`: where they lie. */
static uint32_t put(struct output *out, const void *data, size_t len, size_t align) {
    size_t at = (out->len + align - 1) / align * align;
    if (at + len > UINT32_MAX) fail("the templates are too large");
    if (at + len > out->capacity) {
        out->capacity = (at + len) * 2;
        out->data = realloc(out->data, out->capacity);
        if (!out->data) fail("no memory");
    }
    memset(out->data + out->len, 0, at - out->len);
    if (data) memcpy(out->data + at, data, len);
    else memset(out->data + at, 0, len);
    out->len = at + len;
    return (uint32_t)at;
}

static void put_template(struct output *out, uint32_t number, int image, enum machine_use use,
                         const struct cpu_template *t) {
    const cpu_instance *model = t->model;
    const struct pf_image *info = pf_images[image];
    struct cpu_baked_template b = {.image = (uint32_t)image,
                                   .use = use,
                                   .size = (uint32_t)t->size,
                                   .rewinding = model->rewinding,
                                   .asyncify = model->asyncify,
                                   .asyncify_stack = model->asyncify_stack,
                                   .run_count = (uint32_t)t->run_count};
    memcpy(b.dead, model->dead, sizeof b.dead);
    if (t->run_count) {
        b.from = t->runs[0].from;
        b.to = t->runs[t->run_count - 1].to;
    }
    b.runs_at = put(out, t->runs, t->run_count * sizeof *t->runs, 8);
    b.globals_at = put(out, (const char *)model->module + info->globals_at, info->globals_len, 8);
    b.data_at = put(out, cpu_template_page(t, b.from), b.to - b.from, CPU_PAGE);
    struct cpu_baked *head = (struct cpu_baked *)out->data;
    head->templates[number] = b;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: pf_bake FILE");
    pf_error error = {0};
    const struct machine_boot *boot = machine_boot(&error);
    if (!boot) fail(error.message);
    uint32_t count = (uint32_t)machine_image_count() + 1 + (boot->session != NULL);
    struct output out = {0};
    put(&out, NULL, sizeof(struct cpu_baked) + count * sizeof(struct cpu_baked_template), 1);
    uint32_t number = 0;
    put_template(&out, number++, 0, MACHINE_USE_KERNEL, boot->kernel);
    for (int i = 0; i < machine_image_count(); i++) {
        const struct cpu_template *t = machine_image(i);
        if (!t) fail("an image does not start");
        put_template(&out, number++, i + 1, MACHINE_USE_START, t);
        if (boot->session && boot->session->image == pf_images[i + 1])
            put_template(&out, number++, i + 1, MACHINE_USE_SESSION, boot->session);
    }
    put(&out, NULL, 0, CPU_PAGE);
    struct cpu_baked *head = (struct cpu_baked *)out.data;
    memcpy(head->images, pf_images_digest, sizeof head->images);
    head->bytes = (uint32_t)out.len;
    head->mailbox = boot->mailbox;
    head->session_proc = boot->session_proc;
    head->count = number;
    size_t skip = offsetof(struct cpu_baked, bytes);
    crypto_blake2b(head->digest, sizeof head->digest, out.data + skip, out.len - skip);
    FILE *file = fopen(argv[1], "wb");
    if (!file || fwrite(out.data, 1, out.len, file) != out.len || fclose(file) != 0)
        fail("cannot write the file");
    free(out.data);
    return 0;
}
