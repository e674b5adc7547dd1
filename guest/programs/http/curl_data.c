/*
 * curl_data.c: bodies that are made of -d, --data-urlencode and their like.
 */
#include "curl.h"

#include "g_in.h"
#include "g_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool curl_read_file(const char *path, struct text *out) {
    size_t len;
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY);
    char *data = fd < 0 ? NULL : g_read_all(fd, &len);
    if (fd > STDIN_FILENO) close(fd);
    if (!data) return false;
    text_add(out, data, len);
    free(data);
    return true;
}

/* What a file gives for -d. */
static void add_file(struct curl *options, const char *path, struct text *out) {
    if (curl_read_file(path, out)) return;
    curl_warn(options, "Couldn't read data from file \"%s\", this makes an empty POST.", path);
}

/* name=content, =content, content, name@file, @file: what is content is encoded. */
static void encode(struct curl *options, const char *value, struct text *out) {
    struct text content = {0};
    size_t split = strcspn(value, "=@");
    if (value[split] == '\0') {
        text_addz(&content, value);
        split = 0;
    } else if (value[split] == '@') {
        add_file(options, value + split + 1, &content);
    } else {
        text_addz(&content, value + split + 1);
    }
    if (split) text_addf(out, "%.*s=", (int)split, value);
    char *coded = url_encode(text_get(&content), content.len);
    for (const char *p = coded; *p; p++) { /* a blank is + here */
        bool blank = strncmp(p, "%20", 3) == 0;
        text_add(out, blank ? "+" : p, 1);
        if (blank) p += 2;
    }
    free(coded);
    text_free(&content);
}

void curl_add_data(struct curl *options, const char *kind, const char *value) {
    struct text made = {0};
    text_add(&made, "", 0);
    bool raw = strcmp(kind, "--data-raw") == 0, json = strcmp(kind, "--json") == 0;
    if (strcmp(kind, "--data-urlencode") == 0) {
        encode(options, value, &made);
    } else if (*value == '@' && !raw) {
        add_file(options, value + 1, &made);
        bool ascii = strcmp(kind, "-d") == 0 || strcmp(kind, "--data") == 0 ||
                     strcmp(kind, "--data-ascii") == 0;
        size_t kept = 0;
        for (size_t i = 0; ascii && i < made.len; i++)
            if (!strchr("\r\n", made.data[i])) made.data[kept++] = made.data[i];
        if (ascii) made.data[made.len = kept] = '\0';
    } else {
        text_addz(&made, value);
    }
    if (options->has_data && !json) text_addz(&options->data, "&");
    text_add(&options->data, text_get(&made), made.len);
    options->has_data = true;
    options->json = options->json || json;
    text_free(&made);
}
