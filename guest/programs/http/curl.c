/*
 * curl.c: curl 7.88's command line, on the tool http/request.
 *
 * Deviations: there is no progress meter; connections are the host's, which knows no proxies, client
 * certificates and -k; only http and https; several addresses are fetched one after the other.
 *
 * help curl:
 *   Usage: curl [options...] <url>
 *    -d, --data <data>          HTTP POST data
 *    -f, --fail                 Fail fast with no output on HTTP errors
 *    -h, --help                 Get help for commands
 *    -i, --include              Include protocol response headers in the output
 *    -o, --output <file>        Write to file instead of stdout
 *    -O, --remote-name          Write output to a file named as the remote file
 *    -s, --silent               Silent mode
 *    -S, --show-error           Show error even when -s is used
 *    -L, --location             Follow redirects
 *    -X, --request <method>     Specify request method to use
 *    -H, --header <header/@file> Pass custom header(s) to server
 *    -F, --form <name=content>  Specify multipart MIME data
 *        --json <data>          HTTP POST JSON
 *        --data-raw, --data-binary, --data-urlencode <data>
 *    -G, --get                  Put the post data in the URL and use GET
 *    -I, --head                 Show document info only
 *    -T, --upload-file <file>   Transfer local FILE to destination
 *    -u, --user <user:password> Server user and password
 *    -A, --user-agent <name>    Send User-Agent <name> to server
 *    -e, --referer <URL>        Referrer URL
 *    -b, --cookie <data|filename> Send cookies from string/file
 *    -c, --cookie-jar <filename> Write cookies to <filename> after operation
 *    -D, --dump-header <filename> Write the received headers to <filename>
 *    -w, --write-out <format>   Use output FORMAT after completion
 *    -m, --max-time <seconds>   Maximum time allowed for transfer
 *        --retry <num>          Retry request if transient problems occur
 *        --compressed           Request compressed response
 *        --max-redirs <num>     Maximum number of redirects allowed
 *    -v, --verbose              Make the operation more talkative
 *    -V, --version              Show version number and quit
 *
 *   Requests are calls of the tool http/request: what it allows, `tool http/request --help` says.
 */
#include "curl.h"

#include "g_program.h"

#include <stdlib.h>
#include <string.h>

/* #1 in a name is what the first glob of the address stands for. */
static char *numbered(const char *path, const struct globbed *g) {
    struct text made = {0};
    text_add(&made, "", 0);
    for (; *path; path++) {
        int n = path[0] == '#' && path[1] >= '1' && path[1] <= '9' ? path[1] - '0' : 0;
        if (n && g->parts[n]) {
            text_addz(&made, g->parts[n]);
            path++;
        } else {
            text_add(&made, path, 1);
        }
    }
    return made.data;
}

static int bad_glob(const struct curl *o, const char *url, const char *why, size_t at) {
    if (!o->silent || o->show_error) {
        if (at) fprintf(stderr, "curl: (3) %s in URL position %zu:\n%s\n%*s\n", why, at, url, (int)at, "^");
        else fprintf(stderr, "curl: (3) %s\n", why);
    }
    return 3;
}

static int fetch_all(struct curl *o, const char *pattern, const struct output *output, size_t *number) {
    const char *why;
    size_t at;
    struct globbed *list = curl_glob(pattern, o->globoff, &why, &at);
    if (!list) return bad_glob(o, pattern, why, at);
    int status = 0;
    for (struct globbed *g = list; g->url; g++) {
        struct output own = output ? *output : (struct output){NULL, o->remote_all};
        if (own.path) own.path = numbered(own.path, g);
        bool file = own.path || own.by_name;
        status = curl_transfer(o, g->url, (*number)++, file ? &own : NULL);
        if (status && o->fail_early) break;
    }
    return status;
}

int curl_main(int argc, char **argv) {
    struct curl options = {0};
    size_t number = 0;
    int status = 0;
    g_set_failure(2);
    curl_options(&options, argc, argv);
    if ((options.form != NULL) + (options.has_data && !options.get) + (options.upload != NULL) > 1 ||
        (options.head && options.has_data && !options.get)) {
        curl_warn(&options, "You can only select one HTTP request method! You asked for both %s and %s.",
                  options.head ? "HEAD (-I, --head)" : "POST (-d, --data)",
                  options.head ? "POST (-d, --data)" : options.form ? "multipart formpost (-F, --form)"
                                                                    : "PUT (-T, --upload-file)");
        return 2;
    }
    for (size_t i = 0; i < options.url_count; i++) {
        const struct output *output = i < options.output_count ? &options.outputs[i] : NULL;
        status = fetch_all(&options, options.urls[i], output, &number);
        if (status && options.fail_early) break;
    }
    if (options.jar_path && !jar_save(&options.jar, options.jar_path))
        curl_warn(&options, "failed to save cookies in %s", options.jar_path);
    return status;
}
