/*
 * make_database.c: -p: the variables and rules that reading the makefiles left.
 */
#include "make.h"
#include "g_out.h"

#include <stdlib.h>

static void print_variables(void) {
    entry **all = table_sorted(&global_scope.table);
    g_outs("\n# Variables\n\n");
    for (size_t i = 0; i < global_scope.table.count; i++) {
        const variable *v = (const variable *)all[i];
        g_outf("# %s\n", v->origin == FROM_FILE ? "makefile" : origin_name(v));
        if (strchr(v->value, '\n'))
            g_outf("define %s\n%s\nendef\n", v->entry.name, v->value);
        else
            g_outf("%s %s %s\n", v->entry.name, v->recursive ? "=" : ":=", v->value);
    }
    free(all);
}

static void print_recipe(const recipe *r) {
    if (!r) return;
    if (r->where.line)
        g_outf("#  recipe to execute (from '%s', line %u):\n", r->where.file, r->where.line);
    else
        g_outs("#  recipe to execute (built-in):\n");
    for (size_t i = 0; i < r->count; i++) g_outf("\t%s\n", r->lines[i]);
}

static void print_rules(void) {
    g_outs("\n# Implicit Rules\n");
    for (const rule *r = rules; r; r = r->next) {
        g_outc('\n');
        for (size_t i = 0; i < r->pattern_count; i++) g_outf("%s%s", i ? " " : "", r->patterns[i]);
        g_outf(":%s %s\n", r->terminal ? ":" : "", r->deps);
        print_recipe(r->recipe);
    }
}

static void print_targets(void) {
    entry **all = table_sorted(&targets);
    g_outs("\n# Files\n");
    for (size_t i = 0; i < targets.count; i++) {
        for (const target *t = (const target *)all[i]; t; t = t->another) {
            g_outs(t->is_target ? "\n" : "\n# Not a target:\n");
            g_outf("%s:%s", t->entry.name, t->double_colon ? ":" : "");
            for (const dep *d = t->deps; d; d = d->next)
                if (!d->order_only) g_outf(" %s", d->target->entry.name);
            g_outc('\n');
            if (t->phony) g_outs("#  Phony target (prerequisite of .PHONY).\n");
            print_recipe(t->recipe);
        }
    }
    free(all);
}

void print_database(void) {
    g_outs("\n# Make data base\n");
    print_variables();
    print_rules();
    print_targets();
    g_outs("\n# Finished Make data base\n\n");
}
