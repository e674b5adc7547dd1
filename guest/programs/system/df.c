/*
 * df.c: how full file systems are.
 *
 * help df:
 *   Usage: df [OPTION]... [FILE]...
 *   Show information about the file system on which each FILE resides, or all file systems by
 *   default.
 *
 *     -a, --all             include pseudo file systems
 *     -B, --block-size=SIZE  scale sizes by SIZE before printing them
 *     -h, --human-readable  print sizes in powers of 1024 (e.g., 1023M)
 *     -H, --si              print sizes in powers of 1000 (e.g., 1.1G)
 *     -i, --inodes          list inode information instead of block usage
 *     -k                    like --block-size=1K
 *     -l, --local           (ignored)
 *         --output[=FIELD_LIST]  use the output format defined by FIELD_LIST: source, fstype,
 *                             itotal, iused, iavail, ipcent, size, used, avail, pcent, file, target
 *     -P, --portability     use the POSIX output format
 *         --total           produce a grand total
 *     -t, --type=TYPE       limit listing to file systems of type TYPE
 *     -T, --print-type      print file system type
 *     -x, --exclude-type=TYPE  limit listing to file systems not of type TYPE
 *         --help            display this help and exit
 *         --version         output version information and exit
 */
#include "g_file.h"
#include "g_human.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

typedef struct {
    char *source, *target, *type;
} mount;

enum field {
    SOURCE,
    FSTYPE,
    SIZE,
    USED,
    AVAIL,
    PCENT,
    ITOTAL,
    IUSED,
    IAVAIL,
    IPCENT,
    FILE_NAME,
    TARGET,
    FIELDS
};
static const struct {
    const char *name, *heading;
    bool left;
    size_t least;
} fields[FIELDS] = {{"source", "Filesystem", true, 14}, {"fstype", "Type", true, 4},
                    {"size", "1K-blocks", false, 5},    {"used", "Used", false, 5},
                    {"avail", "Available", false, 5},   {"pcent", "Use%", false, 4},
                    {"itotal", "Inodes", false, 5},     {"iused", "IUsed", false, 5},
                    {"iavail", "IFree", false, 5},      {"ipcent", "IUse%", false, 4},
                    {"file", "File", true, 4},          {"target", "Mounted on", true, 0}};

typedef struct {
    g_size_style style;
    enum field columns[FIELDS];
    size_t count;
    bool portable, all, total, type, chosen;
    const char *only, *except, *size_heading;
    mount *mounts;
    size_t mount_count;
    char *(*rows)[FIELDS];
    size_t row_count, row_cap;
    struct statvfs sum;
    bool failed;
} lister;

static void read_mounts(lister *l) {
    int fd = open("/proc/mounts", O_RDONLY | O_CLOEXEC);
    g_reader in;
    g_line line;
    size_t cap = 0;
    if (fd < 0) return;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        char *copy = g_copy_bytes(line.s, line.len), *save;
        char *source = strtok_r(copy, " ", &save), *target = strtok_r(NULL, " ", &save),
             *type = strtok_r(NULL, " ", &save);
        if (!type) continue;
        if (l->mount_count == cap) l->mounts = g_more(l->mounts, &cap, sizeof *l->mounts);
        l->mounts[l->mount_count++] = (mount){source, target, type};
    }
    g_reader_free(&in);
    close(fd);
}

/* The mount with the longest name above the path. */
static const mount *mount_of(const lister *l, const char *path) {
    char *full = g_canonicalize(path, G_ALL_EXIST, false);
    const mount *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; full && i < l->mount_count; i++) {
        const char *target = l->mounts[i].target;
        size_t len = strlen(target);
        bool root = strcmp(target, "/") == 0;
        if (!root && (strncmp(full, target, len) != 0 || (full[len] && full[len] != '/'))) continue;
        if (best && len < best_len) continue;
        best = &l->mounts[i];
        best_len = len;
    }
    free(full);
    return best;
}

static char *amount(const lister *l, uint64_t bytes, bool inodes) {
    char text[G_HUMAN_SIZE];
    if (inodes && !l->style.base) {
        snprintf(text, sizeof text, "%" PRIu64, bytes);
        return g_copy_string(text);
    }
    return g_copy_string(g_human(bytes, &l->style, text));
}

static char *percent(uint64_t used, uint64_t free_amount) {
    char text[16] = "-";
    uint64_t total = used + free_amount;
    if (total) snprintf(text, sizeof text, "%" PRIu64 "%%", (used * 100 + total - 1) / total);
    return g_copy_string(text);
}

static void add_row(lister *l, const mount *m, const struct statvfs *v, const char *file) {
    if (l->row_count == l->row_cap) l->rows = g_more(l->rows, &l->row_cap, sizeof *l->rows);
    char **row = l->rows[l->row_count++];
    uint64_t block = v->f_frsize ? v->f_frsize : v->f_bsize;
    row[SOURCE] = m->source;
    row[FSTYPE] = m->type;
    row[SIZE] = amount(l, v->f_blocks * block, false);
    row[USED] = amount(l, (v->f_blocks - v->f_bfree) * block, false);
    row[AVAIL] = amount(l, v->f_bavail * block, false);
    row[PCENT] = percent(v->f_blocks - v->f_bfree, v->f_bavail);
    row[ITOTAL] = amount(l, v->f_files, true);
    row[IUSED] = amount(l, v->f_files - v->f_ffree, true);
    row[IAVAIL] = amount(l, v->f_ffree, true);
    row[IPCENT] = percent(v->f_files - v->f_ffree, v->f_ffree);
    row[FILE_NAME] = g_copy_string(file);
    row[TARGET] = m->target;
    l->sum.f_frsize = 1;
    l->sum.f_blocks += v->f_blocks * block;
    l->sum.f_bfree += v->f_bfree * block;
    l->sum.f_bavail += v->f_bavail * block;
    l->sum.f_files += v->f_files;
    l->sum.f_ffree += v->f_ffree;
}

static bool wanted(const lister *l, const mount *m) {
    return (!l->only || strcmp(m->type, l->only) == 0) &&
           (!l->except || strcmp(m->type, l->except) != 0);
}

static void list_all(lister *l) {
    for (size_t i = 0; i < l->mount_count; i++) {
        struct statvfs v;
        const mount *m = &l->mounts[i];
        bool shadowed = false; /* a later mount on the same place */
        for (size_t k = i + 1; k < l->mount_count; k++)
            shadowed = shadowed || strcmp(m->target, l->mounts[k].target) == 0;
        if (shadowed || !wanted(l, m) || statvfs(m->target, &v) < 0) continue;
        if (v.f_blocks == 0 && !l->all && !l->only) continue;
        add_row(l, m, &v, "-");
    }
}

static void list_file(lister *l, const char *path) {
    struct statvfs v;
    const mount *m = mount_of(l, path);
    if (!m || statvfs(path, &v) < 0) {
        g_warn_errno(m ? errno : ENOENT, "%s", g_quotef(path));
        l->failed = true;
        return;
    }
    if (wanted(l, m)) add_row(l, m, &v, path);
}

static const char *heading_of(const lister *l, enum field field) {
    if (field == SIZE) return l->size_heading;
    if (field == AVAIL && (l->style.base || l->chosen)) return "Avail";
    if (field == PCENT && l->portable && !l->style.base) return "Capacity";
    return fields[field].heading;
}

static void put_table(const lister *l) {
    size_t widths[FIELDS];
    for (size_t i = 0; i < l->count; i++) {
        enum field f = l->columns[i];
        widths[i] = strlen(heading_of(l, f));
        if (fields[f].least > widths[i]) widths[i] = fields[f].least;
        for (size_t k = 0; k < l->row_count; k++) {
            size_t width = g_text_width(l->rows[k][f], strlen(l->rows[k][f]));
            if (width > widths[i]) widths[i] = width;
        }
    }
    for (size_t k = 0; k <= l->row_count; k++) {
        for (size_t i = 0; i < l->count; i++) {
            enum field f = l->columns[i];
            const char *text = k == 0 ? heading_of(l, f) : l->rows[k - 1][f];
            size_t pad = widths[i] - g_text_width(text, strlen(text));
            bool last = i + 1 == l->count;
            if (i) g_outc(' ');
            if (!fields[f].left) g_out_fill(' ', pad);
            g_outs(text);
            if (fields[f].left && !last) g_out_fill(' ', pad);
        }
        g_outc('\n');
    }
}

static void set_columns(lister *l, const enum field *list, size_t count) {
    memcpy(l->columns, list, count * sizeof *list);
    l->count = count;
}

static void read_columns(lister *l, const char *list) {
    static const enum field every[] = {SOURCE, FSTYPE, ITOTAL, IUSED, IAVAIL,    IPCENT,
                                       SIZE,   USED,   AVAIL,  PCENT, FILE_NAME, TARGET};
    if (!list) {
        set_columns(l, every, FIELDS);
        return;
    }
    l->count = 0;
    for (const char *s = list; *s;) {
        size_t len = strcspn(s, ",");
        size_t f = 0;
        while (f < FIELDS &&
               (strlen(fields[f].name) != len || strncmp(fields[f].name, s, len) != 0))
            f++;
        if (f == FIELDS) g_usage("option --output: field %s unknown", g_quote_bytes(s, len));
        for (size_t i = 0; i < l->count; i++)
            if (l->columns[i] == (enum field)f)
                g_usage("option --output: field %s used more than once", g_quote(fields[f].name));
        l->columns[l->count++] = (enum field)f;
        s += len + (s[len] != 0);
    }
}

static void choose_size_heading(lister *l) {
    static char text[G_HUMAN_SIZE + 16];
    if (l->style.base)
        l->size_heading = "Size";
    else if (l->portable) {
        snprintf(text, sizeof text, "%" PRIu64 "-blocks", l->style.block);
        l->size_heading = text;
    } else {
        bool binary = l->style.block % 1024 == 0, decimal = l->style.block % 1000 == 0;
        char amount_text[G_HUMAN_SIZE];
        g_human(l->style.block, &(g_size_style){.base = binary || !decimal ? 1024 : 1000},
                amount_text);
        char *dot = strstr(amount_text, ".0");
        if (dot) memmove(dot, dot + 2, strlen(dot + 2) + 1);
        snprintf(text, sizeof text, "%s%s-blocks", amount_text,
                 !binary && decimal      ? "B"
                 : l->style.block < 1024 ? "B"
                                         : "");
        l->size_heading = text;
    }
}

enum { OUTPUT = 256, TOTAL, SYNC };
static const g_long longs[] = {{"all", 'a', G_NONE},
                               {"block-size", 'B', G_REQUIRED},
                               {"inodes", 'i', G_NONE},
                               {"human-readable", 'h', G_NONE},
                               {"si", 'H', G_NONE},
                               {"local", 'l', G_NONE},
                               {"output", OUTPUT, G_OPTIONAL},
                               {"portability", 'P', G_NONE},
                               {"print-type", 'T', G_NONE},
                               {"sync", SYNC, G_NONE},
                               {"no-sync", SYNC, G_NONE},
                               {"total", TOTAL, G_NONE},
                               {"type", 't', G_REQUIRED},
                               {"exclude-type", 'x', G_REQUIRED},
                               {0}};

int df_main(int argc, char **argv) {
    static const enum field usual[] = {SOURCE, SIZE, USED, AVAIL, PCENT, TARGET};
    static const enum field typed[] = {SOURCE, FSTYPE, SIZE, USED, AVAIL, PCENT, TARGET};
    static const enum field inodes[] = {SOURCE, ITOTAL, IUSED, IAVAIL, IPCENT, TARGET};
    static const enum field typed_inodes[] = {SOURCE, FSTYPE, ITOTAL, IUSED,
                                              IAVAIL, IPCENT, TARGET};
    lister l = {0};
    g_size_style_usual("DF_BLOCK_SIZE", &l.style);
    bool by_inodes = false;
    g_options o = g_options_of(argc, argv, "aB:iF:hHklmPTt:vx:", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'a': l.all = true; break;
        case 'B':
            if (!g_size_style_parse(o.arg, &l.style))
                g_die(1, "invalid %s argument '%s'", o.name ? "--block-size" : "-B", o.arg);
            break;
        case 'h': l.style = (g_size_style){.base = 1024, .suffix = ""}; break;
        case 'H': l.style = (g_size_style){.base = 1000, .suffix = ""}; break;
        case 'i': by_inodes = true; break;
        case 'k': l.style = (g_size_style){.block = 1024, .suffix = ""}; break;
        case 'm': l.style = (g_size_style){.block = 1 << 20, .suffix = ""}; break;
        case 'P': l.portable = true; break;
        case 'T': l.type = true; break;
        case 't': l.only = o.arg; break;
        case 'x': l.except = o.arg; break;
        case OUTPUT:
            l.chosen = true;
            read_columns(&l, o.arg);
            break;
        case TOTAL: l.total = true; break;
        }
    const char *other = by_inodes ? "-i" : l.portable ? "-P" : l.type ? "-T" : NULL;
    if (l.count > 0 && other) g_usage("options %s and --output are mutually exclusive", other);
    if (l.count == 0 && by_inodes)
        set_columns(&l, l.type ? typed_inodes : inodes, l.type ? 7 : 6);
    else if (l.count == 0)
        set_columns(&l, l.type ? typed : usual, l.type ? 7 : 6);
    if (l.only && l.except && strcmp(l.only, l.except) == 0)
        g_die(1, "file system type %s both selected and excluded", g_quote(l.only));
    choose_size_heading(&l);
    read_mounts(&l);
    if (o.at == argc) list_all(&l);
    for (int i = o.at; i < argc; i++) list_file(&l, argv[i]);
    if (l.row_count == 0) {
        if (!l.failed) g_die(1, "no file systems processed");
        return 1;
    }
    if (l.total) {
        struct statvfs sum = l.sum;
        add_row(&l, &(mount){"total", "-", "-"}, &sum, "-");
    }
    put_table(&l);
    return l.failed;
}
