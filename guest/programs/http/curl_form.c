/*
 * curl_form.c: multipart/form-data, as -F builds it.
 */
#include "curl.h"

#include "g_program.h"
#include "pf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct form_part {
    struct form_part *next;
    char *name, *value, *type, *filename;
    bool file;    /* @path: with a name and a type */
    bool content; /* <path: what is in it */
};

/* A word up to a semicolon, or in quotes; `*p` goes behind it. */
static char *word(const char **p) {
    struct text out = {0};
    text_add(&out, "", 0);
    if (**p == '"') {
        for (++*p; **p && **p != '"'; ++*p) {
            if (**p == '\\' && (*p)[1] && strchr("\"\\", (*p)[1])) ++*p;
            text_add(&out, *p, 1);
        }
        if (**p) ++*p;
        *p += strcspn(*p, ";,");
        return out.data;
    }
    size_t len = strcspn(*p, ";");
    text_add(&out, *p, len);
    *p += len;
    return out.data;
}

static void read_attributes(struct form_part *part, const char *p) {
    while (*p == ';') {
        for (p++; *p == ' '; p++) continue;
        if (strncasecmp(p, "type=", 5) == 0) {
            p += 5;
            free(part->type);
            part->type = word(&p);
            /* A type has parameters of its own: text/plain; charset=utf-8 */
            while (*p == ';') {
                const char *ahead = p + 1 + strspn(p + 1, " ");
                if (strncasecmp(ahead, "filename=", 9) == 0 || strncasecmp(ahead, "type=", 5) == 0)
                    break;
                struct text more = {0};
                text_addz(&more, part->type);
                size_t len = 1 + strcspn(p + 1, ";");
                text_add(&more, p, len);
                p += len;
                free(part->type);
                part->type = more.data;
            }
        } else if (strncasecmp(p, "filename=", 9) == 0) {
            p += 9;
            free(part->filename);
            part->filename = word(&p);
        } else {
            p += strcspn(p, ";");
        }
    }
}

void curl_add_form(struct curl *options, const char *text, bool literal) {
    const char *equals = strchr(text, '=');
    if (!equals) {
        curl_warn(options, "Illegally formatted input field!");
        fputs("curl: option -F: is badly used here\n"
              "curl: try 'curl --help' or 'curl --manual' for more information\n", stderr);
        g_exit(2);
    }
    struct form_part *part = g_zalloc(sizeof *part), **end = &options->form;
    part->name = g_copy_bytes(text, (size_t)(equals - text));
    const char *p = equals + 1;
    if (literal) {
        part->value = g_copy_string(p);
    } else {
        part->file = *p == '@';
        part->content = *p == '<';
        if (part->file || part->content) p++;
        part->value = word(&p);
        read_attributes(part, p);
    }
    while (*end) end = &(*end)->next;
    *end = part;
}

/* By the ending of its name, as curl guesses. */
static const char *type_of(const char *path) {
    static const char *const types[][2] = {
        {".gif", "image/gif"},     {".jpg", "image/jpeg"},   {".jpeg", "image/jpeg"},
        {".png", "image/png"},     {".svg", "image/svg+xml"}, {".txt", "text/plain"},
        {".htm", "text/html"},     {".html", "text/html"},   {".pdf", "application/pdf"},
        {".xml", "application/xml"},
    };
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t m = strlen(types[i][0]);
        if (n >= m && strcasecmp(path + n - m, types[i][0]) == 0) return types[i][1];
    }
    return "application/octet-stream";
}

static void add_quoted(struct text *out, const char *name) {
    text_addz(out, "\"");
    for (; *name; name++) {
        if (*name == '"') text_addz(out, "%22");
        else if (*name == '\r') text_addz(out, "%0D");
        else if (*name == '\n') text_addz(out, "%0A");
        else text_add(out, name, 1);
    }
    text_addz(out, "\"");
}

static bool write_part(struct text *out, const struct form_part *part, const char *boundary) {
    struct text content = {0};
    if ((part->file || part->content) && !curl_read_file(part->value, &content)) return false;
    if (!part->file && !part->content) text_addz(&content, part->value);
    text_addf(out, "--%s\r\nContent-Disposition: form-data; name=", boundary);
    add_quoted(out, part->name);
    const char *slash = strrchr(part->value, '/');
    const char *filename = part->filename ? part->filename
                           : part->file   ? (slash ? slash + 1 : part->value)
                                          : NULL;
    if (filename) {
        text_addz(out, "; filename=");
        add_quoted(out, filename);
    }
    const char *type = part->type ? part->type : part->file && strcmp(part->value, "-") != 0 ? type_of(part->value) : NULL;
    if (type) text_addf(out, "\r\nContent-Type: %s", type);
    text_addz(out, "\r\n\r\n");
    text_add(out, text_get(&content), content.len);
    text_addz(out, "\r\n");
    text_free(&content);
    return true;
}

bool curl_write_form(const struct curl *options, struct text *out, struct text *type, char **missing) {
    unsigned char random[8];
    char boundary[48] = "------------------------";
    pf_random(random, sizeof random);
    for (int i = 0; i < 8; i++) snprintf(boundary + 24 + 2 * i, 3, "%02x", random[i]);
    for (const struct form_part *part = options->form; part; part = part->next)
        if (!write_part(out, part, boundary)) {
            *missing = part->value;
            return false;
        }
    text_addf(out, "--%s--\r\n", boundary);
    text_addf(type, "multipart/form-data; boundary=%s", boundary);
    return true;
}
