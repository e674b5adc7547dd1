/*
 * ls_print.c: one listing as text: long, in columns, across, with commas, or one per line.
 */
#include "g_mode.h"
#include "g_out.h"
#include "ls.h"
#include "pf.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Widths of the columns of this listing. */
typedef struct {
    int inode, blocks, links, user, group, author, size, major, minor;
    bool devices;
} widths;

/* Names of the last user and group that were looked up. */
typedef struct {
    uid_t uid;
    gid_t gid;
    bool has_user, has_group;
    char user[64], group[64];
} names;

static const char *user_name(const ls_options *o, names *n, uid_t uid) {
    if (n->has_user && n->uid == uid) return n->user;
    struct passwd *p = o->numeric ? NULL : getpwuid(uid);
    n->has_user = true;
    n->uid = uid;
    g_text t = {0};
    if (p) g_text_adds(&t, p->pw_name);
    else g_text_addf(&t, "%lu", (unsigned long)uid);
    strncpy(n->user, t.s, sizeof n->user - 1);
    g_text_free(&t);
    return n->user;
}

static const char *group_name(const ls_options *o, names *n, gid_t gid) {
    if (n->has_group && n->gid == gid) return n->group;
    struct group *g = o->numeric ? NULL : getgrgid(gid);
    n->has_group = true;
    n->gid = gid;
    g_text t = {0};
    if (g) g_text_adds(&t, g->gr_name);
    else g_text_addf(&t, "%lu", (unsigned long)gid);
    strncpy(n->group, t.s, sizeof n->group - 1);
    g_text_free(&t);
    return n->group;
}

static int digits(uint64_t value) {
    int n = 1;
    while (value >= 10) {
        value /= 10;
        n++;
    }
    return n;
}

static uint64_t blocks_of(const ls_file *f) { return (uint64_t)f->st.st_blocks * 512; }

static char mark_of(const ls_options *o, mode_t mode, bool has_stat) {
    if (o->mark == LS_NO_MARK) return 0;
    if (S_ISDIR(mode)) return '/';
    if (o->mark == LS_SLASH) return 0;
    if (S_ISLNK(mode)) return '@';
    if (S_ISFIFO(mode)) return '|';
    if (S_ISSOCK(mode)) return '=';
    return o->mark == LS_CLASSIFY && has_stat && S_ISREG(mode) && mode & 0111 ? '*' : 0;
}

/* A space in front of unquoted names keeps the quoted ones in line with them. */
static bool aligns_quotes(const ls_options *o, const ls_list *list) {
    return list->any_quoted &&
           (o->quote == LS_SHELL || o->quote == LS_SHELL_ESCAPE || o->quote == LS_C_MAYBE) &&
           (o->format == LS_LONG || ((o->format == LS_COLUMNS || o->format == LS_ACROSS) && o->line_width));
}

/* A name, as a link that terminals open where --hyperlink asks for it. */
static void put_linked(const ls_options *o, const ls_file *f, const char *shown, size_t len) {
    if (f->path) g_outf("\033]8;;file://%s%s\a", o->hyperlink_host, f->path);
    g_out(shown, len);
    if (f->path) g_outs("\033]8;;\a");
}

static void put_name(const ls_options *o, const ls_list *list, const ls_file *f) {
    if (aligns_quotes(o, list) && !f->quoted) g_outc(' ');
    bool colored = false;
    if (o->color) {
        bool link = S_ISLNK(f->st.st_mode);
        mode_t mode = link && ls_color_link_target() && f->target_ok ? f->target_mode : f->st.st_mode;
        colored = ls_color_start(f->name, mode, f->has_stat, link && !f->target_ok, f->st.st_nlink);
    }
    put_linked(o, f, f->shown, f->shown_len);
    if (colored) ls_color_end();
}

static void put_mark(const ls_options *o, mode_t mode, bool has_stat) {
    char mark = mark_of(o, mode, has_stat);
    if (mark) g_outc(mark);
}

static size_t width_of(const ls_options *o, const ls_list *list, const ls_file *f, const widths *w) {
    size_t width = f->width + (mark_of(o, f->st.st_mode, f->has_stat) != 0);
    char text[G_HUMAN_SIZE];
    bool commas = o->format == LS_COMMAS;
    if (o->inode) width += 1 + (size_t)(commas ? digits(f->st.st_ino) : w->inode);
    if (o->blocks)
        width += 1 + (commas ? strlen(g_human(blocks_of(f), &o->block_size, text)) : (size_t)w->blocks);
    if (o->context) width += 2;
    if (aligns_quotes(o, list) && !f->quoted) width++;
    return width;
}

static void put_prefix(const ls_options *o, const ls_file *f, const widths *w) {
    char text[G_HUMAN_SIZE];
    bool commas = o->format == LS_COMMAS;
    if (o->inode) g_outf("%*llu ", commas ? 0 : w->inode, (unsigned long long)f->st.st_ino);
    if (o->blocks)
        g_outf("%*s ", commas ? 0 : w->blocks,
               f->has_stat ? g_human(blocks_of(f), &o->block_size, text) : "?");
    if (o->context && o->format != LS_LONG) g_outs("? ");
}

static void put_short(const ls_options *o, const ls_list *list, const ls_file *f, const widths *w) {
    put_prefix(o, f, w);
    put_name(o, list, f);
    put_mark(o, f->st.st_mode, f->has_stat);
}

static void put_date(const ls_options *o, const ls_file *f, g_moment now) {
    struct timespec t = o->time == LS_CTIME   ? f->st.st_ctim
                        : o->time == LS_ATIME ? f->st.st_atim
                                              : f->st.st_mtim;
    if (o->time == LS_BTIME)
        t = (struct timespec){(time_t)(f->born / 1000000000), (long)(f->born % 1000000000)};
    int64_t half_year = 31556952 / 2;
    bool future = t.tv_sec > now.seconds || (t.tv_sec == now.seconds && t.tv_nsec > now.nanoseconds);
    bool recent = t.tv_sec > now.seconds - half_year && !future;
    g_civil civil;
    g_civil_local(t.tv_sec, &civil);
    size_t len;
    char *text = g_strftime(recent ? o->recent_format : o->old_format, &civil, t.tv_sec,
                            (int)t.tv_nsec, &len);
    g_out(text, len);
    g_outc(' ');
    free(text);
}

static void put_long(const ls_options *o, const ls_list *list, const ls_file *f, const widths *w,
                     names *n, g_moment now) {
    char mode[11], text[G_HUMAN_SIZE];
    put_prefix(o, f, w);
    if (!f->has_stat) {
        g_mode_string(f->st.st_mode, mode);
        g_outf("%c????????? %*s ", mode[0], w->links, "?");
        if (!o->no_owner) g_outf("%-*s ", w->user, "?");
        if (!o->no_group) g_outf("%-*s ", w->group, "?");
        g_outf("%*s %*s ", w->size, "?", 12, "?");
        put_name(o, list, f);
        return;
    }
    g_mode_string(f->st.st_mode, mode);
    g_outf("%s %*llu ", mode, w->links, (unsigned long long)f->st.st_nlink);
    if (!o->no_owner) g_outf("%-*s ", w->user, user_name(o, n, f->st.st_uid));
    if (!o->no_group) g_outf("%-*s ", w->group, group_name(o, n, f->st.st_gid));
    if (o->author) g_outf("%-*s ", w->user, user_name(o, n, f->st.st_uid));
    if (o->context) g_outs("? ");
    if (S_ISCHR(f->st.st_mode) || S_ISBLK(f->st.st_mode)) {
        int gap = w->size - (w->major + 2 + w->minor);
        g_outf("%*u, %*u ", w->major + (gap > 0 ? gap : 0), (unsigned)major(f->st.st_rdev), w->minor,
               (unsigned)minor(f->st.st_rdev));
    } else {
        g_outf("%*s ", w->size, g_human((uint64_t)f->st.st_size, &o->file_size, text));
    }
    put_date(o, f, now);
    put_name(o, list, f);
    if (!S_ISLNK(f->st.st_mode)) {
        put_mark(o, f->st.st_mode, true);
        return;
    }
    if (!f->target) return;
    g_outs(" -> ");
    ls_file target = {.name = f->target};
    ls_quote_name(o, &target);
    bool colored = o->color && ls_color_shows_targets() &&
                   ls_color_start(f->target, f->target_ok ? f->target_mode : S_IFLNK, f->target_ok,
                                  !f->target_ok, 1);
    put_linked(o, f, target.shown, target.shown_len);
    if (colored) ls_color_end();
    free(target.shown);
    if (f->target_ok) put_mark(o, f->target_mode, true);
}

static void grow(int *width, int value) {
    if (value > *width) *width = value;
}

static widths measure(const ls_options *o, const ls_list *list, names *n) {
    widths w = {0};
    char text[G_HUMAN_SIZE];
    for (size_t i = 0; i < list->count; i++) {
        const ls_file *f = &list->files[i];
        if (o->inode) grow(&w.inode, digits(f->st.st_ino));
        if (o->blocks)
            grow(&w.blocks, f->has_stat ? (int)strlen(g_human(blocks_of(f), &o->block_size, text)) : 1);
        if (o->format != LS_LONG) continue;
        if (!f->has_stat) {
            grow(&w.links, 1);
            grow(&w.user, 1);
            grow(&w.group, 1);
            grow(&w.size, 1);
            continue;
        }
        grow(&w.links, digits(f->st.st_nlink));
        grow(&w.user, (int)g_text_width(user_name(o, n, f->st.st_uid), strlen(n->user)));
        grow(&w.group, (int)g_text_width(group_name(o, n, f->st.st_gid), strlen(n->group)));
        if (S_ISCHR(f->st.st_mode) || S_ISBLK(f->st.st_mode)) {
            grow(&w.major, digits(major(f->st.st_rdev)));
            grow(&w.minor, digits(minor(f->st.st_rdev)));
            grow(&w.size, w.major + 2 + w.minor);
        } else {
            grow(&w.size, (int)strlen(g_human((uint64_t)f->st.st_size, &o->file_size, text)));
        }
    }
    return w;
}

static void indent(const ls_options *o, size_t from, size_t to) {
    while (from < to) {
        if (o->tab && to / o->tab > (from + 1) / o->tab) {
            g_outc('\t');
            from += o->tab - from % o->tab;
        } else {
            g_outc(' ');
            from++;
        }
    }
}

/* The most columns whose lines fit, with the width of each in `columns`. */
static size_t fit_columns(const ls_options *o, const ls_list *list, const widths *w,
                          size_t *columns) {
    size_t most = o->line_width / 3 + (o->line_width % 3 != 0);
    if (most < 1) most = 1;
    if (most > list->count) most = list->count;
    for (size_t count = most; count > 1; count--) {
        size_t rows = (list->count + count - 1) / count, total = 0;
        /* As GNU: whether it fits is asked only when a column grows beyond its three. */
        for (size_t c = 0; c < count; c++) columns[c] = 3;
        total = 3 * count;
        bool fits = true;
        for (size_t i = 0; i < list->count; i++) {
            size_t column = o->format == LS_ACROSS ? i % count : i / rows;
            size_t width = width_of(o, list, &list->files[i], w) + (column == count - 1 ? 0 : 2);
            if (width > columns[column]) {
                total += width - columns[column];
                columns[column] = width;
                fits = fits && total < o->line_width;
            }
        }
        pf_yield();
        if (fits) return count;
    }
    return 1;
}

static void print_columns(const ls_options *o, const ls_list *list, const widths *w) {
    size_t *columns = g_resize(NULL, list->count + 1, sizeof *columns);
    size_t count = fit_columns(o, list, w, columns);
    size_t rows = (list->count + count - 1) / count;
    if (o->format == LS_ACROSS) {
        size_t position = 0;
        for (size_t i = 0; i < list->count; i++) {
            if (i % count == 0 && i > 0) {
                g_outc(o->end);
                position = 0;
            } else if (i > 0) {
                size_t next = 0;
                for (size_t c = 0; c < i % count; c++) next += columns[c];
                indent(o, position, next);
                position = next;
            }
            put_short(o, list, &list->files[i], w);
            position += width_of(o, list, &list->files[i], w);
        }
        g_outc(o->end);
    }
    for (size_t row = 0; o->format == LS_COLUMNS && row < rows; row++) {
        size_t position = 0, next = 0;
        for (size_t c = 0, i = row; i < list->count; c++, i += rows) {
            if (c > 0) indent(o, position, next);
            put_short(o, list, &list->files[i], w);
            position = next + width_of(o, list, &list->files[i], w);
            next += columns[c];
        }
        g_outc(o->end);
    }
    free(columns);
}

/* As columns would be, but the line width has no limit: two spaces between names. */
static void print_separated(const ls_options *o, const ls_list *list, const widths *w,
                            char separator) {
    size_t position = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t len = o->line_width ? width_of(o, list, &list->files[i], w) : 0;
        if (i > 0) {
            bool fits = !o->line_width || position + len + 2 < o->line_width;
            if (separator) g_outc(separator);
            g_outc(fits ? ' ' : o->end);
            if (!separator && fits) g_outc(' ');
            position = fits ? position + 2 : 0;
        }
        put_short(o, list, &list->files[i], w);
        position += len;
    }
    g_outc(o->end);
}

void ls_print(const ls_options *o, const ls_list *list, const ls_list *measured) {
    if (list->count == 0) return;
    names n = {0};
    widths w = measure(o, measured, &n);
    switch (o->format) {
    case LS_LONG: {
        g_moment now = g_now();
        for (size_t i = 0; i < list->count; i++) {
            put_long(o, list, &list->files[i], &w, &n, now);
            g_outc(o->end);
        }
        break;
    }
    case LS_ONE:
        for (size_t i = 0; i < list->count; i++) {
            put_short(o, list, &list->files[i], &w);
            g_outc(o->end);
        }
        break;
    case LS_COMMAS: print_separated(o, list, &w, ','); break;
    case LS_COLUMNS: case LS_ACROSS:
        if (o->line_width) print_columns(o, list, &w);
        else print_separated(o, list, &w, 0);
        break;
    }
}

void ls_print_total(const ls_options *o, const ls_list *list) {
    uint64_t total = 0;
    char text[G_HUMAN_SIZE];
    for (size_t i = 0; i < list->count; i++)
        if (list->files[i].has_stat) total += blocks_of(&list->files[i]);
    g_outf("total %s", g_human(total, &o->block_size, text));
    g_outc(o->end);
}
