/*
 * proc.c: reads /proc; for ps, pgrep and pkill.
 */
#include "proc.h"
#include "g_in.h"
#include "g_text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The contents of /proc/[PID/]NAME, NULL when it is gone. */
static char *contents(pid_t pid, const char *name, size_t *len) {
    g_text path = {0};
    if (pid)
        g_text_addf(&path, "/proc/%d/%s", (int)pid, name);
    else
        g_text_addf(&path, "/proc/%s", name);
    int fd = open(path.s, O_RDONLY | O_CLOEXEC);
    g_text_free(&path);
    if (fd < 0) return NULL;
    char *text = g_read_all(fd, len);
    close(fd);
    return text;
}

double proc_uptime(void) {
    size_t len;
    char *text = contents(0, "uptime", &len);
    double value = text ? strtod(text, NULL) : 0;
    free(text);
    return value;
}

static bool read_stat(process *p) {
    size_t len;
    char *text = contents(p->pid, "stat", &len);
    char *open = text ? strchr(text, '(') : NULL, *close = text ? strrchr(text, ')') : NULL;
    if (!open || !close || close < open) {
        free(text);
        return false;
    }
    p->name = g_copy_bytes(open + 1, (size_t)(close - open - 1));
    int64_t fields[25] = {0}; /* from the third on, counted from 3 */
    char *s = close + 2;
    p->state = *s ? *s++ : '?';
    for (int i = 4; i < 25 && *s; i++) fields[i] = strtoll(s, &s, 10);
    p->ppid = (pid_t)fields[4];
    p->pgid = (pid_t)fields[5];
    p->sid = (pid_t)fields[6];
    p->ticks = (uint64_t)(fields[14] + fields[15]);
    p->nice = (int)fields[19];
    p->threads = (int)fields[20];
    p->start = (uint64_t)fields[22];
    p->vsize = (uint64_t)fields[23];
    p->rss = (uint64_t)fields[24] * 4096;
    free(text);
    return true;
}

static void read_owner(process *p) {
    size_t len;
    char *text = contents(p->pid, "status", &len);
    char *uid = text ? strstr(text, "\nUid:") : NULL, *gid = text ? strstr(text, "\nGid:") : NULL;
    if (uid) p->uid = (uid_t)strtoul(uid + 5, NULL, 10);
    if (gid) p->gid = (gid_t)strtoul(gid + 5, NULL, 10);
    free(text);
}

static void read_command(process *p) {
    size_t len = 0;
    char *text = contents(p->pid, "cmdline", &len);
    while (text && len > 0 && text[len - 1] == '\0') len--;
    if (!text || len == 0) {
        g_text name = {0};
        g_text_addf(&name, p->state == 'Z' ? "[%s] <defunct>" : "[%s]", p->name);
        p->command = name.s;
        free(text);
        return;
    }
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\0' || text[i] == '\n') text[i] = ' ';
    text[len] = '\0';
    p->command = text;
}

static int by_pid(const void *a, const void *b) {
    return ((const process *)a)->pid - ((const process *)b)->pid;
}

process *proc_list(size_t *count) {
    process *list = NULL;
    size_t cap = 0;
    *count = 0;
    DIR *dir = opendir("/proc");
    if (!dir) g_die_errno(1, errno, "/proc");
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        process p = {.pid = (pid_t)atoi(entry->d_name)};
        if (!read_stat(&p)) continue;
        read_owner(&p);
        read_command(&p);
        if (*count == cap) list = g_more(list, &cap, sizeof *list);
        list[(*count)++] = p;
    }
    closedir(dir);
    if (list) qsort(list, *count, sizeof *list, by_pid);
    return list;
}
