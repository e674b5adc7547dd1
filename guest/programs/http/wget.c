/*
 * wget.c: wget's command line, on the tool http/request: pages and files, not whole sites.
 *
 * Deviations: no recursion and no proxies; there is no progress bar, and the log on standard error says
 * less: the address, the answer, the file.
 *
 * help wget:
 *   Usage: wget [OPTION]... [URL]...
 *
 *     -O,  --output-document=FILE      write documents to FILE
 *     -q,  --quiet                     quiet (no output)
 *     -nv, --no-verbose                turn off verboseness, without being quiet
 *     -S,  --server-response           print server response
 *     -P,  --directory-prefix=PREFIX   save files to PREFIX/..
 *     -nc, --no-clobber                skip downloads that would download to existing files
 *     -i,  --input-file=FILE           download URLs found in local FILE
 *     -t,  --tries=NUMBER              set number of retries to NUMBER (0 unlimits)
 *     -T,  --timeout=SECONDS           set all timeout values to SECONDS
 *     -U,  --user-agent=AGENT          identify as AGENT instead of Wget/VERSION
 *          --header=STRING             insert STRING among the headers
 *          --user=USER                 set user to USER
 *          --password=PASS             set password to PASS
 *          --method=HTTPMethod         use method "HTTPMethod" in the request
 *          --post-data=STRING          use the POST method; send STRING as the data
 *          --post-file=FILE            use the POST method; send contents of FILE
 *          --body-data=STRING          send STRING as data
 *          --body-file=FILE            send contents of FILE
 *          --referer=URL               include 'Referer: URL' header in HTTP request
 *          --max-redirect              maximum redirections allowed per page
 *          --load-cookies=FILE         load cookies from FILE before session
 *          --save-cookies=FILE         save cookies to FILE after session
 *          --spider                    don't download anything
 *          --content-disposition       honor the Content-Disposition header
 *          --content-on-error          output the received content on server errors
 *     -h,  --help                      print this help
 *     -V,  --version                   display the version of Wget and exit
 */
#include "cookies.h"
#include "curl.h"

#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* wget's exit statuses. */
enum { WGET_OK, WGET_GENERIC, WGET_PARSE, WGET_FILE, WGET_NETWORK, WGET_TLS, WGET_AUTH, WGET_PROTOCOL, WGET_SERVER };

struct wget {
    char *document, *prefix, *agent, *user, *password, *method, *body, *referer, *save_cookies;
    size_t body_len;
    struct headers headers;
    struct jar jar;
    bool quiet, terse, show, no_clobber, spider, disposition, on_error, has_body, cookies;
    long tries, redirects;
    double timeout;
    FILE *out; /* -O */
};

enum {
    HEADER = 300, USER, PASSWORD, METHOD, POST_DATA, POST_FILE, BODY_DATA, BODY_FILE, REFERER, REDIRECTS,
    LOAD_COOKIES, SAVE_COOKIES, SPIDER, DISPOSITION, ON_ERROR, SHORT_NV, IGNORED, REFUSED, ACCEPTED,
};

static const g_long longs[] = {
    {"output-document", 'O', G_REQUIRED}, {"quiet", 'q', G_NONE}, {"no-verbose", SHORT_NV, G_NONE},
    {"server-response", 'S', G_NONE}, {"directory-prefix", 'P', G_REQUIRED}, {"no-clobber", 'n', G_NONE},
    {"input-file", 'i', G_REQUIRED}, {"tries", 't', G_REQUIRED}, {"timeout", 'T', G_REQUIRED},
    {"user-agent", 'U', G_REQUIRED}, {"header", HEADER, G_REQUIRED}, {"user", USER, G_REQUIRED},
    {"http-user", USER, G_REQUIRED}, {"password", PASSWORD, G_REQUIRED},
    {"http-password", PASSWORD, G_REQUIRED}, {"method", METHOD, G_REQUIRED},
    {"post-data", POST_DATA, G_REQUIRED}, {"post-file", POST_FILE, G_REQUIRED},
    {"body-data", BODY_DATA, G_REQUIRED}, {"body-file", BODY_FILE, G_REQUIRED},
    {"referer", REFERER, G_REQUIRED}, {"max-redirect", REDIRECTS, G_REQUIRED},
    {"load-cookies", LOAD_COOKIES, G_REQUIRED}, {"save-cookies", SAVE_COOKIES, G_REQUIRED},
    {"spider", SPIDER, G_NONE}, {"content-disposition", DISPOSITION, G_NONE},
    {"content-on-error", ON_ERROR, G_NONE}, {"verbose", 'v', G_NONE}, {"no-cache", IGNORED, G_NONE},
    {"no-cookies", IGNORED, G_NONE}, {"keep-session-cookies", IGNORED, G_NONE},
    {"show-progress", IGNORED, G_NONE}, {"progress", ACCEPTED, G_REQUIRED}, {"https-only", IGNORED, G_NONE},
    {"no-proxy", IGNORED, G_NONE}, {"no-hsts", IGNORED, G_NONE}, {"auth-no-challenge", IGNORED, G_NONE},
    {"inet4-only", '4', G_NONE}, {"inet6-only", '6', G_NONE}, {"wait", ACCEPTED, G_REQUIRED},
    {"waitretry", ACCEPTED, G_REQUIRED}, {"connect-timeout", ACCEPTED, G_REQUIRED},
    {"read-timeout", 'T', G_REQUIRED}, {"dns-timeout", ACCEPTED, G_REQUIRED},
    {"no-check-certificate", REFUSED, G_NONE}, {"ca-certificate", REFUSED, G_REQUIRED},
    {"recursive", REFUSED, G_NONE}, {"mirror", REFUSED, G_NONE}, {"page-requisites", REFUSED, G_NONE},
    {"continue", REFUSED, G_NONE}, {NULL, 0, 0},
};

static _Noreturn void usage(const char *what) {
    fprintf(stderr, "wget: %s\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n", what);
    g_exit(WGET_GENERIC);
}

static void say(const struct wget *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct wget *w, const char *format, ...) {
    va_list args;
    if (w->quiet || w->terse) return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

static void take_file(struct wget *w, const char *path) {
    struct text file = {0};
    if (!curl_read_file(path, &file)) {
        fprintf(stderr, "BODY data file '%s' missing: %s\n", path, strerror(errno));
        g_exit(WGET_FILE);
    }
    w->body = g_copy_bytes(text_get(&file), file.len);
    w->body_len = file.len;
    w->has_body = true;
}

static void take_body(struct wget *w, const char *text) {
    w->body = g_copy_string(text);
    w->body_len = strlen(text);
    w->has_body = true;
}

static void take_header(struct wget *w, const char *text) {
    const char *colon = strchr(text, ':');
    if (!colon) return;
    char *name = g_copy_bytes(text, (size_t)(colon - text));
    headers_add(&w->headers, name, colon + 1 + strspn(colon + 1, " "));
    free(name);
}

static void take_option(struct wget *w, int option, const g_options *o, char **input) {
    char *arg = o->arg ? g_copy_string(o->arg) : NULL;
    switch (option) {
    case 'O': w->document = arg; break;
    case 'q': w->quiet = true; break;
    case SHORT_NV: w->terse = true; break;
    case 'S': w->show = true; break;
    case 'P': w->prefix = arg; break;
    case 'n': w->no_clobber = true; break;
    case 'i': *input = arg; break;
    case 't': w->tries = strcmp(arg, "inf") == 0 ? 0 : strtol(arg, NULL, 10); break;
    case 'T': w->timeout = strtod(arg, NULL); break;
    case 'U': w->agent = arg; break;
    case HEADER: take_header(w, arg); break;
    case USER: w->user = arg; break;
    case PASSWORD: w->password = arg; break;
    case METHOD: w->method = arg; break;
    case POST_DATA: w->method = "POST"; take_body(w, arg); break;
    case POST_FILE: w->method = "POST"; take_file(w, arg); break;
    case BODY_DATA: take_body(w, arg); break;
    case BODY_FILE: take_file(w, arg); break;
    case REFERER: w->referer = arg; break;
    case REDIRECTS: w->redirects = strtol(arg, NULL, 10); break;
    case LOAD_COOKIES: jar_load(&w->jar, arg, false); break;
    case SAVE_COOKIES: w->save_cookies = arg; break;
    case SPIDER: w->spider = true; break;
    case DISPOSITION: w->disposition = true; break;
    case ON_ERROR: w->on_error = true; break;
    case REFUSED:
    case 'r':
    case 'm':
    case 'c':
        g_die(WGET_PARSE, "the option %s%s is not possible here: %s", o->name ? "--" : "-",
              o->name ? o->name : (char[]){(char)option, 0},
              o->name && strstr(o->name, "cert") ? "connections are the host's, which verifies certificates"
                                                 : "this wget fetches whole files, one at a time");
    default: break;
    }
}

/* ---- one address */

static char *name_for(const struct wget *w, const char *url, const struct response *r) {
    const char *given = w->disposition ? headers_get(&r->headers, "Content-Disposition") : NULL;
    const char *at = given ? strcasestr(given, "filename=") : NULL;
    char *name;
    if (at) {
        at += 9;
        name = g_copy_bytes(*at == '"' ? at + 1 : at, *at == '"' ? strcspn(at + 1, "\"") : strcspn(at, ";"));
    } else {
        char *path = url_path(url), *slash = strrchr(path, '/');
        struct text made = {0};
        const char *query = strchr(url, '?');
        text_addz(&made, slash && slash[1] ? slash + 1 : "index.html");
        if (query) text_add(&made, query, strcspn(query, "#"));
        free(path);
        name = made.data;
        for (char *p = name; *p; p++)
            if (*p == '/') *p = '_';
    }
    char *slash = strrchr(name, '/');
    if (slash) memmove(name, slash + 1, strlen(slash));
    return w->prefix ? g_join(w->prefix, name) : name;
}

/* A name that no file has: NAME.1, NAME.2 */
static char *free_name(char *name) {
    struct stat status;
    if (lstat(name, &status) != 0) return name;
    for (int n = 1;; n++) {
        struct text made = {0};
        text_addf(&made, "%s.%d", name, n);
        if (lstat(made.data, &status) != 0) return made.data;
        text_free(&made);
    }
}

static int save(struct wget *w, const char *url, const struct response *r) {
    const struct text *body = &r->body;
    if (w->out) {
        bool good = fwrite(text_get(body), 1, body->len, w->out) == body->len && fflush(w->out) == 0;
        if (!good) g_warn_errno(errno, "%s", w->document);
        if (strcmp(w->document, "-") == 0) say(w, "written to stdout [%zu]\n\n", body->len);
        else say(w, "'%s' saved [%zu]\n\n", w->document, body->len);
        return good ? WGET_OK : WGET_FILE;
    }
    char *name = name_for(w, url, r);
    if (w->prefix) g_make_parents(name);
    name = free_name(name);
    FILE *file = fopen(name, "w");
    bool good = file && fwrite(text_get(body), 1, body->len, file) == body->len;
    if (file && fclose(file) != 0) good = false;
    if (!good) {
        fprintf(stderr, "%s: %s\n\nCannot write to '%s' (%s).\n", name, strerror(errno), name, strerror(errno));
        return WGET_FILE;
    }
    say(w, "'%s' saved [%zu]\n\n", name, body->len);
    if (w->terse && !w->quiet) fprintf(stderr, "URL:%s [%zu] -> \"%s\" [1]\n", url, body->len, name);
    return WGET_OK;
}

static void make_request(const struct wget *w, struct request *r, const char *method, const char *url,
                         bool body) {
    *r = (struct request){.method = method, .url = url, .timeout = w->timeout};
    struct text both = {0}, cookies = {0};
    headers_add(&r->headers, "User-Agent", w->agent ? w->agent : "Wget/1.21.3");
    headers_add(&r->headers, "Accept", "*/*");
    headers_add(&r->headers, "Accept-Encoding", "identity");
    if (w->user) {
        text_addf(&both, "%s:%s", w->user, w->password ? w->password : "");
        char *coded = base64(both.data, both.len);
        text_free(&both);
        text_addf(&both, "Basic %s", coded);
        headers_add(&r->headers, "Authorization", both.data);
        text_free(&both);
        free(coded);
    }
    if (w->referer) headers_add(&r->headers, "Referer", w->referer);
    jar_give(&w->jar, url, &cookies);
    if (cookies.len) headers_add(&r->headers, "Cookie", cookies.data);
    if (body && w->has_body) {
        r->has_body = true;
        text_add(&r->body, w->body, w->body_len);
        headers_add(&r->headers, "Content-Type", "application/x-www-form-urlencoded");
    }
    for (size_t i = 0; i < w->headers.count; i++) {
        headers_remove(&r->headers, w->headers.items[i].name);
        headers_add(&r->headers, w->headers.items[i].name, w->headers.items[i].value);
    }
    text_free(&cookies);
}

static int network_failure(const struct response *r) {
    if (r->failure == CALL_CERTIFICATE || r->failure == CALL_TLS) return WGET_TLS;
    return r->failure == CALL_BAD_URL ? WGET_GENERIC : WGET_NETWORK;
}

static void show_answer(const struct wget *w, const struct response *r) {
    say(w, "HTTP request sent, awaiting response... %d %s\n", r->status, r->reason);
    if (!w->show) return;
    fprintf(stderr, "  HTTP/1.1 %d %s\n", r->status, r->reason);
    for (size_t i = 0; i < r->headers.count; i++)
        fprintf(stderr, "  %s: %s\n", r->headers.items[i].name, r->headers.items[i].value);
}

static int follow(struct wget *w, char **url, struct response *r) {
    const char *method = w->method ? w->method : w->spider ? "HEAD" : w->has_body ? "POST" : "GET";
    bool body = true;
    for (long hops = 0;; hops++) {
        struct request request;
        say(w, "--  %s\n", *url);
        make_request(w, &request, method, *url, body);
        call_make(&request, r);
        headers_free(&request.headers);
        text_free(&request.body);
        if (r->failure) {
            if (!w->quiet) fprintf(stderr, "wget: %s\n", r->message);
            return network_failure(r);
        }
        show_answer(w, r);
        jar_take(&w->jar, *url, &r->headers);
        const char *location = headers_get(&r->headers, "Location");
        if (r->status < 300 || r->status >= 400 || r->status == 304 || !location) return WGET_OK;
        if (hops >= w->redirects) {
            if (!w->quiet) fprintf(stderr, "%ld redirections exceeded.\n", w->redirects);
            return WGET_SERVER;
        }
        say(w, "Location: %s [following]\n", location);
        char *next = url_resolve(*url, location);
        bool get = r->status == 303 || ((r->status == 301 || r->status == 302) && strcmp(method, "POST") == 0);
        if (get && strcmp(method, "HEAD") != 0) {
            method = "GET";
            body = false;
        }
        free(*url);
        *url = next;
        response_free(r);
    }
}

static int fetch(struct wget *w, const char *given) {
    char *url = url_complete(given), *user = url_take_user(url);
    struct response r = {0};
    int status = WGET_OK;
    if (user && !w->user) {
        char *colon = strchr(user, ':');
        if (colon) *colon = '\0';
        w->user = user;
        if (colon) w->password = colon + 1;
    }
    if (w->no_clobber && !w->out) {
        char *name = name_for(w, url, &r);
        if (access(name, F_OK) == 0) {
            say(w, "File '%s' already there; not retrieving.\n\n", name);
            return WGET_OK;
        }
    }
    for (long tries = 1;; tries++) {
        status = follow(w, &url, &r);
        bool again = status == WGET_NETWORK && !r.denied && r.failure == CALL_TIMEOUT;
        if (!again || (w->tries && tries >= w->tries)) break;
        response_free(&r);
    }
    if (status == WGET_OK && r.status >= 400) {
        if (!w->quiet) fprintf(stderr, "ERROR %d: %s.\n", r.status, r.reason);
        status = r.status == 401 ? WGET_AUTH : WGET_SERVER;
        if (w->on_error && !w->spider) save(w, url, &r);
    } else if (status == WGET_OK && !w->spider) {
        status = save(w, url, &r);
    } else if (status == WGET_OK) {
        say(w, "Remote file exists.\n\n");
    }
    response_free(&r);
    free(url);
    return status;
}

static int fetch_listed(struct wget *w, const char *path) {
    struct text file = {0};
    int status = WGET_OK;
    if (!curl_read_file(path, &file)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return WGET_FILE;
    }
    for (char *line = strtok(file.data, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        int one = *line ? fetch(w, line) : WGET_OK;
        if (one) status = one;
    }
    return status;
}

/* wget's own short options of two letters. */
static void spread(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-nv") == 0) argv[i] = "--no-verbose";
        if (strcmp(argv[i], "-nc") == 0) argv[i] = "--no-clobber";
    }
}

int wget_main(int argc, char **argv) {
    struct wget w = {.tries = 20, .redirects = 20};
    char *input = NULL;
    int status = WGET_OK, option;
    g_set_failure(WGET_PARSE);
    spread(argc, argv);
    g_options o = g_options_of(argc, argv, "O:qSP:i:t:T:U:vhVrmc46", longs);
    while ((option = g_option(&o)) >= 0) {
        if (option == 'h') {
            g_outs(g_help());
            return 0;
        }
        if (option == 'V' || option == G_OPTION_VERSION) {
            g_outs("GNU Wget 1.21.3 (pinfold)\n");
            return 0;
        }
        take_option(&w, option, &o, &input);
    }
    if (o.at >= argc && !input) usage("missing URL");
    if (w.document) {
        w.out = strcmp(w.document, "-") == 0 ? stdout : fopen(w.document, "w");
        if (!w.out) {
            fprintf(stderr, "%s: %s\n", w.document, strerror(errno));
            return WGET_FILE;
        }
    }
    if (input) status = fetch_listed(&w, input);
    for (int i = o.at; i < argc; i++) {
        int one = fetch(&w, argv[i]);
        if (one) status = one;
    }
    if (w.save_cookies) jar_save(&w.jar, w.save_cookies);
    return status;
}
