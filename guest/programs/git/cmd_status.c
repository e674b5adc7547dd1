/*
 * cmd_status.c: git status: in sentences, short, and for programs (porcelain v1 and v2).
 */
#include "color.h"
#include "status.h"

enum { LONG, SHORT, PORCELAIN, PORCELAIN2 };
static int format, show_branch = -1, null, verbose, ahead_behind, show_stash;
static const char *untracked_text, *ignored_text;
static bool porcelain;

static void take_porcelain(const option *o, const char *argument, bool unset) {
    (void)o;
    if (unset) format = LONG;
    else if (!argument || strcmp(argument, "v1") == 0 || strcmp(argument, "1") == 0) format = PORCELAIN;
    else if (strcmp(argument, "v2") == 0 || strcmp(argument, "2") == 0) format = PORCELAIN2;
    else die("unsupported porcelain version '%s'", argument);
}

static const char *ignored_submodules, *find_renames, *column;
static int no_renames;
static const option table[] = {
    {OPT_COUNT, 'v', "verbose", &verbose, NULL, "be verbose", 0, NULL, NULL, 0},
    {OPT_SET, 's', "short", &format, NULL, "show status concisely", SHORT, NULL, NULL, 0},
    {OPT_FLAG, 'b', "branch", &show_branch, NULL, "show branch information", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "show-stash", &show_stash, NULL, "show stash information", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "ahead-behind", &ahead_behind, NULL, "compute full ahead/behind values", 0, NULL, NULL, 0},
    {OPT_CALL_MAYBE, 0, "porcelain", NULL, "version", "machine-readable output", 0, NULL, take_porcelain, 0},
    {OPT_SET, 0, "long", &format, NULL, "show status in long format (default)", LONG, NULL, NULL, 0},
    {OPT_FLAG, 'z', "null", &null, NULL, "terminate entries with NUL", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'u', "untracked-files", &untracked_text, "mode",
     "show untracked files, optional modes: all, normal, no. (Default: all)", 0, "all", NULL, 0},
    {OPT_MAYBE, 0, "ignored", &ignored_text, "mode",
     "show ignored files, optional modes: traditional, matching, no. (Default: traditional)", 0,
     "traditional", NULL, 0},
    {OPT_MAYBE, 0, "ignore-submodules", &ignored_submodules, "when",
     "ignore changes to submodules, optional when: all, dirty, untracked. (Default: all)", 0, "all", NULL, 0},
    {OPT_MAYBE, 0, "column", &column, "style", "list untracked files in columns", 0, "", NULL, 0},
    {OPT_FLAG, 0, "no-renames", &no_renames, NULL, "do not detect renames", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'M', "find-renames", &find_renames, "n", "detect renames, optionally set similarity index", 0,
     "", NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git status [<options>] [--] [<pathspec>...]";

static char *name(const char *path) {
    char *near = porcelain ? g_copy_string(path) : relative(path), *out;
    if (null) return near;
    out = quoted(near, "");
    if (*out != '"' && strchr(out, ' ')) {
        char *wide = g_alloc(strlen(out) + 3);
        sprintf(wide, "\"%s\"", out);
        return wide;
    }
    return out;
}

static const char *updated, *changed, *untracked_code, *ignored_code, *unmerged_code;

static void prepare_colors(bool wanted) {
    updated = color_of(wanted, "status.updated", "green");
    if (wanted && !config_string("color.status.updated")) updated = color_of(wanted, "status.added", "green");
    changed = color_of(wanted, "status.changed", "red");
    untracked_code = color_of(wanted, "status.untracked", "red");
    ignored_code = untracked_code; /* git has none of its own for them */
    unmerged_code = color_of(wanted, "status.unmerged", "red");
}

static void print_letter(char letter, const char *code) {
    if (letter == ' ' || !*code) g_outc(letter);
    else g_outf("%s%c" COLOR_RESET, code, letter);
}

static void print_short(const status_list *list) {
    char end = null ? '\0' : '\n';
    const char *reset = *untracked_code ? COLOR_RESET : "";
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (c->unmerged) {
            g_outf("%s%c%c%s ", unmerged_code, c->x, c->y, *unmerged_code ? COLOR_RESET : "");
        } else {
            print_letter(c->x, updated);
            print_letter(c->y, changed);
            g_outc(' ');
        }
        if (c->from && null) {
            g_outs(name(c->path));
            g_outc('\0');
            g_outs(name(c->from));
        } else if (c->from) {
            g_outf("%s -> %s", name(c->from), name(c->path));
        } else {
            g_outs(name(c->path));
        }
        g_outc(end);
    }
    for (int i = 0; i < list->untracked.count; i++) g_outf("%s??%s %s%c", untracked_code, reset, name(list->untracked.items[i]), end);
    for (int i = 0; i < list->ignored.count; i++) g_outf("%s!!%s %s%c", ignored_code, reset, name(list->ignored.items[i]), end);
}

static void print_branch(const status_list *list) {
    char *branch = current_branch(), *up;
    size_t ahead, behind;
    bool gone;
    bool wanted = *updated || *changed;
    const char *local = color_of(wanted, "status.localbranch", "green"), *remote = color_of(wanted, "status.remotebranch", "red");
    const char *detached = color_of(wanted, "status.nobranch", "red"), *reset = wanted ? COLOR_RESET : "";
    g_outs("## ");
    if (!branch) {
        g_outf("%sHEAD (no branch)%s", detached, reset);
    } else {
        g_outf("%s%s%s%s", list->initial ? "No commits yet on " : "", local, branch, reset);
        if (tracking(branch, &up, &ahead, &behind, &gone)) {
            g_outf("...%s%s%s", remote, up, reset);
            if (gone) g_outs(" [gone]");
            else if (ahead && behind) g_outf(" [ahead %s%zu%s, behind %s%zu%s]", local, ahead, reset, remote, behind, reset);
            else if (ahead) g_outf(" [ahead %s%zu%s]", local, ahead, reset);
            else if (behind) g_outf(" [behind %s%zu%s]", remote, behind, reset);
        }
    }
    g_outc(null ? '\0' : '\n');
}

static void branch_v2(const status_list *list) {
    char *branch = current_branch(), *up;
    size_t ahead, behind;
    bool gone;
    char end = null ? '\0' : '\n';
    g_outf("# branch.oid %s%c", list->initial ? "(initial)" : full_id(git_commit_id(head_commit())), end);
    g_outf("# branch.head %s%c", branch ? branch : "(detached)", end);
    if (!branch || !tracking(branch, &up, &ahead, &behind, &gone)) return;
    g_outf("# branch.upstream %s%c", up, end);
    if (!gone && !list->initial) g_outf("# branch.ab +%zu -%zu%c", ahead, behind, end);
}

static char dot(char c) { return c == ' ' ? '.' : c; }

static char *name_v2(const char *path) { return null ? g_copy_string(path) : quoted(path, ""); }

static void print_v2(const status_list *list) {
    char end = null ? '\0' : '\n';
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (c->unmerged) continue;
        g_outf("%c %c%c N... %06o %06o %06o %s %s ", c->from ? '2' : '1', dot(c->x), dot(c->y), c->mode_head,
               c->mode_index, c->y == ' ' ? c->mode_index : c->mode_tree, full_id(&c->id_head), full_id(&c->id_index));
        if (c->from) g_outf("%c%d %s%c%s%c", c->x, c->score, name_v2(c->path), null ? '\0' : '\t', name_v2(c->from), end);
        else g_outf("%s%c", name_v2(c->path), end);
    }
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (!c->unmerged) continue;
        g_outf("u %c%c N... %06o %06o %06o %06o %s %s %s %s%c", c->x, c->y, c->modes[0], c->modes[1], c->modes[2],
               c->mode_tree, full_id(&c->ids[0]), full_id(&c->ids[1]), full_id(&c->ids[2]), name_v2(c->path), end);
    }
    for (int i = 0; i < list->untracked.count; i++) g_outf("? %s%c", name_v2(list->untracked.items[i]), end);
    for (int i = 0; i < list->ignored.count; i++) g_outf("! %s%c", name_v2(list->ignored.items[i]), end);
}

static int untracked_mode(void) {
    const char *text = untracked_text ? untracked_text : config_string("status.showuntrackedfiles");
    if (!text || strcmp(text, "normal") == 0) return UNTRACKED_NORMAL;
    if (strcmp(text, "all") == 0) return UNTRACKED_ALL;
    if (strcmp(text, "no") == 0) return UNTRACKED_NO;
    die("Invalid untracked files mode '%s'", text);
}

static int count_stash(size_t index, const char *message, const git_oid *id, void *payload) {
    (void)index, (void)message, (void)id;
    ++*(int *)payload;
    return 0;
}

static void add_stashes(g_text *out) {
    int count = 0;
    git_stash_foreach(repo, count_stash, &count);
    if (count) g_text_addf(out, "Your stash currently has %d entr%s\n", count, count == 1 ? "y" : "ies");
}

int cmd_status(int argc, char **argv) {
    int count = options(argc, argv, table, usage, 0);
    status_no_renames = no_renames;
    status_list list;
    pathspec paths;
    pathspec_parse(&paths, count, argv);
    if (null && format == LONG) format = PORCELAIN;
    porcelain = format == PORCELAIN;
    if (format == LONG && config_bool("status.short", false)) format = SHORT;
    if (show_branch < 0) show_branch = format == SHORT && config_bool("status.branch", false);
    int untracked = untracked_mode();
    bool ignored = ignored_text && strcmp(ignored_text, "no") != 0;
    bool colored = format != PORCELAIN && format != PORCELAIN2 && color_wanted(COLOR_UNSET, "status");
    status_colored = colored;
    prepare_colors(colored);
    status_collect(&list, head_tree(), untracked, ignored, &paths);
    if (format == LONG) {
        g_text out = {0};
        status_long(&out, &list, false, untracked, config_bool("advice.statushints", true), false);
        if (show_stash) add_stashes(&out);
        g_out(out.s, out.len);
    } else if (format == PORCELAIN2) {
        if (show_branch) branch_v2(&list);
        print_v2(&list);
    } else {
        if (show_branch) print_branch(&list);
        print_short(&list);
    }
    return 0;
}
