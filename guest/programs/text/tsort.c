/*
 * tsort.c: topological sort.
 *
 * help tsort:
 *   Usage: tsort [OPTION] [FILE]
 *   Write totally ordered list consistent with the partial ordering in FILE.
 *
 *         --help       display this help and exit
 *         --version    output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct edge {
    size_t to;
    struct edge *next;
} edge;

typedef struct {
    const char *name;
    size_t before; /* how many edges lead here and are not yet served */
    edge *after;   /* the latest first */
    bool printed;
    size_t back; /* for the search of a loop; SIZE_MAX: none */
} node;

typedef struct {
    node *nodes;
    size_t count, cap;
    size_t *table, table_size; /* open addressing: index + 1 */
    size_t *by_name; /* in byte order: the order in which GNU looks at what has no predecessor */
} graph;

static size_t hash(const char *s) {
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static void grow(graph *g) {
    g->table_size = g->table_size ? g->table_size * 2 : 256;
    free(g->table);
    g->table = g_zalloc(g->table_size * sizeof *g->table);
    for (size_t i = 0; i < g->count; i++) {
        size_t at = hash(g->nodes[i].name) % g->table_size;
        while (g->table[at]) at = (at + 1) % g->table_size;
        g->table[at] = i + 1;
    }
}

static size_t node_named(graph *g, const char *name) {
    if (g->count * 2 >= g->table_size) grow(g);
    size_t at = hash(name) % g->table_size;
    for (; g->table[at]; at = (at + 1) % g->table_size)
        if (strcmp(g->nodes[g->table[at] - 1].name, name) == 0) return g->table[at] - 1;
    if (g->count == g->cap) g->nodes = g_more(g->nodes, &g->cap, sizeof *g->nodes);
    g->nodes[g->count] = (node){.name = name, .back = SIZE_MAX};
    g->table[at] = ++g->count;
    return g->count - 1;
}

static void add_edge(graph *g, size_t from, size_t to) {
    if (from == to) return;
    edge *e = g_alloc(sizeof *e);
    *e = (edge){to, g->nodes[from].after};
    g->nodes[from].after = e;
    g->nodes[to].before++;
}

static const graph *sorted_graph; /* for the comparison only */
static int by_name(const void *a, const void *b) {
    return strcmp(sorted_graph->nodes[*(const size_t *)a].name,
                  sorted_graph->nodes[*(const size_t *)b].name);
}

/*
 * Reports a loop and removes its last edge: walks back from a node that waits until one comes
 * again, as GNU does, so that the same edges go.
 */
static void break_loop(graph *g, const char *file) {
    g_warn("%s: input contains a loop:", file);
    size_t loop = SIZE_MAX;
    for (;;) {
        for (size_t i = 0; i < g->count; i++) {
            size_t k = g->by_name[i];
            node *n = &g->nodes[k];
            if (n->before == 0) continue;
            if (loop == SIZE_MAX) {
                loop = k;
                continue;
            }
            for (edge **link = &n->after; *link; link = &(*link)->next) {
                if ((*link)->to != loop) continue;
                if (n->back == SIZE_MAX) {
                    n->back = loop;
                    loop = k;
                    break;
                }
                /* k comes again: what lies between is the loop. */
                while (loop != SIZE_MAX) {
                    size_t next = g->nodes[loop].back;
                    g_warn("%s", g->nodes[loop].name);
                    if (loop == k) {
                        edge *gone = *link;
                        g->nodes[gone->to].before--;
                        *link = gone->next;
                        free(gone);
                        break;
                    }
                    g->nodes[loop].back = SIZE_MAX;
                    loop = next;
                }
                for (size_t j = 0; j < g->count; j++) g->nodes[j].back = SIZE_MAX;
                return;
            }
        }
        pf_yield();
    }
}

static bool sort_graph(graph *g, const char *file) {
    size_t *queue = g_resize(NULL, g->count + 1, sizeof *queue);
    size_t left = g->count;
    bool good = true;
    g->by_name = g_resize(NULL, g->count + 1, sizeof *g->by_name);
    for (size_t i = 0; i < g->count; i++) g->by_name[i] = i;
    sorted_graph = g;
    qsort(g->by_name, g->count, sizeof *g->by_name, by_name);
    while (left > 0) {
        size_t head = 0, tail = 0;
        for (size_t i = 0; i < g->count; i++) {
            node *n = &g->nodes[g->by_name[i]];
            if (n->before == 0 && !n->printed) queue[tail++] = g->by_name[i];
        }
        for (; head < tail; head++) {
            node *n = &g->nodes[queue[head]];
            g_outs(n->name);
            g_outc('\n');
            n->printed = true;
            left--;
            for (edge *e = n->after; e; e = e->next)
                if (--g->nodes[e->to].before == 0) queue[tail++] = e->to;
            pf_yield();
        }
        if (left == 0) break;
        good = false;
        break_loop(g, file);
    }
    return good;
}

int tsort_main(int argc, char **argv) {
    int at = g_no_options(argc, argv);
    if (argc - at > 1) g_extra_operand(argv[at + 1]);
    const char *file = at < argc ? argv[at] : "-";
    int fd = g_open_input(file);
    if (fd < 0) return 1;
    size_t len;
    char *all = g_read_all(fd, &len);
    if (!all) g_die_errno(1, errno, "%s: read error", g_quotef(file));
    graph g = {0};
    size_t first = SIZE_MAX;
    for (char *s = all; s < all + len;) {
        while (s < all + len && (isspace((unsigned char)*s) || !*s)) s++;
        if (s == all + len) break;
        char *word = s;
        while (s < all + len && *s && !isspace((unsigned char)*s)) s++;
        *s++ = '\0';
        size_t n = node_named(&g, word);
        if (first == SIZE_MAX) {
            first = n;
        } else {
            add_edge(&g, first, n);
            first = SIZE_MAX;
        }
    }
    if (first != SIZE_MAX) g_die(1, "%s: input contains an odd number of tokens", g_quotef(file));
    return !sort_graph(&g, g_quotef(file));
}
