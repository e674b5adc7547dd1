/*
 * curl_options.c: curl's command line. Letters stand together (-sSL), a value is attached or apart, long
 * names may be shortened as long as they are one option's, and --no- turns a switch off.
 */
#include "curl.h"

#include "g_program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum kind { SWITCH, VALUE, NUMBER, SECONDS, IGNORED, IGNORED_VALUE, REFUSED, REFUSED_VALUE };

enum what {
    NOTHING, REQUEST, DATA, HEADER, OUTPUT, REMOTE_NAME, USER, FORM, FORM_STRING, COOKIE, COOKIE_JAR,
    AGENT, REFERER, URL, UPLOAD, WRITE_OUT, DUMP, RANGE, RESUME, BEARER, OUTPUT_DIR, MAX_TIME, CONNECT,
    MAX_REDIRECTS, RETRY, RETRY_DELAY, RETRY_MAX, MAX_SIZE, HELP, VERSION, CONFIG, HEAD, GET, FLAG,
    REMOTE_ALL, TRUSTED, NEXT, URL_QUERY,
};

struct option {
    char letter; /* 0: none */
    const char *name;
    enum kind kind;
    enum what what;
    size_t flag; /* of FLAG: where in struct curl */
    const char *why; /* of REFUSED */
};

#define AT(member) FLAG, offsetof(struct curl, member), NULL
#define TLS "connections are the host's, which verifies certificates by its own store"
#define PROXY "connections are the host's, which decides how they go"

static const struct option options_known[] = {
    {'X', "request", VALUE, REQUEST, 0, NULL},
    {'d', "data", VALUE, DATA, 0, NULL},
    {0, "data-ascii", VALUE, DATA, 0, NULL},
    {0, "data-raw", VALUE, DATA, 0, NULL},
    {0, "data-binary", VALUE, DATA, 0, NULL},
    {0, "data-urlencode", VALUE, DATA, 0, NULL},
    {0, "json", VALUE, DATA, 0, NULL},
    {'H', "header", VALUE, HEADER, 0, NULL},
    {'o', "output", VALUE, OUTPUT, 0, NULL},
    {'O', "remote-name", SWITCH, REMOTE_NAME, 0, NULL},
    {0, "remote-name-all", SWITCH, REMOTE_ALL, 0, NULL},
    {'J', "remote-header-name", SWITCH, AT(remote_header_name)},
    {0, "output-dir", VALUE, OUTPUT_DIR, 0, NULL},
    {0, "create-dirs", SWITCH, AT(create_dirs)},
    {'L', "location", SWITCH, AT(location)},
    {0, "location-trusted", SWITCH, TRUSTED, 0, NULL},
    {'s', "silent", SWITCH, AT(silent)},
    {'S', "show-error", SWITCH, AT(show_error)},
    {'f', "fail", SWITCH, AT(fail)},
    {0, "fail-with-body", SWITCH, AT(fail_body)},
    {0, "fail-early", SWITCH, AT(fail_early)},
    {'i', "include", SWITCH, AT(include)},
    {0, "show-headers", SWITCH, AT(include)},
    {'I', "head", SWITCH, HEAD, 0, NULL},
    {'G', "get", SWITCH, GET, 0, NULL},
    {'v', "verbose", SWITCH, AT(verbose)},
    {'g', "globoff", SWITCH, AT(globoff)},
    {'u', "user", VALUE, USER, 0, NULL},
    {0, "oauth2-bearer", VALUE, BEARER, 0, NULL},
    {'F', "form", VALUE, FORM, 0, NULL},
    {0, "form-string", VALUE, FORM_STRING, 0, NULL},
    {'b', "cookie", VALUE, COOKIE, 0, NULL},
    {'c', "cookie-jar", VALUE, COOKIE_JAR, 0, NULL},
    {'j', "junk-session-cookies", SWITCH, AT(session_cookies)},
    {'A', "user-agent", VALUE, AGENT, 0, NULL},
    {'e', "referer", VALUE, REFERER, 0, NULL},
    {0, "url", VALUE, URL, 0, NULL},
    {0, "url-query", VALUE, URL_QUERY, 0, NULL},
    {'T', "upload-file", VALUE, UPLOAD, 0, NULL},
    {'w', "write-out", VALUE, WRITE_OUT, 0, NULL},
    {'D', "dump-header", VALUE, DUMP, 0, NULL},
    {'r', "range", VALUE, RANGE, 0, NULL},
    {'C', "continue-at", VALUE, RESUME, 0, NULL},
    {'m', "max-time", SECONDS, MAX_TIME, 0, NULL},
    {0, "connect-timeout", SECONDS, CONNECT, 0, NULL},
    {0, "max-redirs", NUMBER, MAX_REDIRECTS, 0, NULL},
    {0, "retry", NUMBER, RETRY, 0, NULL},
    {0, "retry-delay", NUMBER, RETRY_DELAY, 0, NULL},
    {0, "retry-max-time", NUMBER, RETRY_MAX, 0, NULL},
    {0, "retry-all-errors", SWITCH, AT(retry_all)},
    {0, "retry-connrefused", SWITCH, AT(retry_refused)},
    {0, "max-filesize", VALUE, MAX_SIZE, 0, NULL},
    {0, "compressed", SWITCH, AT(compressed)},
    {0, "post301", SWITCH, AT(post301)},
    {0, "post302", SWITCH, AT(post302)},
    {0, "post303", SWITCH, AT(post303)},
    {0, "path-as-is", SWITCH, AT(path_as_is)},
    {'h', "help", SWITCH, HELP, 0, NULL},
    {'V', "version", SWITCH, VERSION, 0, NULL},
    {'q', "disable", IGNORED, NOTHING, 0, NULL},
    {'N', "no-buffer", IGNORED, NOTHING, 0, NULL},
    {'#', "progress-bar", IGNORED, NOTHING, 0, NULL},
    {0, "progress-meter", IGNORED, NOTHING, 0, NULL},
    {0, "buffer", IGNORED, NOTHING, 0, NULL},
    {'4', "ipv4", IGNORED, NOTHING, 0, NULL},
    {'6', "ipv6", IGNORED, NOTHING, 0, NULL},
    {'0', "http1.0", IGNORED, NOTHING, 0, NULL},
    {0, "http1.1", IGNORED, NOTHING, 0, NULL},
    {0, "http2", IGNORED, NOTHING, 0, NULL},
    {0, "http2-prior-knowledge", IGNORED, NOTHING, 0, NULL},
    {0, "http3", IGNORED, NOTHING, 0, NULL},
    {0, "basic", IGNORED, NOTHING, 0, NULL},
    {0, "anyauth", IGNORED, NOTHING, 0, NULL},
    {0, "tcp-nodelay", IGNORED, NOTHING, 0, NULL},
    {0, "tcp-fastopen", IGNORED, NOTHING, 0, NULL},
    {0, "keepalive", IGNORED, NOTHING, 0, NULL},
    {0, "no-keepalive", IGNORED, NOTHING, 0, NULL},
    {0, "styled-output", IGNORED, NOTHING, 0, NULL},
    {0, "no-sessionid", IGNORED, NOTHING, 0, NULL},
    {'Z', "parallel", IGNORED, NOTHING, 0, NULL},
    {'1', "tlsv1", IGNORED, NOTHING, 0, NULL},
    {0, "tlsv1.2", IGNORED, NOTHING, 0, NULL},
    {0, "tlsv1.3", IGNORED, NOTHING, 0, NULL},
    {0, "ssl-reqd", IGNORED, NOTHING, 0, NULL},
    {0, "expect100-timeout", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "keepalive-time", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "parallel-max", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "limit-rate", IGNORED_VALUE, NOTHING, 0, NULL},
    {'Y', "speed-limit", IGNORED_VALUE, NOTHING, 0, NULL},
    {'y', "speed-time", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "proto", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "proto-default", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "proto-redir", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "tls-max", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "ciphers", IGNORED_VALUE, NOTHING, 0, NULL},
    {0, "noproxy", IGNORED_VALUE, NOTHING, 0, NULL},
    {'k', "insecure", REFUSED, NOTHING, 0, TLS},
    {0, "cacert", REFUSED_VALUE, NOTHING, 0, TLS},
    {0, "capath", REFUSED_VALUE, NOTHING, 0, TLS},
    {'E', "cert", REFUSED_VALUE, NOTHING, 0, TLS},
    {0, "key", REFUSED_VALUE, NOTHING, 0, TLS},
    {0, "pinnedpubkey", REFUSED_VALUE, NOTHING, 0, TLS},
    {'x', "proxy", REFUSED_VALUE, NOTHING, 0, PROXY},
    {'U', "proxy-user", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "socks5", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "socks5-hostname", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "resolve", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "connect-to", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "interface", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "unix-socket", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "dns-servers", REFUSED_VALUE, NOTHING, 0, PROXY},
    {0, "digest", REFUSED, NOTHING, 0, "only Basic credentials and bearer tokens are sent"},
    {0, "ntlm", REFUSED, NOTHING, 0, "only Basic credentials and bearer tokens are sent"},
    {0, "negotiate", REFUSED, NOTHING, 0, "only Basic credentials and bearer tokens are sent"},
    {0, "aws-sigv4", REFUSED_VALUE, NOTHING, 0, "only Basic credentials and bearer tokens are sent"},
    {'n', "netrc", REFUSED, NOTHING, 0, "give -u, or a secret's placeholder in a header"},
    {'K', "config", REFUSED_VALUE, NOTHING, 0, "options are read from the command line only"},
    {'z', "time-cond", REFUSED_VALUE, NOTHING, 0, "send an If-Modified-Since header with -H"},
    {'a', "append", REFUSED, NOTHING, 0, "there is no FTP"},
    {':', "next", REFUSED, NOTHING, 0, "run curl once for each"},
};
#define KNOWN (sizeof options_known / sizeof *options_known)

static _Noreturn void wrong(const char *option, const char *what) {
    if (option) fprintf(stderr, "curl: option %s: %s\n", option, what);
    fputs("curl: try 'curl --help' or 'curl --manual' for more information\n", stderr);
    g_exit(2);
}

static char **add_text(char **list, size_t *count, size_t *cap, const char *text) {
    if (*count == *cap) list = g_more(list, cap, sizeof *list);
    list[(*count)++] = g_copy_string(text);
    return list;
}

static void add_output(struct curl *o, char *path) {
    if (o->output_count == o->output_cap)
        o->outputs = g_more(o->outputs, &o->output_cap, sizeof *o->outputs);
    o->outputs[o->output_count++] = (struct output){path, path == NULL};
}

static long number(const char *shown, const char *value) {
    char *end;
    long n = strtol(value, &end, 10);
    if (end == value || *end) wrong(shown, "expected a proper numerical parameter");
    if (n < 0 && strcmp(shown, "--max-redirs") != 0) wrong(shown, "expected a positive numerical parameter");
    return n;
}

static double seconds(const char *shown, const char *value) {
    char *end;
    double n = strtod(value, &end);
    if (end == value || *end) wrong(shown, "expected a proper numerical parameter");
    if (n < 0) wrong(shown, "expected a positive numerical parameter");
    return n;
}

static int64_t size_of(const char *shown, const char *value) {
    char *end;
    int64_t n = strtoll(value, &end, 10);
    if (end == value) wrong(shown, "expected a proper numerical parameter");
    if (strchr("kK", *end) && *end) n <<= 10, end++;
    else if (strchr("mM", *end) && *end) n <<= 20, end++;
    else if (strchr("gG", *end) && *end) n <<= 30, end++;
    if (*end) wrong(shown, "unsupported unit");
    return n;
}

static void set(char **member, const char *value) {
    free(*member);
    *member = g_copy_string(value);
}

/* -b: text with = in it, or a file. */
static void set_cookie(struct curl *o, const char *value) {
    o->cookies = true;
    if (!strchr(value, '=')) {
        if (*value) jar_load(&o->jar, value, o->session_cookies);
        return;
    }
    struct text both = {0};
    if (o->cookie_text) text_addf(&both, "%s;", o->cookie_text);
    text_addz(&both, value);
    free(o->cookie_text);
    o->cookie_text = both.data;
}

static void add_query(struct curl *o, const char *value) {
    (void)o;
    (void)value;
    wrong("--url-query", "is unknown");
}

/* -H @file: a header on each line. */
static void add_header(struct curl *o, const char *value) {
    struct text file = {0};
    if (*value != '@') {
        o->headers = add_text(o->headers, &o->header_count, &o->header_cap, value);
        return;
    }
    if (!curl_read_file(value + 1, &file)) curl_warn(o, "Failed to open %s!", value + 1);
    if (!file.data) return;
    for (char *line = strtok(file.data, "\r\n"); line; line = strtok(NULL, "\r\n"))
        if (*line != '#') o->headers = add_text(o->headers, &o->header_count, &o->header_cap, line);
}

static void write_out_from(struct curl *o, const char *value) {
    struct text file = {0};
    if (*value != '@') {
        set(&o->write_out, value);
        return;
    }
    if (!curl_read_file(value + 1, &file)) wrong("-w", "error encountered when reading a file");
    set(&o->write_out, text_get(&file));
}

static void apply(struct curl *o, const struct option *option, const char *shown, const char *value,
                  bool on) {
    switch (option->what) {
    case FLAG: *(bool *)((char *)o + option->flag) = on; break;
    case REQUEST: set(&o->method, value); break;
    case DATA: curl_add_data(o, shown, value); break;
    case HEADER: add_header(o, value); break;
    case OUTPUT: add_output(o, g_copy_string(value)); break;
    case REMOTE_NAME: add_output(o, NULL); break;
    case REMOTE_ALL: o->remote_all = on; break;
    case TRUSTED: o->location = o->trusted = on; break;
    case HEAD: o->head = o->include = on; break;
    case GET: o->get = on; break;
    case USER: set(&o->user, value); break;
    case BEARER: set(&o->bearer, value); break;
    case FORM: curl_add_form(o, value, false); break;
    case FORM_STRING: curl_add_form(o, value, true); break;
    case COOKIE: set_cookie(o, value); break;
    case COOKIE_JAR:
        set(&o->jar_path, value);
        o->cookies = true;
        break;
    case AGENT: set(&o->agent, value); break;
    case REFERER: {
        char *automatic = strstr(value, ";auto");
        set(&o->referer, value);
        if (automatic) {
            o->auto_referer = true;
            o->referer[automatic - value] = '\0';
        }
        break;
    }
    case URL: o->urls = add_text(o->urls, &o->url_count, &o->url_cap, value); break;
    case URL_QUERY: add_query(o, value); break;
    case UPLOAD: set(&o->upload, value); break;
    case WRITE_OUT: write_out_from(o, value); break;
    case DUMP: set(&o->dump, value); break;
    case RANGE: set(&o->range, value); break;
    case OUTPUT_DIR: set(&o->output_dir, value); break;
    case RESUME:
        o->resumes = true;
        o->resume = strcmp(value, "-") == 0 ? -1 : number(shown, value);
        break;
    case MAX_TIME: o->max_time = seconds(shown, value); break;
    case CONNECT: o->connect_timeout = seconds(shown, value); break;
    case MAX_REDIRECTS: o->max_redirects = number(shown, value); break;
    case RETRY: o->retries = number(shown, value); break;
    case RETRY_DELAY: o->retry_delay = number(shown, value); break;
    case RETRY_MAX: o->retry_max_time = number(shown, value); break;
    case MAX_SIZE: o->max_size = size_of(shown, value); break;
    case HELP:
        fputs(g_help(), stdout);
        g_exit(0);
    case VERSION:
        puts("curl 7.88.1 (pinfold) http/request\nRelease-Date: 2023-02-20\nProtocols: http https\n"
             "Features: AsynchDNS IDN IPv6 Largefile libz SSL");
        g_exit(0);
    default: break;
    }
}

static bool takes_value(enum kind kind) {
    return kind == VALUE || kind == NUMBER || kind == SECONDS || kind == IGNORED_VALUE ||
           kind == REFUSED_VALUE;
}

static void check_refused(const struct option *option, const char *shown) {
    if (option->kind != REFUSED && option->kind != REFUSED_VALUE) return;
    fprintf(stderr, "curl: option %s: is not possible here: %s\n", shown, option->why);
    g_exit(2);
}

static const struct option *find_long(const char *name, bool *on) {
    const struct option *found = NULL;
    size_t len = strlen(name), several = 0;
    *on = true;
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(options_known[i].name, name) == 0) return &options_known[i];
        if (strncmp(options_known[i].name, name, len) == 0) found = &options_known[i], several++;
    }
    if (several > 1) {
        char shown[64];
        snprintf(shown, sizeof shown, "--%s", name);
        wrong(shown, "is ambiguous");
    }
    if (found) return found;
    if (strncmp(name, "no-", 3) != 0) return NULL;
    const struct option *option = find_long(name + 3, on);
    *on = false;
    return option && !takes_value(option->kind) ? option : NULL;
}

static const struct option *find_letter(char letter) {
    for (size_t i = 0; i < KNOWN; i++)
        if (options_known[i].letter == letter) return &options_known[i];
    return NULL;
}

/* The arguments that the option at argv[at] used besides itself. */
static int read_long(struct curl *o, int left, char **argv) {
    bool on;
    const struct option *option = find_long(argv[0] + 2, &on);
    if (!option) wrong(argv[0], "is unknown");
    char shown[64];
    snprintf(shown, sizeof shown, "--%s", option->name);
    check_refused(option, argv[0]);
    bool value = takes_value(option->kind);
    if (value && left < 2) wrong(argv[0], "requires parameter");
    apply(o, option, shown, value ? argv[1] : NULL, on);
    return value;
}

static int read_letters(struct curl *o, int left, char **argv) {
    for (const char *p = argv[0] + 1; *p; p++) {
        const struct option *option = find_letter(*p);
        char shown[3] = {'-', *p, '\0'};
        if (!option) wrong(argv[0], "is unknown");
        check_refused(option, shown);
        if (!takes_value(option->kind)) {
            apply(o, option, shown, NULL, true);
            continue;
        }
        if (p[1]) {
            apply(o, option, shown, p + 1, true);
            return 0;
        }
        if (left < 2) wrong(argv[0], "requires parameter");
        apply(o, option, shown, argv[1], true);
        return 1;
    }
    return 0;
}

void curl_options(struct curl *o, int argc, char **argv) {
    bool only_urls = false;
    o->max_redirects = 50;
    o->max_size = -1;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];
        if (only_urls || word[0] != '-' || word[1] == '\0')
            o->urls = add_text(o->urls, &o->url_count, &o->url_cap, word);
        else if (strcmp(word, "--") == 0)
            only_urls = true;
        else if (word[1] == '-')
            i += read_long(o, argc - i, argv + i);
        else
            i += read_letters(o, argc - i, argv + i);
    }
    if (o->url_count) return;
    if (argc > 1) fputs("curl: no URL specified!\n", stderr);
    wrong(NULL, NULL);
}

void curl_warn(const struct curl *o, const char *format, ...) {
    if (o->silent) return;
    va_list args;
    char text[2000];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (const char *p = text; *p;) { /* in lines, as curl breaks them */
        size_t len = strlen(p), cut = 70;
        if (len > cut)
            while (cut > 1 && p[cut - 1] != ' ') cut--;
        if (len <= 70 || cut <= 1) cut = len;
        fprintf(stderr, "Warning: %.*s\n", (int)cut, p);
        p += cut;
    }
}
