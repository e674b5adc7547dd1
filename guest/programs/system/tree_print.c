/*
 * tree_print.c: writes what tree.c has read, as lines, JSON or XML.
 */
#include "g_mode.h"
#include "g_out.h"
#include "g_text.h"
#include "g_time.h"
#include "lib/utf8/utf8.h"
#include "tree.h"

#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name as -q, -Q and the locale want it. */
static void put_name(const tree_options *o, const char *s) {
    if (o->quote) g_outc('"');
    for (size_t i = 0, len = strlen(s); i < len;) {
        uint32_t code = (unsigned char)s[i];
        int n = code < 0x80 ? 1 : pf_utf8_decode(s + i, len - i, &code);
        bool plain = n > 0 && pf_uni_is(code, PF_UNI_PRINT);
        if (n == 0) n = 1;
        if (plain || o->literal)
            g_out(s + i, (size_t)n);
        else if (o->question)
            g_outc('?');
        else
            for (int k = 0; k < n; k++) g_outf("\\%03o", (unsigned char)s[i + k]);
        i += (size_t)n;
    }
    if (o->quote) g_outc('"');
}

static void size_text(const tree_options *o, uint64_t size, char *out, size_t room) {
    if (!o->human) {
        snprintf(out, room, "%11" PRIu64, size);
        return;
    }
    unsigned base = o->si ? 1000 : 1024;
    if (size < base) {
        snprintf(out, room, "%4" PRIu64, size);
        return;
    }
    static const char letters[] = "KMGTPE";
    double value = (double)size;
    int power = -1;
    while (value >= base && power < 5) {
        value /= base;
        power++;
    }
    snprintf(out, room, value < 10 ? "%3.1f%c" : "%3.0f%c", value,
             o->si && power == 0 ? 'k' : letters[power]);
}

static const char *user_text(uid_t id, char out[24]) {
    struct passwd *user = getpwuid(id);
    if (user) return user->pw_name;
    snprintf(out, 24, "%u", (unsigned)id);
    return out;
}

static const char *group_text(gid_t id, char out[24]) {
    struct group *group = getgrgid(id);
    if (group) return group->gr_name;
    snprintf(out, 24, "%u", (unsigned)id);
    return out;
}

static char *time_text(const tree_options *o, const struct stat *st) {
    int64_t t = o->sort == 'c' ? st->st_ctime : st->st_mtime;
    g_civil civil;
    size_t len;
    g_civil_local(t, &civil);
    int64_t age = g_now().seconds - t;
    const char *format = o->time_format              ? o->time_format
                         : age > 15778476 || age < 0 ? "%b %e  %Y"
                                                     : "%b %e %H:%M";
    return g_strftime(format, &civil, t, 0, &len);
}

/* "[-rw-r--r-- user  12]  " */
static void put_details(const tree_options *o, const tree_node *n) {
    g_text text = {0};
    char small[24];
    if (o->inodes) g_text_addf(&text, " %7" PRIu64, (uint64_t)n->st.st_ino);
    if (o->device) g_text_addf(&text, " %3d", (int)n->st.st_dev);
    if (o->protections) {
        char mode[11];
        g_mode_string(n->st.st_mode, mode);
        g_text_addf(&text, " %s", mode);
    }
    if (o->users) g_text_addf(&text, " %-8.32s", user_text(n->st.st_uid, small));
    if (o->groups) g_text_addf(&text, " %-8.32s", group_text(n->st.st_gid, small));
    if (o->sizes) {
        char size[32];
        size_text(o, o->du ? n->total : (uint64_t)n->st.st_size, size, sizeof size);
        g_text_addf(&text, " %s", size);
    }
    if (o->times) {
        char *when = time_text(o, &n->st);
        g_text_addf(&text, " %s", when);
        free(when);
    }
    if (!text.len) return;
    g_outf("[%s]  ", text.s + 1);
    g_text_free(&text);
}

static char class_of(mode_t mode) {
    if (S_ISDIR(mode)) return '/';
    if (S_ISSOCK(mode)) return '=';
    if (S_ISFIFO(mode)) return '|';
    if (S_ISREG(mode) && mode & 0111) return '*';
    return 0;
}

static const char *color_of(mode_t mode, bool orphan) {
    if (orphan) return "\033[40;31;01m";
    if (S_ISDIR(mode))
        return mode & S_ISVTX ? (mode & 02 ? "\033[30;42m" : "\033[37;44m") : "\033[01;34m";
    if (S_ISLNK(mode)) return "\033[01;36m";
    if (S_ISFIFO(mode)) return "\033[40;33m";
    if (S_ISSOCK(mode)) return "\033[01;35m";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "\033[40;33;01m";
    if (mode & 0111) return "\033[01;32m";
    return "\033[00m";
}

static void put_colored(const tree_options *o, const char *name, mode_t mode, bool orphan) {
    if (o->color) g_outs(color_of(mode, orphan));
    put_name(o, name);
    if (o->color) g_outs("\033[0m");
}

static void put_entry(const tree_options *o, const tree_node *n) {
    put_details(o, n);
    bool link = n->target != NULL;
    put_colored(o, n->name, n->st.st_mode, link && !n->target_mode);
    if (link) {
        g_outs(" -> ");
        put_colored(o, n->target, n->target_mode, false);
    }
    char class = o->classify ? class_of(link ? n->target_mode : n->st.st_mode) : 0;
    size_t len = strlen(n->name);
    if (class && !(class == '/' && len && n->name[len - 1] == '/')) g_outc(class);
    if (n->note) g_outf("  [%s]", n->note);
    g_outc('\n');
}

static void count(tree_options *o, const tree_node *n) {
    if (n->is_directory)
        o->directory_count++;
    else
        o->file_count++;
}

static void print_lines(tree_options *o, const tree_node *n, g_text *indent) {
    /* The blanks that belong to a line of the tree do not break. */
    const char *branch = o->ascii ? "|-- " : "├── ", *corner = o->ascii ? "`-- " : "└── ";
    const char *down = o->ascii ? "|   " : "│\xc2\xa0\xc2\xa0 ", *blank = "    ";
    for (size_t i = 0; i < n->count; i++) {
        const tree_node *child = n->children[i];
        bool last = i + 1 == n->count;
        count(o, child);
        if (!o->no_indent) {
            g_out(indent->s ? indent->s : "", indent->len);
            g_outs(last ? corner : branch);
        }
        put_entry(o, child);
        size_t len = indent->len;
        g_text_adds(indent, last ? blank : down);
        print_lines(o, child, indent);
        indent->len = len;
    }
}

/* JSON and XML */

static const char *type_of(mode_t mode) {
    if (S_ISDIR(mode)) return "directory";
    if (S_ISLNK(mode)) return "link";
    if (S_ISFIFO(mode)) return "fifo";
    if (S_ISSOCK(mode)) return "socket";
    if (S_ISCHR(mode)) return "char";
    if (S_ISBLK(mode)) return "block";
    return "file";
}

static void put_escaped(const tree_options *o, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (o->format == TREE_XML) {
            const char *entity = c == '<'   ? "&lt;"
                                 : c == '>' ? "&gt;"
                                 : c == '&' ? "&amp;"
                                 : c == '"' ? "&quot;"
                                            : NULL;
            if (entity)
                g_outs(entity);
            else
                g_outc(*s);
        } else if (c == '"' || c == '\\') {
            g_outc('\\');
            g_outc(*s);
        } else if (c < 32) {
            static const char letters[] = "btn.fr";
            if (c >= 8 && c <= 13 && c != 11)
                g_outf("\\%c", letters[c - 8]);
            else
                g_outf("\\u%04x", c);
        } else {
            g_outc(*s);
        }
    }
}

static void put_attribute(const tree_options *o, const char *name, const char *value, bool number) {
    if (o->format == TREE_XML)
        g_outf(" %s=\"", name);
    else
        g_outf(",\"%s\":%s", name, number ? "" : "\"");
    put_escaped(o, value);
    if (o->format == TREE_XML || !number) g_outc('"');
}

static void put_attributes(const tree_options *o, const tree_node *n) {
    char text[32], small[24];
    put_attribute(o, "name", n->name, false);
    if (n->target) put_attribute(o, "target", n->target, false);
    if (o->inodes) {
        snprintf(text, sizeof text, "%" PRIu64, (uint64_t)n->st.st_ino);
        put_attribute(o, "inode", text, true);
    }
    if (o->device) {
        snprintf(text, sizeof text, "%d", (int)n->st.st_dev);
        put_attribute(o, "dev", text, true);
    }
    if (o->protections) {
        char mode[11];
        snprintf(text, sizeof text, "%04o", (unsigned)n->st.st_mode & 07777);
        put_attribute(o, "mode", text, false);
        g_mode_string(n->st.st_mode, mode);
        put_attribute(o, "prot", mode, false);
    }
    if (o->users) put_attribute(o, "user", user_text(n->st.st_uid, small), false);
    if (o->groups) put_attribute(o, "group", group_text(n->st.st_gid, small), false);
    if (o->sizes) {
        snprintf(text, sizeof text, "%" PRIu64, o->du ? n->total : (uint64_t)n->st.st_size);
        put_attribute(o, "size", text, true);
    }
    if (o->times) {
        char *when = time_text(o, &n->st);
        put_attribute(o, "time", when, false);
        free(when);
    }
}

static void print_json(tree_options *o, const tree_node *n, int depth, bool last) {
    g_out_fill(' ', (size_t)depth * 2);
    g_outf("{\"type\":\"%s\"", type_of(n->st.st_mode));
    put_attributes(o, n);
    bool inside = n->count > 0 || n->note;
    if (inside) {
        g_outs(",\"contents\":[");
        if (n->note)
            g_outf("{\"error\": \"%s\"}",
                   strcmp(n->note, "error opening dir") == 0 ? "opening dir" : n->note);
        if (n->count > 0) g_outc('\n');
        for (size_t i = 0; i < n->count; i++) {
            count(o, n->children[i]);
            print_json(o, n->children[i], depth + 1, i + 1 == n->count);
        }
        if (n->count > 0) g_out_fill(' ', (size_t)depth * 2);
        g_outc(']');
    }
    g_outs(last ? "}\n" : "},\n");
}

static void print_xml(tree_options *o, const tree_node *n, int depth) {
    const char *type = type_of(n->st.st_mode);
    g_out_fill(' ', (size_t)depth * 2);
    g_outf("<%s", type);
    put_attributes(o, n);
    g_outc('>');
    if (n->note) g_outf("<error>%s</error>", n->note);
    if (n->count > 0 || (depth == 1 && !n->note)) {
        g_outc('\n');
        for (size_t i = 0; i < n->count; i++) {
            count(o, n->children[i]);
            print_xml(o, n->children[i], depth + 1);
        }
        g_out_fill(' ', (size_t)depth * 2);
    }
    g_outf("</%s>\n", type);
}

void tree_begin(const tree_options *o) {
    if (o->format == TREE_JSON) g_outs("[\n");
    if (o->format == TREE_XML) g_outs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tree>\n");
}

void tree_print(tree_options *o, const tree_node *root, bool last_root) {
    g_text indent = {0};
    switch (o->format) {
    case TREE_LINES:
        put_entry(o, root);
        print_lines(o, root, &indent);
        break;
    case TREE_JSON: print_json(o, root, 1, last_root); break;
    case TREE_XML: print_xml(o, root, 1); break;
    }
    g_text_free(&indent);
}

static void put_report(const tree_options *o) {
    const char *directories = o->directory_count == 1 ? "directory" : "directories";
    if (o->du) {
        char size[32];
        size_text(o, o->byte_count, size, sizeof size);
        g_outf("\n %s%s used in ", size, o->human ? "" : " bytes");
        g_outf("%" PRIu64 " %s", o->directory_count, directories);
    } else {
        g_outf("\n%" PRIu64 " %s", o->directory_count, directories);
    }
    if (!o->directories_only)
        g_outf(", %" PRIu64 " file%s", o->file_count, o->file_count == 1 ? "" : "s");
    g_outc('\n');
}

void tree_end(const tree_options *o) {
    switch (o->format) {
    case TREE_LINES:
        if (!o->no_report) put_report(o);
        break;
    case TREE_JSON:
        if (!o->no_report) {
            g_outf(",\n  {\"type\":\"report\",\"directories\":%" PRIu64, o->directory_count);
            if (!o->directories_only) g_outf(",\"files\":%" PRIu64, o->file_count);
            g_outs("}\n");
        }
        g_outs("]\n");
        break;
    case TREE_XML:
        if (!o->no_report) {
            g_outf("  <report>\n    <directories>%" PRIu64 "</directories>\n", o->directory_count);
            if (!o->directories_only) g_outf("    <files>%" PRIu64 "</files>\n", o->file_count);
            g_outs("  </report>\n");
        }
        g_outs("</tree>\n");
    }
}
