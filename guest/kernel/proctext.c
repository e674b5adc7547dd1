/*
 * proctext.c: the texts of the files in /proc, in the form that Linux's have, as far as programs
 * read them. Made when a file is opened (procfs.c).
 */
#include "kernel.h"

struct text {
    struct k_data *data;
    int64_t len;
    bool failed;
};

static void bytes(struct text *text, const void *at, uint32_t len) {
    if (!len) return;
    if (k_data_write(text->data, text->len, at, len) != (int64_t)len)
        text->failed = true;
    else
        text->len += len;
}

static void string(struct text *text, const char *s) {
    bytes(text, s, (uint32_t)strlen(s));
}

static void number(struct text *text, int64_t n) {
    char digits[24], *at = digits;
    if (n < 0) *at++ = '-';
    at = k_put_number(at, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    bytes(text, digits, (uint32_t)(at - digits));
}

/* "label", n, "unit\n" */
static void line(struct text *text, const char *label, int64_t n, const char *unit) {
    string(text, label);
    number(text, n);
    string(text, unit);
}

static void hex(struct text *text, const char *label, uint64_t n) {
    char digits[17];
    for (int i = 0; i < 16; i++) digits[i] = "0123456789abcdef"[n >> (60 - 4 * i) & 15];
    digits[16] = '\n';
    string(text, label);
    bytes(text, digits, 17);
}

static void octal4(struct text *text, const char *label, uint32_t n) {
    char digits[] = {(char)('0' + (n >> 9 & 7)), (char)('0' + (n >> 6 & 7)),
                     (char)('0' + (n >> 3 & 7)), (char)('0' + (n & 7)), '\n'};
    string(text, label);
    bytes(text, digits, sizeof digits);
}

static char state_of(const struct k_proc *proc) {
    if (proc->state == K_ZOMBIE) return 'Z';
    if (proc->stopped) return 'T';
    return proc->state == K_WAITING || proc->state == K_FORKING ? 'S' : 'R';
}

static void part_of_start(struct text *text, const struct k_proc *proc, bool environment) {
    const struct k_start *start = proc->start;
    if (!start) return;
    int64_t at = start->argv_offset;
    uint32_t left = start->argv_len;
    if (environment) {
        at += left;
        left = start->env_len;
    }
    while (left && !text->failed) {
        const uint8_t *piece;
        uint32_t n = k_data_piece(&start->data, at, left, &piece);
        bytes(text, piece, n);
        at += n;
        left -= n;
    }
}

static void status_text(struct text *text, const struct k_proc *proc) {
    static const char *const names[] = {"R (running)\n", "S (sleeping)\n", "T (stopped)\n",
                                        "Z (zombie)\n"};
    char state = state_of(proc);
    string(text, "Name:\t");
    string(text, proc->name);
    octal4(text, "\nUmask:\t", proc->umask);
    string(text, "State:\t");
    string(text, names[state == 'R' ? 0 : state == 'S' ? 1 : state == 'T' ? 2 : 3]);
    line(text, "Tgid:\t", proc->pid, "\n");
    line(text, "Pid:\t", proc->pid, "\n");
    line(text, "PPid:\t", proc->parent ? proc->parent->pid : 1, "\n");
    string(text, "TracerPid:\t0\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n");
    line(text, "FDSize:\t", proc->fd_cap, "\n");
    string(text, "Groups:\t1000 \nThreads:\t1\n");
    hex(text, "SigPnd:\t", proc->pending);
    hex(text, "SigBlk:\t", proc->mask);
    hex(text, "SigIgn:\t", proc->ignored);
    hex(text, "SigCgt:\t", proc->caught);
}

#define TICK_NS 10000000 /* sysconf(_SC_CLK_TCK) is 100 */

static void stat_text(struct text *text, const struct k_proc *proc) {
    struct pf_rusage own, children;
    k_proc_usage(proc, &own, &children);
    char state[] = {')', ' ', state_of(proc), ' ', 0};
    number(text, proc->pid);
    string(text, " (");
    string(text, proc->name);
    string(text, state);
    int64_t fields[] = {proc->parent ? proc->parent->pid : 1,
                        proc->pgid,
                        proc->sid,
                        0,
                        -1,
                        0,
                        0,
                        0,
                        0,
                        0,
                        own.user_ns / TICK_NS,
                        own.system_ns / TICK_NS,
                        children.user_ns / TICK_NS,
                        children.system_ns / TICK_NS,
                        20,
                        0,
                        1,
                        0,
                        proc->started / TICK_NS};
    for (uint32_t i = 0; i < K_COUNT(fields); i++) line(text, i ? " " : "", fields[i], "");
    for (int i = 0; i < 30; i++) string(text, " 0");
    string(text, "\n");
}

static void meminfo_text(struct text *text) {
    int64_t total = (int64_t)(k_limits.filesystem_bytes >> 10) + (256 << 10);
    int64_t used = (int64_t)(k_alloc_used() >> 10);
    int64_t left = used < total ? total - used : 0;
    line(text, "MemTotal:       ", total, " kB\n");
    line(text, "MemFree:        ", left, " kB\n");
    line(text, "MemAvailable:   ", left, " kB\n");
    string(text, "Buffers:        0 kB\nCached:         0 kB\n");
    string(text, "SwapTotal:      0 kB\nSwapFree:       0 kB\n");
}

static void uptime_text(struct text *text) {
    k_clock_observed();
    int64_t hundredths = k_monotonic() / 10000000;
    for (int i = 0; i < 2; i++) {
        number(text, hundredths / 100);
        string(text, hundredths % 100 < 10 ? ".0" : ".");
        number(text, hundredths % 100);
        string(text, i ? "\n" : " ");
    }
}

static void loadavg_text(struct text *text) {
    int64_t running = 0, last = 0;
    for (struct k_link *at = k_procs()->next; at != k_procs(); at = at->next) {
        const struct k_proc *proc = K_OUTER(at, struct k_proc, all);
        if (state_of(proc) == 'R' && k_proc_alive(proc)) running++;
        if (proc->pid > last) last = proc->pid;
    }
    string(text, "0.00 0.00 0.00 ");
    line(text, "", running, "/");
    line(text, "", k_proc_count(), " ");
    line(text, "", last, "\n");
}

static void root_text(struct text *text, enum k_proc_node node) {
    switch (node) {
    case K_PROC_MEMINFO: meminfo_text(text); break;
    case K_PROC_CPUINFO:
        string(text, "processor\t: 0\nvendor_id\t: pinfold\nmodel name\t: pinfold\n"
                     "cpu cores\t: 1\n\n");
        break;
    case K_PROC_UPTIME: uptime_text(text); break;
    case K_PROC_VERSION: string(text, "Linux version 6.1.0-pinfold (pinfold) #1\n"); break;
    case K_PROC_LOADAVG: loadavg_text(text); break;
    case K_PROC_MOUNTS:
    case K_PROC_PID_MOUNTS: string(text, "tmpfs / tmpfs rw 0 0\nproc /proc proc rw 0 0\n"); break;
    case K_PROC_FILESYSTEMS: string(text, "nodev\tproc\nnodev\ttmpfs\n"); break;
    case K_PROC_STAT:
        string(text, "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
        line(text, "btime ", k_clock_unix_of_boot() / 1000000000, "\n");
        break;
    default: break;
    }
}

static void process_text(struct text *text, enum k_proc_node node, const struct k_proc *proc) {
    switch (node) {
    case K_PROC_CMDLINE: part_of_start(text, proc, false); break;
    case K_PROC_ENVIRON: part_of_start(text, proc, true); break;
    case K_PROC_STATUS: status_text(text, proc); break;
    case K_PROC_PID_STAT: stat_text(text, proc); break;
    case K_PROC_COMM:
        string(text, proc->name);
        string(text, "\n");
        break;
    default: root_text(text, node); break;
    }
}

int k_procfs_open(struct k_inode *inode) {
    if (k_type(inode) != K_IFREG) return 0;
    struct text text = {.data = &inode->data};
    k_data_free(&inode->data);
    if (inode->pid) {
        const struct k_proc *proc = k_proc_find(inode->pid);
        if (!proc) return -PF_ESRCH;
        process_text(&text, (enum k_proc_node)inode->node, proc);
    } else {
        root_text(&text, (enum k_proc_node)inode->node);
    }
    inode->size = text.len;
    return text.failed ? -PF_ENOMEM : 0;
}
