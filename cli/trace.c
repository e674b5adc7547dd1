/*
 * trace.c: `pinfold trace`: a recording as one self-contained HTML page.
 *
 * The page is joined from python/pinfold/page while building: it carries the lines of the trace as
 * they are and a script that draws them. Nothing is fetched. The Python package has this command,
 * too, which puts the files of a recording into the page.
 */
#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pinfold.h"
#include "text.h"

static void help(void) {
    fputs(
        "usage: pinfold trace [-o HTML] FILE\n"
        "\n"
        "Turns what `pinfold run --record FILE` recorded into one HTML page, which needs nothing "
        "but\n"
        "itself: every event, and processes, calls and output as they were then. With the Python\n"
        "package the page has the files as well, and `pinfold debug` serves it with a sandbox\n"
        "behind it.\n"
        "\n"
        "  -o, --output HTML         where to; otherwise FILE.html; - is standard output\n"
        "      --help\n"
        "\n"
        "Exit status: 0; 125 when FILE is no trace or the page cannot be written.\n",
        stdout);
}

/* The page, as it is; the lines go where it says @TRACE@. */
__asm__(".pushsection .rodata\n"
        "page_start: .incbin \"" TRACE_PAGE "\"\n"
        "page_stop: .byte 0\n"
        ".popsection\n");
extern const char page_start[], page_stop[];

/* Inside a script element `</` and `<!` would be read as markup. */
static void add_lines(struct text *page, const struct text *trace) {
    size_t from = 0;
    for (size_t i = 0; i < trace->len; i++)
        if (trace->data[i] == '<') {
            text_add(page, trace->data + from, i - from);
            text_puts(page, "\\u003c");
            from = i + 1;
        }
    text_add(page, trace->data + from, trace->len - from);
}

int trace_command(int argc, char **argv) {
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *output = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return 0;
        }
        if (option != 'o') {
            fputs("Try 'pinfold trace --help'.\n", stderr);
            return CLI_FAILURE;
        }
        output = optarg;
    }
    if (optind != argc - 1) die("trace: which FILE? See pinfold trace --help");
    struct text trace = {0}, page = {0}, name = {0};
    if (!text_read_file(&trace, argv[optind])) die("%s: %s", argv[optind], strerror(errno));
    pf_error error;
    if (pf_trace_check(trace.data ? trace.data : "", trace.len, true, &error) != PF_OK)
        die("%s: %s", argv[optind], error.message);
    static const char here[] = "@TRACE@";
    const char *gap = memmem(page_start, (size_t)(page_stop - page_start), here, sizeof here - 1);
    const char *after = gap + sizeof here - 1;
    text_add(&page, page_start, (size_t)(gap - page_start));
    add_lines(&page, &trace);
    text_add(&page, after, (size_t)(page_stop - after));
    if (!output) {
        text_puts(&name, argv[optind]);
        text_puts(&name, ".html");
        output = name.data;
    }
    bool shown = strcmp(output, "-") == 0;
    bool ok = shown ? fwrite(page.data, 1, page.len, stdout) == page.len && fflush(stdout) == 0
                    : text_write_file(output, page.data, page.len);
    if (!ok) die("%s: %s", output, strerror(errno));
    if (!shown) show(stderr, "%s", output);
    free(page.data);
    free(trace.data);
    free(name.data);
    return 0;
}
