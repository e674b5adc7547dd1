/*
 * trace.c: `pinfold trace`: a recording as one self-contained HTML page.
 *
 * The page carries the lines of the trace as they are and a small script that draws them: a lane
 * for each process and one for tool calls, over moments, and the list of lines below. Nothing is
 * fetched.
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
    fputs("usage: pinfold trace [-o HTML] FILE\n"
          "\n"
          "Turns what `pinfold run --record FILE` recorded into one HTML page that shows the run "
          "as a\n"
          "timeline: processes, tool calls and their decisions, output, limits. The page needs "
          "nothing\n"
          "but itself.\n"
          "\n"
          "  -o, --output HTML         where to; otherwise FILE.html; - is standard output\n"
          "      --help\n"
          "\n"
          "Exit status: 0; 125 when FILE is no trace or the page cannot be written.\n",
          stdout);
}

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>pinfold trace</title>\n<style>\n"
    ":root{color-scheme:light dark;--line:#8884;--call:#2a7de1;--bad:#d33c3c;--good:#2b9a4b;"
    "--out:#888;--in:#c98a00}\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem;max-width:80rem}\n"
    "h1{font-size:1.2rem;margin:0 0 .2rem}p{margin:.2rem 0 1rem;opacity:.75}\n"
    "svg{width:100%;border:1px solid var(--line);border-radius:6px;display:block}\n"
    "svg text{font:11px ui-monospace,monospace;fill:currentColor}\n"
    ".bar{fill:#8885}.call{fill:var(--call)}.denied{fill:var(--bad)}.strike{stroke:var(--in);"
    "stroke-width:2}.act{stroke:var(--good)}.out{fill:var(--out)}\n"
    "input{font:inherit;padding:.3rem .5rem;width:20rem;max-width:100%;margin:1rem 0 .5rem}\n"
    "table{border-collapse:collapse;width:100%;font:12px/1.4 ui-monospace,monospace}\n"
    "td{border-top:1px solid var(--line);padding:.2rem "
    ".5rem;vertical-align:top;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    "td:nth-child(-n+2){opacity:.6;white-space:nowrap;text-align:right}td:nth-child(3){white-space:"
    "nowrap}\n"
    "tr.do td:nth-child(3){color:var(--good)}tr.in td:nth-child(3){color:var(--in)}tr.bad td{color:"
    "var(--bad)}tr.on td{background:#fd04}\n"
    "</style></head><body><h1>pinfold trace</h1><p id=\"about\"></p><div id=\"chart\"></div>\n"
    "<input id=\"find\" placeholder=\"filter lines\" aria-label=\"filter lines\"><table "
    "id=\"lines\"></table>\n<script type=\"application/x-ndjson\" id=\"trace\">\n";

static const char page_tail[] =
    "</script>\n<script>\n"
    "const lines = document.getElementById('trace').textContent.trim().split('\\n').map(l => "
    "JSON.parse(l));\n"
    "const head = lines[0], rest = lines.slice(1).filter(l => !l.end);\n"
    "const last = Math.max(1, ...rest.map(l => l.at || 0));\n"
    "const kind = l => l.do ? 'do' : l.in ? 'in' : 'out';\n"
    "const denied = l => l.out === 'call' && !['allowed', 'ask'].includes(l.decision);\n"
    "const bad = l => denied(l) || l.do === 'fail' || ['cpu_limit', 'wall_limit', "
    "'cut'].includes(l.in)\n"
    "  || (l.out === 'result' && l.exit_code);\n"
    "document.getElementById('about').textContent = `pinfold ${head.version}, ${lines.length} "
    "lines, `\n"
    "  + `${last} moments, started ${new Date(head.start_ns / 1e6).toISOString()}`;\n"
    "// A lane for each process, from its fork or exec to its end, and one for calls.\n"
    "const lanes = new Map(), calls = new Map();\n"
    "for (const l of rest) {\n"
    "  if (l.out === 'fork' || l.out === 'exec') {\n"
    "    const lane = lanes.get(l.pid) || {from: l.at, to: last, name: l.name};\n"
    "    lane.name = l.name; lanes.set(l.pid, lane);\n"
    "  } else if (l.out === 'end') {\n"
    "    const lane = lanes.get(l.pid) || {from: 0, name: l.name};\n"
    "    lane.to = l.at; lanes.set(l.pid, lane);\n"
    "  } else if (l.out === 'call') calls.set(l.id || 'x' + l.n, {...l, to: l.id ? last : l.at});\n"
    "  else if (l.do === 'resume' || l.do === 'fail') { const c = calls.get(l.id); if (c) c.to = "
    "l.at; }\n"
    "}\n"
    "const W = 1000, left = 150, x = at => left + (W - left - 10) * at / last;\n"
    "const esc = s => String(s).replace(/[&<>\"]/g, c => `&#${c.charCodeAt(0)};`);\n"
    "let y = 8, svg = '';\n"
    "const row = (label, body) => { svg += `<text x=\"6\" y=\"${y + 11}\">${esc(label.slice(0, "
    "20))}"
    "</text>${body}`; y += 18; };\n"
    "const bar = (l, cls, title) => `<rect class=\"${cls}\" x=\"${x(l.from ?? l.at)}\" y=\"${y}\" "
    "rx=\"2\" "
    "height=\"13\" width=\"${Math.max(3, x(l.to) - x(l.from ?? "
    "l.at))}\"><title>${esc(title)}</title></rect>`;\n"
    "for (const [pid, lane] of [...lanes].slice(0, 200)) row(`${lane.name} ${pid}`, bar(lane, "
    "'bar', "
    "`${lane.name}, pid ${pid}`));\n"
    "for (const c of [...calls.values()].slice(0, 200)) row('call ' + c.method, bar(c, denied(c) ? "
    "'denied' "
    ": 'call', `${c.method} ${c.params || ''} ${c.decision} ${c.message || ''}`));\n"
    "for (const stream of ['stdout', 'stderr']) row(stream, rest.filter(l => l.out === "
    "stream).map(l => "
    "`<circle class=\"out\" r=\"3\" cx=\"${x(l.at)}\" cy=\"${y + 7}\"><title>${esc((l.text || "
    "'').slice(0, 200))}"
    "</title></circle>`).join(''));\n"
    "const mark = (l, cls) => `<line class=\"${cls}\" x1=\"${x(l.at)}\" x2=\"${x(l.at)}\" y1=\"0\" "
    "y2=\"${y}\">"
    "<title>${esc(l.do || l.in)}</title></line>`;\n"
    "svg += rest.filter(l => l.in && l.in !== 'time').map(l => mark(l, 'strike')).join('')\n"
    "  + rest.filter(l => l.do === 'start').map(l => mark(l, 'act')).join('');\n"
    "document.getElementById('chart').innerHTML = `<svg viewBox=\"0 0 ${W} ${y + 6}\" role=\"img\" "
    "aria-label=\"timeline\">${svg}</svg>`;\n"
    "const about = l => { const {n, at, sum, do: d, in: i, out: o, ...more} = l;\n"
    "  return more.code ?? more.text ?? Object.entries(more).map(([k, v]) => `${k}: ${typeof v === "
    "'string' ? "
    "v : JSON.stringify(v)}`).join('  '); };\n"
    "const table = document.getElementById('lines');\n"
    "for (const l of rest.slice(0, 5000)) {\n"
    "  const tr = table.insertRow(); tr.className = kind(l) + (bad(l) ? ' bad' : '');\n"
    "  for (const cell of [l.n, l.at, l.do || l.in || l.out, about(l)]) "
    "tr.insertCell().textContent = cell;\n"
    "}\n"
    "document.getElementById('find').oninput = e => { for (const tr of table.rows) tr.hidden = "
    "!tr.textContent.toLowerCase().includes(e.target.value.toLowerCase()); };\n"
    "</script></body></html>\n";

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
    text_puts(&page, page_head);
    add_lines(&page, &trace);
    text_puts(&page, page_tail);
    if (!output) {
        text_puts(&name, argv[optind]);
        text_puts(&name, ".html");
        output = name.data;
    }
    FILE *file = strcmp(output, "-") == 0 ? stdout : fopen(output, "w");
    if (!file || fwrite(page.data, 1, page.len, file) != page.len || fflush(file) != 0)
        die("%s: %s", output, strerror(errno));
    if (file != stdout) {
        fclose(file);
        fprintf(stderr, "%s\n", output);
    }
    free(page.data);
    free(trace.data);
    free(name.data);
    return 0;
}
