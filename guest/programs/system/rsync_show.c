/*
 * rsync_show.c: what rsync prints about its work. Bytes that are sent are those of contents: there
 * is no protocol here that would add to them.
 */
#include "g_out.h"
#include "g_time.h"
#include "rsync.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_ROOM = 40 };

/* 1,234,567, or 1.23M. */
static const char *number(const rsync_work *w, double value, int digits, char out[NUMBER_ROOM]) {
    if (w->o.human && value >= 1000) {
        static const char letters[] = "KMGTPE";
        int power = 0;
        for (value /= 1000; value >= 1000 && letters[power + 1]; power++) value /= 1000;
        snprintf(out, NUMBER_ROOM, "%.2f%c", value, letters[power]);
        return out;
    }
    char plain[NUMBER_ROOM];
    snprintf(plain, sizeof plain, "%.*f", digits, value);
    size_t whole = strcspn(plain, "."), to = 0;
    for (size_t i = 0; plain[i]; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && to + 1 < NUMBER_ROOM) out[to++] = ',';
        if (to + 1 < NUMBER_ROOM) out[to++] = plain[i];
    }
    out[to] = '\0';
    return out;
}

void rsync_show_item(rsync_work *w, const rsync_item *item, const char *change, bool local) {
    if (w->o.quiet || !(w->o.itemize || (local && (w->o.verbose || w->o.progress)))) return;
    if (w->o.itemize) g_outf("%s ", change);
    g_outs(item->name);
    if (S_ISDIR(item->st.st_mode)) g_outc('/');
    if (item->link) g_outf(" -> %s", item->link);
    g_outc('\n');
}

void rsync_show_deleted(rsync_work *w, const char *name, bool directory) {
    if (w->o.quiet || !(w->o.itemize || w->o.verbose)) return;
    g_outf("%s%s%s\n", w->o.itemize ? "*deleting   " : "deleting ", name, directory ? "/" : "");
}

void rsync_show_progress(rsync_work *w, const rsync_item *item, double seconds) {
    if (!w->o.progress || w->o.quiet) return;
    char size[NUMBER_ROOM];
    double rate = seconds > 0 ? (double)item->st.st_size / seconds / 1024 : 0;
    const char *unit = rate >= 1024 * 1024 ? "GB/s" : rate >= 1024 ? "MB/s" : "kB/s";
    while (rate >= 1024 && *unit != 'k')
        rate /= rate >= 1024 * 1024 && *unit == 'G' ? 1048576 : 1024;
    unsigned whole = (unsigned)(seconds + 0.5);
    g_outf("\r%15s 100%% %7.2f%s %4u:%02u:%02u (xfr#%llu, to-chk=%zu/%zu)\n",
           number(w, (double)item->st.st_size, 0, size), rate, unit, whole / 3600, whole / 60 % 60,
           whole % 60, (unsigned long long)w->transferred, w->count - 1 - w->at, w->count);
}

/* "5 (reg: 2, dir: 2, link: 1)" */
static void put_kinds(const rsync_work *w, const char *heading, const uint64_t kinds[4]) {
    static const char *const names[] = {"reg", "dir", "link", "special"};
    char text[NUMBER_ROOM];
    uint64_t total = kinds[0] + kinds[1] + kinds[2] + kinds[3];
    const char *before = " (";
    g_outf("%s: %s", heading, number(w, (double)total, 0, text));
    for (int i = 0; i < 4; i++) {
        if (!kinds[i]) continue;
        g_outf("%s%s: %s", before, names[i], number(w, (double)kinds[i], 0, text));
        before = ", ";
    }
    g_outs(total ? ")\n" : "\n");
}

static void put_amount(const rsync_work *w, const char *heading, uint64_t value, const char *unit) {
    char text[NUMBER_ROOM];
    g_outf("%s: %s%s\n", heading, number(w, (double)value, 0, text), unit);
}

static void put_stats(const rsync_work *w) {
    uint64_t kinds[4] = {0};
    for (size_t i = 0; i < w->count; i++) {
        mode_t mode = w->items[i].st.st_mode;
        kinds[S_ISREG(mode) ? 0 : S_ISDIR(mode) ? 1 : S_ISLNK(mode) ? 2 : 3]++;
    }
    g_outc('\n');
    put_kinds(w, "Number of files", kinds);
    put_kinds(w, "Number of created files", w->created);
    put_amount(w, "Number of deleted files", w->deleted, "");
    put_amount(w, "Number of regular files transferred", w->transferred, "");
    put_amount(w, "Total file size", w->total_size, " bytes");
    put_amount(w, "Total transferred file size", w->transferred_size, " bytes");
    put_amount(w, "Literal data", w->sent, " bytes");
    g_outs("Matched data: 0 bytes\n");
    put_amount(w, "Total bytes sent", w->sent, "");
    g_outs("Total bytes received: 0\n");
}

void rsync_show_list(const rsync_work *w) {
    for (size_t i = 0; i < w->count; i++) {
        const rsync_item *item = &w->items[i];
        static const char letters[] = "rwxrwxrwx";
        char mode[11], size[NUMBER_ROOM];
        mode_t bits = item->st.st_mode;
        mode[0] = S_ISDIR(bits)    ? 'd'
                  : S_ISLNK(bits)  ? 'l'
                  : S_ISREG(bits)  ? '-'
                  : S_ISFIFO(bits) ? 'p'
                  : S_ISCHR(bits)  ? 'c'
                  : S_ISBLK(bits)  ? 'b'
                                   : 's';
        for (int k = 0; k < 9; k++) mode[k + 1] = bits & (0400 >> k) ? letters[k] : '-';
        if (bits & S_ISUID) mode[3] = bits & S_IXUSR ? 's' : 'S';
        if (bits & S_ISGID) mode[6] = bits & S_IXGRP ? 's' : 'S';
        if (bits & S_ISVTX) mode[9] = bits & S_IXOTH ? 't' : 'T';
        mode[10] = '\0';
        size_t len;
        g_civil civil;
        g_civil_local(item->st.st_mtime, &civil);
        char *when = g_strftime("%Y/%m/%d %H:%M:%S", &civil, item->st.st_mtime, 0, &len);
        g_outf("%s %14s %s %s", mode, number(w, (double)item->st.st_size, 0, size), when,
               item->name);
        free(when);
        if (item->link) g_outf(" -> %s", item->link);
        g_outc('\n');
    }
}

void rsync_show_end(const rsync_work *w, double seconds) {
    if (w->o.quiet) return;
    if (w->o.stats) put_stats(w);
    if (!w->o.verbose && !w->o.stats) return;
    char sent[NUMBER_ROOM], rate[NUMBER_ROOM], total[NUMBER_ROOM];
    double speed = (double)w->sent / (seconds + 0.5);
    g_outf("\nsent %s bytes  received 0 bytes  %s bytes/sec\n", number(w, (double)w->sent, 0, sent),
           number(w, speed, 2, rate));
    g_outf("total size is %s  speedup is %.2f%s\n", number(w, (double)w->total_size, 0, total),
           w->sent ? (double)w->total_size / (double)w->sent : 0, w->o.dry_run ? " (DRY RUN)" : "");
}
