/*
 * curl.h: the parts of the command curl.
 */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#include "call.h"
#include "cookies.h"

#include <stdint.h>
#include <stdio.h>

enum { HEADERS_CUSTOM_MAX = 1000 };

struct form_part; /* curl_form.c */

struct output {
    char *path; /* -o; NULL: standard output, or by the address with `by_name` */
    bool by_name;
};

/* What the command line says. */
struct curl {
    char **urls;
    size_t url_count, url_cap;
    struct output *outputs;
    size_t output_count, output_cap;
    char **headers; /* as -H has them */
    size_t header_count, header_cap;
    char *method, *user, *bearer, *agent, *referer, *range, *write_out, *upload, *dump, *output_dir;
    char *cookie_text, *jar_path;
    struct text data;
    bool has_data, json, get, head, include, location, trusted, fail, fail_body, silent, show_error;
    bool verbose, globoff, create_dirs, remote_header_name, remote_all, compressed, session_cookies;
    bool post301, post302, post303, fail_early, retry_all, retry_refused, cookies, path_as_is, auto_referer;
    long max_redirects, retries, retry_delay, retry_max_time, resume;
    bool resumes;
    double max_time, connect_timeout;
    struct form_part *form;
    struct jar jar;
    int64_t max_size;
};

/* What one transfer was: for -w. */
struct transfer {
    const struct curl *options;
    char *url;       /* effective */
    char *given_url; /* as it was written */
    const char *method;
    size_t number;   /* of the URL, from 0 */
    struct response response;
    long redirects, requests;
    char *redirect_url; /* where -L would have gone */
    char *filename;
    size_t uploaded, downloaded, header_bytes;
    int64_t began, ended; /* nanoseconds */
    int status;           /* exit status */
    char error[700];
};

/* Messages: "curl: text", "Warning: text". */
void curl_warn(const struct curl *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- curl_options.c */
/* Reads the command line; ends the command when it is wrong. */
void curl_options(struct curl *options, int argc, char **argv);

/* ---- curl_data.c */
/* -d and its like (`kind` is the option as written): appends to the body, with & where needed. */
void curl_add_data(struct curl *options, const char *kind, const char *value);
/* -d, --data-binary and their like: what stands behind @; false: the file cannot be read. */
bool curl_read_file(const char *path, struct text *out);

/* ---- curl_form.c */
/* -F, or --form-string (`literal`): a part more; a wrong one ends the command. */
void curl_add_form(struct curl *options, const char *text, bool literal);
/* The body, and its type, in `boundary`'s place. */
bool curl_write_form(const struct curl *options, struct text *out, struct text *type, char **missing);

/* ---- curl_transfer.c */
/* One address: the request, redirects, retries, output. The exit status. */
int curl_transfer(struct curl *options, const char *url, size_t number, const struct output *output);

/* ---- curl_write.c */
/* -w: what was asked for, after a transfer. */
void curl_write_out(const struct transfer *transfer);

/* ---- curl_glob.c */
/* All addresses that {a,b} and [1-3] stand for, with what each stands for; NULL ends the list. NULL: the
 * pattern is wrong, and *why says so. */
struct globbed {
    char *url;
    char *parts[10]; /* for #1 in -o */
};
/* `off`: the address is taken as it is. *at: where the pattern is wrong. The list is the
 * caller's. */
struct globbed *curl_glob(const char *pattern, bool off, const char **why, size_t *at);

#endif
