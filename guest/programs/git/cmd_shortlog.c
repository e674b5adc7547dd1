/*
 * cmd_shortlog.c: git shortlog: commits by their authors.
 */
#include "revs.h"

#include <strings.h>
#include <unistd.h>

static int by_count, summary, email, by_committer;
static const char *group, *wrap;
static const option table[] = {
    {OPT_FLAG, 'c', "committer", &by_committer, NULL, "group by committer rather than author", 0, NULL, NULL, 0},
    {OPT_FLAG, 'n', "numbered", &by_count, NULL, "sort output according to the number of commits per author", 0, NULL, NULL, 0},
    {OPT_FLAG, 's', "summary", &summary, NULL, "suppress commit descriptions, only provides commit count", 0, NULL, NULL, 0},
    {OPT_FLAG, 'e', "email", &email, NULL, "show the email address of each author", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'w', NULL, &wrap, "<w>[,<i1>[,<i2>]]", "linewrap output", 0, "76,6,9", NULL, 0},
    {OPT_STRING, 0, "group", &group, "field", "group by field", 0, NULL, NULL, 0},
    {OPT_TABLE, 0, NULL, (void *)rev_option_table, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

typedef struct {
    char *name;
    string_list subjects;
} person;
static person *people;
static size_t count, cap;

static person *person_of(const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(people[i].name, name) == 0) return &people[i];
    if (count == cap) people = g_more(people, &cap, sizeof *people);
    people[count] = (person){g_copy_string(name), {NULL, 0}};
    return &people[count++];
}

static int order(const void *a, const void *b) {
    const person *x = a, *y = b;
    if (by_count && x->subjects.count != y->subjects.count) return y->subjects.count - x->subjects.count;
    return strcmp(x->name, y->name);
}

static void add_commit(const char *name, const char *subject) {
    const char *shown = subject;
    if (strncmp(subject, "[PATCH", 6) == 0 && strchr(subject, ']')) {
        shown = strchr(subject, ']') + 1;
        while (*shown == ' ') shown++;
    }
    list_add(&person_of(name)->subjects, *shown ? shown : "<none>");
}

/* What git log printed. */
static void read_log(void) {
    g_text text = {0};
    const char *field = by_committer ? "Commit: " : "Author: ";
    read_stdin(&text);
    for (char *line = text.s, *end, *name = NULL; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        if (strncasecmp(line, field, 8) == 0) {
            char *mail = strstr(line, " <");
            if (mail && !email) *mail = '\0';
            name = line + 8;
        } else if (name && strncmp(line, "    ", 4) == 0 && line[4]) {
            add_commit(name, line + 4);
            name = NULL;
        }
    }
}

int cmd_shortlog(int argc, char **argv) {
    diff_defaults();
    revs_defaults();
    int n = options(argc, argv, table, "git shortlog [<options>] [<revision-range>] [[--] <path>...]\ngit log --pretty=short | git shortlog [<options>]", KEEP_DASHDASH | NUMBERS);
    if (wrap) die("git shortlog -w is not there: pipe through fold");
    if (group && strcmp(group, "author") != 0 && strcmp(group, "committer") != 0) die("git shortlog --group=%s is not there", group);
    if (group) by_committer = *group == 'c';
    if (!n && !revs.any && !isatty(0)) read_log(); /* so does git: its output is looked for there */
    else revs_operands(n, argv, "HEAD"), revs_start();
    for (rev *r; (n || revs.any || isatty(0)) && (r = revs_next()) != NULL;) {
        rev_parse(r);
        const git_signature *who = by_committer ? git_commit_committer(r->commit) : git_commit_author(r->commit);
        g_text name = {0};
        git_signature *real = mapped(who);
        g_text_addf(&name, email ? "%s <%s>" : "%s", real->name, real->email);
        git_signature_free(real);
        add_commit(name.s, subject_of(git_commit_message(r->commit)));
        g_text_free(&name);
    }
    if (count) qsort(people, count, sizeof *people, order);
    for (size_t i = 0; i < count; i++) {
        if (summary) {
            g_outf("%6d\t%s\n", people[i].subjects.count, people[i].name);
            continue;
        }
        g_outf("%s (%d):\n", people[i].name, people[i].subjects.count);
        for (int k = people[i].subjects.count; k-- > 0;) g_outf("      %s\n", people[i].subjects.items[k]);
        g_outc('\n');
    }
    return 0;
}
