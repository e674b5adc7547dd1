/*
 * kernel.h: the kernel's whole internal interface, grouped by the file that implements it.
 *
 * The kernel is one Unix for one sandbox: files, processes, pipes, signals, scheduling and what
 * leaves for the host. It is a wasm module without imports, and the same sources are a native
 * library for tests. Everything happens inside k_call() and k_next(); nothing runs between them,
 * there are no locks, and no call may take long: each is bounded by PF_IO_MAX bytes or the size of
 * one table. It uses no libc but string.h.
 *
 * Every allocation can fail and is handled. What a guest can get wrong is an errno; what can only
 * be a bug of ours is K_ASSERT, which traps.
 */
#ifndef K_KERNEL_H
#define K_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/limits.h"
#include "abi/message.h"
#include "abi/types.h"
#include "sizes.h"

#define K_NEVER INT64_MAX /* a deadline that does not come */

/* Results that are no results: what a handler returns when its caller does not simply go on. */
#define K_BLOCK INT64_MIN       /* waits; the same message comes again */
#define K_FORK  (INT64_MIN + 1) /* the host copies the caller's instance now */
#define K_GONE  (INT64_MIN + 2) /* the caller does not exist any more, or is another program */
#define K_WANT  (-4096)         /* as an error: the host must fetch something first, see mount.c */

#define K_ASSERT(condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) k_panic(__FILE_NAME__, __LINE__);                                        \
    } while (0)
#define K_COUNT(array) (sizeof(array) / sizeof(array)[0])
#define K_OUTER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

/* Circular doubly linked lists. A head is a link of its own; an item that is on no list has
 * next == NULL. */
struct k_link {
    struct k_link *next, *prev;
};
static inline void k_list_init(struct k_link *head) { head->next = head->prev = head; }
static inline bool k_list_empty(const struct k_link *head) { return head->next == head; }
static inline bool k_linked(const struct k_link *item) { return item->next != NULL; }
static inline void k_list_insert(struct k_link *before, struct k_link *item) {
    item->next = before;
    item->prev = before->prev;
    before->prev->next = item;
    before->prev = item;
}
static inline void k_list_append(struct k_link *head, struct k_link *item) {
    k_list_insert(head, item);
}
static inline void k_list_prepend(struct k_link *head, struct k_link *item) {
    k_list_insert(head->next, item);
}
static inline void k_list_remove(struct k_link *item) {
    if (!item->next) return;
    item->prev->next = item->next;
    item->next->prev = item->prev;
    item->next = item->prev = NULL;
}

/* File modes, as on Linux. */
#define K_IFMT   0170000u
#define K_IFCHR  0020000u
#define K_IFDIR  0040000u
#define K_IFREG  0100000u
#define K_IFLNK  0120000u
#define K_IFIFO  0010000u
#define K_MAY_X  1u
#define K_MAY_W  2u
#define K_MAY_R  4u
#define K_UID    1000u /* user and group of every process; the host is 0 and may do everything */

/* Signals the kernel itself sends or treats specially. */
enum {
    K_SIGHUP = 1, K_SIGINT = 2, K_SIGKILL = 9, K_SIGPIPE = 13, K_SIGALRM = 14, K_SIGCHLD = 17,
    K_SIGCONT = 18, K_SIGSTOP = 19, K_SIGTSTP = 20, K_SIGTTIN = 21, K_SIGTTOU = 22, K_SIGURG = 23,
    K_SIGXFSZ = 25, K_SIGWINCH = 28,
};
#define K_SIGBIT(signal) (1ull << ((signal)-1))

struct k_proc;
struct k_inode;
struct k_file;
struct k_pipe;

/* One message being handled. Handlers read args and input, and answer through k_out*(). */
struct k_call {
    struct k_proc *proc;
    struct pf_message *msg;
    const uint8_t *in; /* msg->in_len bytes */
    const uint8_t *out; /* msg->out_len bytes once answered */
};

/* platform.c: memory from the system; the exports of the wasm module */
_Noreturn void k_panic(const char *file, int line);
void *k_memory_more(size_t alignment, size_t bytes); /* aligned, fresh, zero; NULL: none left */
extern struct pf_mailbox k_mailbox;
/* Where a list of the tree is composed: in the area of messages, behind so many bytes of input. */
#define K_TREE_IN 4096u
uint8_t *k_tree_area(void); /* PF_IO_MAX bytes */
#ifndef __wasm__
void k_native_reset(void); /* gives all memory back; before k_boot() */
#endif

/* alloc.c: objects and page runs */
#define K_PAGE      4096u
#define K_ALLOC_MAX (200u * K_PAGE) /* the largest single allocation */
void k_alloc_boot(void); /* Empty lists; all memory is still with the system. */
void *k_alloc(size_t size); /* not cleared; NULL when there is no memory */
void *k_zalloc(size_t size); /* As k_alloc(), filled with zeros. */
void k_free(void *pointer); /* NULL is allowed */
uint64_t k_alloc_used(void); /* Bytes that are allocated now. */
bool k_memory_short(void); /* what is left is not for the contents of files */
bool k_alloc_trim(void **start, size_t *len); /* a free range not named since it was freed */
void k_alloc_check(void); /* Traps when a list of free blocks is broken. */
#ifndef __wasm__
extern int64_t k_alloc_fail_at; /* tests: the n-th allocation from now fails (1: the next) */
#endif

/* data.c: growing, sparse byte stores (file contents, texts, payloads) */
struct k_data {
    uint8_t *first;      /* bytes 0 .. first_cap-1; NULL: a hole */
    uint8_t **more;      /* the other extents; NULL entries are holes */
    uint32_t first_cap;  /* 0 or a power of two up to 4096 */
    uint32_t slots;      /* length of more[] */
    uint64_t allocated;  /* bytes of all extents */
    bool charged;        /* counts against filesystem_bytes */
};
/* Bytes of [offset, offset+len) that lie in one piece at *at, at least 1. Holes give zeros. */
uint32_t k_data_piece(const struct k_data *data, int64_t offset, uint32_t len, const uint8_t **at);
bool k_data_is_hole(const uint8_t *at); /* of a piece: it was never written */
/* Copies bytes out, which may lie in several extents. */
void k_data_copy_out(const struct k_data *data, int64_t offset, uint8_t *to, uint32_t len);
/* The first offset from here on where something was written, or, with `hole`, where nothing was;
 * `size` if there is none below it. */
int64_t k_data_seek(const struct k_data *data, int64_t offset, int64_t size, bool hole);
/* Bytes written; fewer than len, or -ENOSPC, -ENOMEM, when room is out. */
int64_t k_data_write(struct k_data *data, int64_t offset, const void *from, uint32_t len);
void k_data_cut(struct k_data *data, int64_t size); /* what lies beyond is freed and reads as 0 */
void k_data_free(struct k_data *data); /* Gives back all extents; the store is empty afterwards. */
uint64_t k_data_charged(void); /* bytes charged by all stores */
void k_data_boot(void); /* Nothing is charged yet. */

/* text.c: what is written, at `at`; both return the place behind it */
char *k_put_text(char *at, const char *text); /* A text without its NUL. */
char *k_put_number(char *at, uint64_t n); /* A number in decimal. */

/* clock.c */
void k_clock_boot(void); /* No time was given out yet. */
int64_t k_clock_read(int clock); /* 0 realtime, 1 monotonic; moves by a step */
int64_t k_now(void);             /* realtime, for file times; counts as observed */
int64_t k_monotonic(void);       /* does not move time and does not count */
void k_clock_observed(void); /* A program has seen the time: the reading counts. */
int64_t k_clock_unix_of_boot(void); /* The moment of boot in ns since 1970; counts as observed. */

/* random.c */
void k_random_boot(void); /* The generator of an empty seed. */
/* The generator of this seed, of any length. */
void k_random_seed(const uint8_t *bytes, uint32_t len);
void k_random(uint8_t *to, uint32_t len); /* Fills a buffer with random bytes. */

/* ---------------------------------------------------------------- files */

enum k_inode_kind { K_FILE, K_DIR, K_SYMLINK, K_PIPE, K_STREAM, K_DEVICE, K_PROCFS };

struct k_dirent {
    struct k_link order;     /* in dir->entries, by seq */
    struct k_dirent *chain;  /* next in the same hash bucket */
    struct k_inode *dir, *inode;
    uint64_t seq;            /* rises in the order of creation: position for GETDENTS */
    uint32_t hash;
    uint8_t len;
    char name[];
};

/* An inode lives while refs + nlink > 0: refs are open files, working directories, the path walk
 * of the call in progress, and for a directory its subdirectories. */
struct k_inode {
    uint64_t ino;
    uint32_t refs;
    uint32_t nlink;
    uint32_t mode, uid, gid;
    uint8_t kind;            /* enum k_inode_kind, fixed */
    bool counted;            /* counts against limits.files and has times; fixed */
    uint16_t locks;          /* how many of lock.c are of it */
    uint32_t node;           /* K_DEVICE: which; K_PROCFS: which node */
    int32_t pid, number;     /* K_PROCFS: whose, and which descriptor */
    int64_t atime, mtime, ctime, btime;
    struct k_dirent *link;   /* one name of it, NULL when it has none */
    char *source;            /* K_FILE, K_DIR: where the host has what is in it, see mount.c; NULL:
                                it is here */
    union {
        struct {             /* K_FILE; K_PROCFS files once opened */
            int64_t size;
            struct k_data data;
        };
        struct {             /* K_DIR */
            struct k_inode *parent; /* referenced; the root's is itself, unreferenced */
            struct k_link entries;
            struct k_dirent **buckets; /* NULL while small */
            uint32_t bucket_count, count;
            uint32_t removals; /* changes when a dirent goes: cached positions are void */
            uint64_t next_seq;
        };
        struct {             /* K_SYMLINK */
            char *target;
            uint32_t target_len;
        };
        struct k_pipe *pipe; /* K_PIPE: NULL while nobody has it open; K_STREAM: always */
    };
};

/* inode.c: making, counting and freeing inodes; permissions; stat */
void k_inode_boot(void); /* Inode numbers begin at 1. */
/* refs 1, nlink 0. `named`: it will have a name, so it has times and counts as a file. */
int k_inode_new(enum k_inode_kind kind, uint32_t mode, bool named, struct k_inode **out);
static inline struct k_inode *k_inode_get(struct k_inode *inode) {
    inode->refs++;
    return inode;
}
/* Drops a reference; the inode is freed with its last reference and name. */
void k_inode_put(struct k_inode *inode);
void k_inode_unlink(struct k_inode *inode); /* one name less */
/* May a process do all of `what` (K_MAY_*) with an inode? */
bool k_may(const struct k_proc *proc, const struct k_inode *inode, uint32_t what);
/* May a process change an inode's mode, owner and times? */
bool k_owns(const struct k_proc *proc, const struct k_inode *inode);
void k_inode_stat(struct k_inode *inode, struct pf_stat *stat); /* Fills in what stat() gives. */
uint64_t k_inode_count(void); /* Inodes that count against limits.files. */
static inline uint32_t k_type(const struct k_inode *inode) { return inode->mode & K_IFMT; }
/* Cuts or extends a file; -EFBIG beyond the largest size. */
int64_t k_inode_truncate(struct k_inode *inode, int64_t size);
/* The contents were read: sets atime when it would tell something. */
void k_inode_accessed(struct k_inode *inode);

/* dir.c: names in directories */
/* An empty directory; takes over the reference to its parent. */
void k_dir_init(struct k_inode *dir, struct k_inode *parent);
/* The entry of that name, or NULL. */
struct k_dirent *k_dir_find(const struct k_inode *dir, const char *name, uint32_t len);
/* A name that is not in any directory yet, and putting it there, which cannot fail. */
struct k_dirent *k_dirent_new(const char *name, uint32_t len);
/* Gives an inode a name, which cannot fail. */
void k_dir_insert(struct k_inode *dir, struct k_dirent *entry, struct k_inode *inode);
void k_dir_remove(struct k_dirent *entry); /* the inode keeps its nlink: the caller's matter */
void k_dir_release(struct k_inode *dir); /* Frees the table of a directory that is empty. */
/* Packs entries from the file's offset on; bytes packed, 0 at the end. */
int64_t k_dir_list(struct k_file *file, uint8_t *to, uint32_t cap);
/* Packs one entry as struct pf_dirent; its size, 0 when it does not fit. */
uint32_t k_dirent_pack(uint8_t *to, uint32_t cap, uint64_t ino, uint32_t mode, const char *name,
                       uint32_t len);

/* walk.c: from a path to an inode */
enum k_last { K_LAST_NAME, K_LAST_DOT, K_LAST_DOTDOT, K_LAST_ROOT };
struct k_place {
    struct k_inode *dir;   /* where the last name is, referenced; NULL when the walk jumped */
    struct k_inode *inode; /* what is there, referenced; NULL: nothing */
    const char *name;      /* last component, not terminated, valid during this call */
    uint32_t len;
    enum k_last last;
    bool slash; /* the path ended in a slash */
};
#define K_WALK_FOLLOW 1u /* a symbolic link at the end is followed */
#define K_WALK_PARENT 2u /* for making and removing names: never follows at the end */
#define K_WALK_CREATE 4u /* for making a file: a name with a slash behind it is EISDIR */
/* Walks from `dirfd` (PF_AT_FDCWD: the working directory) along a path, with K_WALK_* as `how`. 0
 * with *place filled, which k_place_put() ends, also when nothing is there; or -errno, K_WANT. */
int k_walk(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len, uint32_t how,
           struct k_place *place);
void k_place_put(struct k_place *place); /* Drops the references that a walk gave. */
/* As k_walk with K_WALK_FOLLOW or 0, for something that must exist; result referenced. */
int k_find(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len, uint32_t how,
           struct k_inode **out);
/* The path of an inode by one of its names: length, or -ENOENT, -ENAMETOOLONG. */
int64_t k_path_of(const struct k_inode *inode, char *to, uint32_t cap);
struct k_inode *k_root(void); /* The root directory; the reference is not the caller's. */
int k_walk_boot(void); /* Makes the root directory. */
/* Input of a path call: two NUL-terminated strings. */
int k_two_paths(const struct k_call *call, const char **a, uint32_t *a_len, const char **b,
                uint32_t *b_len);

/* name.c: MKDIRAT UNLINKAT RENAMEAT LINKAT SYMLINKAT MKNODAT */
int k_make(struct k_proc *proc, struct k_place *place, enum k_inode_kind kind, uint32_t mode,
           struct k_inode **out);
/* The kernel's own directories and devices, at boot. */
int k_make_at(struct k_inode *dir, const char *name, struct k_inode *inode);

/* mount.c: files that are still with the host */
void k_mount_boot(void); /* Nothing is wanted from the host. */
void k_mount_calling(struct k_proc *proc); /* whose call is handled from now on */
/* Needs what is in a file or directory: 0, it is here; K_WANT; or what the host said, -errno. */
int k_want(struct k_inode *inode);
void k_present(struct k_inode *inode); /* what the host has is not wanted any more */
struct k_inode *k_mount_holds(void);   /* the inode it has a reference to, or NULL */

/* tree.c: all names in bulk. A list that stopped at an entry that goes is void. */
void k_tree_boot(void);
/* A directory entry goes: no list stands at it any more. */
void k_tree_forget(const struct k_dirent *entry);

/* devfs.c: the nodes in /dev */
enum k_device { K_DEV_NULL, K_DEV_ZERO, K_DEV_FULL, K_DEV_RANDOM, K_DEV_URANDOM, K_DEV_TTY };
int k_devfs_boot(void); /* Makes /dev and its nodes. */
/* Reads from a device, as read(). */
int64_t k_device_read(struct k_call *call, const struct k_inode *inode, uint32_t len);
/* Writes to a device: `len`, -ENOSPC or -ENXIO. */
int64_t k_device_write(const struct k_inode *inode, uint32_t len);
uint64_t k_device_number(const struct k_inode *inode); /* What stat() gives as st_rdev. */

/* procfs.c: the nodes in /proc, made when they are looked up */
enum k_proc_node {
    K_PROC_ROOT, K_PROC_SELF, K_PROC_MEMINFO, K_PROC_CPUINFO, K_PROC_UPTIME, K_PROC_VERSION,
    K_PROC_LOADAVG, K_PROC_MOUNTS, K_PROC_FILESYSTEMS, K_PROC_STAT,
    K_PROC_PID, /* a process: its directory, and what is in it */
    K_PROC_CMDLINE, K_PROC_STATUS, K_PROC_PID_STAT, K_PROC_COMM, K_PROC_EXE, K_PROC_CWD,
    K_PROC_PID_ROOT, K_PROC_FD_DIR, K_PROC_ENVIRON, K_PROC_PID_MOUNTS, K_PROC_FD,
};
int k_procfs_boot(void); /* Makes /proc. */
/* What is named so in a directory of /proc: 0 with *out referenced, or -errno. */
int k_procfs_find(struct k_proc *proc, const struct k_inode *dir, const char *name, uint32_t len,
                  struct k_inode **out);
/* The inode that a link such as /proc/self/cwd leads to; referenced. */
int k_procfs_follow(struct k_proc *proc, const struct k_inode *link, struct k_inode **out);
/* The text of a link in /proc; its length. */
int64_t k_procfs_readlink(struct k_proc *proc, const struct k_inode *link, char *to, uint32_t cap);
/* As k_dir_list(), for a directory of /proc. */
int64_t k_procfs_list(struct k_proc *proc, struct k_file *file, uint8_t *to, uint32_t cap);
/* The path of a node of /proc; its length. */
int64_t k_procfs_path(const struct k_inode *inode, char *to, uint32_t cap);
struct k_inode *k_procfs_parent(struct k_proc *proc, const struct k_inode *dir); /* referenced */

/* proctext.c: the texts of files in /proc */
int k_procfs_open(struct k_inode *inode); /* makes the contents */

/* file.c: open files and descriptors */
struct k_file {
    uint32_t refs;
    uint32_t flags;        /* PF_O_*: access mode, APPEND, NONBLOCK, PATH */
    int64_t offset;        /* directories: position, see dir.c */
    struct k_inode *inode; /* referenced */
    uint32_t seen;         /* FIFO being opened: arrivals at the other end when it began */
    struct k_dirent *next_entry; /* directories: entry at `offset`, if removals is unchanged */
    uint32_t removals;
};
struct k_fd {
    struct k_file *file;
    bool cloexec;
};
int k_file_new(struct k_inode *inode, uint32_t flags, struct k_file **out); /* takes a reference */
static inline struct k_file *k_file_get(struct k_file *file) {
    file->refs++;
    return file;
}
void k_file_put(struct k_file *file); /* Drops a reference; the last one closes the file. */
struct k_file *k_fd(const struct k_proc *proc, int64_t fd); /* NULL: not open */
/* Lowest free descriptor >= lowest for file, whose reference passes to it on success only. */
int64_t k_fd_new(struct k_proc *proc, struct k_file *file, int64_t lowest, bool cloexec);
/* Puts file at fd, closing what was there; the reference passes on success only. */
int k_fd_set(struct k_proc *proc, struct k_file *file, int64_t fd, bool cloexec);
int k_fd_close(struct k_proc *proc, int64_t fd); /* Closes a descriptor; -EBADF. */
/* The descriptors of a child that is being forked. */
int k_fds_copy(struct k_proc *to, const struct k_proc *from);
/* Closes all descriptors, or those that exec closes. */
void k_fds_close(struct k_proc *proc, bool only_cloexec);

/* lock.c: LOCK: records of files, and whole files, that somebody has for itself */
void k_lock_boot(void); /* No locks. */
/* A process has closed a descriptor of a file: its records are free. */
void k_lock_closed(const struct k_proc *proc, const struct k_inode *inode);
void k_lock_file_gone(const struct k_file *file); /* the last descriptor of it is closed */
#ifndef __wasm__
void k_lock_check(void); /* Traps when locks exclude each other or are of no open file. */
#endif

/* open.c: OPENAT. Without a call that can wait, FIFOs open at once or fail. */
int k_open(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len, uint32_t flags,
           uint32_t mode, struct k_file **out);

/* pipe.c: pipes, FIFOs and the streams between runs and the host, all one ring */
struct k_pipe {
    uint8_t *ring;            /* K_PIPE_SIZE bytes; streams get it at the first byte */
    uint32_t head, used;      /* first byte, and how many there are */
    uint32_t readers, writers; /* open files at each end */
    uint32_t readers_ever, writers_ever; /* arrivals, for those who wait in open */
    struct k_link read_wait, write_wait; /* struct k_waiter */
    uint32_t write_need;      /* least room that a waiting writer wants; UINT32_MAX: none waits */
    uint32_t attention;       /* streams: PF_ATTENTION_* bit that calls the host */
    bool host_reads, host_writes; /* streams: the host is the other end */
    bool ended;               /* stdin: the host has no more */
};
int k_pipe_new(struct k_pipe **out); /* An empty pipe without its ring of bytes. */
void k_pipe_free(struct k_pipe *pipe); /* Frees a pipe that nobody waits for. */
/* A ring whose other end is the host; `attention` tells the host of bytes or of room. */
int k_stream_new(bool host_reads, uint32_t attention, uint32_t mode, struct k_inode **out);
int k_pipe_opened(struct k_file *file); /* counts it; FIFOs get their ring */
void k_pipe_closed(struct k_file *file); /* An end of the pipe is closed. */
bool k_pipe_open_ready(const struct k_file *file); /* a FIFO's other end has come */
/* As read(): bytes, 0 at the end, -EAGAIN, or K_BLOCK. */
int64_t k_pipe_read(struct k_call *call, struct k_file *file, uint32_t len);
/* As write(), SIGPIPE included: bytes, -errno, or K_BLOCK. */
int64_t k_pipe_write(struct k_call *call, struct k_file *file, uint32_t len);
uint32_t k_pipe_put(struct k_pipe *pipe, const uint8_t *from, uint32_t len); /* bytes taken */
uint32_t k_pipe_take(struct k_pipe *pipe, uint32_t len, const uint8_t **at); /* in one piece */
void k_pipe_end(struct k_pipe *pipe); /* stdin: readers see the end */

/* poll.c */
#define K_POLL_QUEUES 2
/* What a descriptor is ready for now, and the queues where a change would show. */
uint16_t k_poll_file(struct k_file *file, struct k_link *queues[K_POLL_QUEUES], uint16_t events);

/* ---------------------------------------------------------------- processes */

struct k_waiter {
    struct k_link link; /* in the queue */
    struct k_proc *proc;
};
#define K_WAITERS 4 /* kept in the process; poll of more descriptors allocates */

enum k_state {
    K_UNUSED,  /* the slot is free */
    K_EMBRYO,  /* being made: the host has not copied its instance yet */
    K_FORKING, /* its fork is with the host */
    K_READY,   /* wants to run; on the run queue unless stopped */
    K_RUNNING, /* the host runs it now */
    K_WAITING, /* for its waiters' queues, its deadline, or a signal */
    K_ZOMBIE,  /* ended, not waited for */
    K_REAPED,  /* waited for; the host still has its instance */
};

enum k_timer { K_TIMER_WAIT, K_TIMER_ALARM, K_TIMERS };

struct k_rlimit {
    int64_t soft, hard; /* -1: no limit */
};
#define K_RLIMITS      16
#define K_RLIMIT_FSIZE  1
#define K_RLIMIT_NPROC  6
#define K_RLIMIT_NOFILE 7

/* What a fresh process asks for with ARGS: struct pf_start_block and its strings. */
struct k_start {
    uint32_t refs;
    uint32_t len;
    uint32_t argv_offset, argv_len, env_len; /* where the strings lie, for /proc */
    struct k_data data;
};

struct k_proc {
    /* Identity: fixed while the slot is in use. */
    uint32_t index;
    int32_t pid;
    bool root; /* the host */

    /* Family (process.c, group.c). A parent of NULL is the kernel's own init, pid 1. */
    struct k_link all; /* every slot in use but the host's, in order of creation */
    struct k_proc *parent;
    struct k_link children, sibling;
    struct k_link child_wait; /* struct k_waiter: itself, waiting for a child */
    int32_t pgid, sid;
    bool behind; /* a daemon: it or an ancestor called SETSID; no run waits until it rests */
    bool execed; /* since fork: its parent may no longer move it to another group */

    /* Life (process.c, sched.c). */
    union { /* dispatch.c looks at all four at once */
        struct {
            uint8_t state;     /* enum k_state */
            bool stopped;      /* by a signal: not on the run queue, whatever its state */
            bool has_deadline; /* the call in progress has one, kept over its retries */
            bool has_result;   /* the call is done; its retry only fetches the result */
        };
        uint32_t life; /* K_RUNNING: it runs, and the other three are false */
    };
    bool report_stop, report_cont; /* news for the parent's wait() */
    int32_t stop_signal;
    int32_t status;  /* of a zombie, as wait(2) */
    bool instance;   /* the host holds an instance for this slot */
    bool embryo;     /* HOST_FORK_DONE has not come for this slot */
    bool load;       /* next time it runs it is a fresh instance of `image` */
    int32_t image;
    struct k_link run;   /* on the run queue, when K_READY and not stopped */
    struct k_link freed; /* on the list of instances to free */
    uint32_t last_run;   /* number of the run in which it last ran */
    bool parked;         /* waits on its native stack: called without PF_MSG_UNWIND */

    /* The call it waits in (sched.c, timer.c). */
    struct k_waiter waiters[K_WAITERS];
    struct k_waiter *more_waiters; /* for poll; kept until the process ends */
    uint32_t more_count;
    int64_t deadline;
    int64_t result;
    struct k_file *opening; /* a FIFO waiting for its other end */
    const struct k_proc *lock_of; /* whose record it waits for, while it waits in LOCK */
    int fill_error;         /* why the host could not fetch what the call in progress wants, or 0 */
    uint32_t timer_at[K_TIMERS]; /* place in the timer heap + 1; 0: not set */

    /* Signals (signal.c). Bit n-1 is signal n. */
    uint64_t pending, mask;
    uint64_t ignored, caught, restart; /* dispositions; in neither of the first two: default */
    uint64_t granted;    /* pending ones let through by SIGSUSPEND although blocked now */
    bool suspended;      /* in SIGSUSPEND: `old_mask` comes back afterwards */
    uint64_t old_mask;

    /* Files (file.c). */
    struct k_fd *fds;
    uint32_t fd_cap, fd_hint; /* no free descriptor below fd_hint */
    struct k_inode *cwd;      /* referenced */
    uint32_t umask;

    /* Program (exec.c). */
    struct k_start *start; /* the start block; shared over fork */
    struct k_inode *exe;   /* referenced, may be NULL */
    char name[16];

    /* Accounting. */
    struct k_rlimit rlimit[K_RLIMITS];
    uint64_t calls, steps;             /* own */
    uint64_t child_calls, child_steps; /* of children that were waited for */
    int64_t started; /* monotonic */

    /* Host operations (op.c). */
    struct k_link ops;      /* struct k_op */
    struct k_link ops_wait; /* struct k_waiter: itself, polling for finished ones */
    uint32_t ops_finished;  /* finished and not yet named by OP_NEXT */
};

/* process.c: the table; birth and end */
int k_process_boot(void); /* Makes the host's own slot, process 0. */
struct k_proc *k_proc_at(uint32_t index); /* NULL: unused */
struct k_proc *k_proc_find(int32_t pid);  /* not zombies' slots that were reaped */
struct k_proc *k_host(void); /* The host, as a process with all rights. */
struct k_link *k_procs(void); /* all, by `all` */
uint32_t k_proc_count(void); /* Processes that are not reaped yet. */
/* A copy of `from` in every respect but its instance and its operations. State K_EMBRYO. */
int k_proc_fork(struct k_proc *from, struct k_proc **out);
int k_proc_spawn(struct k_proc **out); /* a fresh process of init: no files, own session */
void k_proc_discard(struct k_proc *proc); /* an embryo that is not to be */
/* Ends a process with a status as wait() gives it; its parent is told. */
void k_proc_end(struct k_proc *proc, int32_t status);
void k_proc_reap(struct k_proc *proc); /* a zombie: it has been waited for */
void k_proc_instance_freed(struct k_proc *proc); /* The host has freed the instance of a slot. */
void k_proc_news(struct k_proc *proc); /* tells its parent: SIGCHLD and its wait() */
bool k_proc_alive(const struct k_proc *proc); /* Neither a zombie nor reaped. */
void k_process_settle(void); /* Frees the slots of processes that went in this call. */

/* wait.c: waiting for children; what was used */
void k_proc_usage(const struct k_proc *proc, struct pf_rusage *own, struct pf_rusage *children);

/* exec.c: programs */
int k_exec_boot(const uint8_t *names, uint32_t len); /* image names, each NUL-terminated */
struct k_exec {
    struct pf_exec head;
    const char *path, *argv, *env;
    uint32_t path_len, argv_len, env_len; /* argv_len and env_len with their NULs */
    const uint8_t *base;
    uint32_t base_len;
};
/* Reads a struct pf_exec and checks every offset in it; -EINVAL. */
int k_exec_decode(const uint8_t *in, uint32_t len, bool actions, struct k_exec *exec);
int k_exec_load(struct k_proc *proc, const struct k_exec *exec); /* all or nothing */
void k_start_put(struct k_start *start); /* NULL is allowed */

/* spawn.c */
/* Does the file actions of posix_spawn() in the child. */
int k_exec_actions(struct k_proc *child, const struct k_exec *exec);

/* group.c: process groups and sessions */
/* Has the group a member, of session `sid` unless that is 0? */
bool k_group_exists(int32_t pgid, int32_t sid);
/* Would stopping the group leave nobody who could continue it? */
bool k_group_orphaned(int32_t pgid);
void k_group_left(struct k_proc *ending); /* notes the groups that it may leave orphaned */
void k_group_settle(void); /* Hangs up stopped groups that became orphaned in this call. */

/* signal.c */
void k_signal(struct k_proc *proc, int signal);     /* sends; may end the process */
/* Signals every process that is wanted; how many those are. */
int k_signal_some(bool (*wanted)(const struct k_proc *proc, int64_t arg), int64_t arg, int signal);
int64_t k_after_signal(const struct k_call *call, int64_t result); /* K_GONE when it died of it */
bool k_signal_pending(const struct k_proc *proc);   /* a caught one waits to be taken */
int64_t k_interrupted(const struct k_proc *proc);   /* 0, -EINTR or -ERESTART */
void k_signals_exec(struct k_proc *proc); /* Handlers do not survive exec. */
/* Sets the mask, without what cannot be blocked. */
void k_signal_set_mask(struct k_proc *proc, uint64_t mask);
void k_signals_unblocked(struct k_proc *proc);      /* after a change of mask: act on pending */
int k_signal_group(int32_t pgid, int signal);       /* number signalled */

/* sched.c: who runs; waiting and waking */
void k_sched_boot(void); /* Nobody is ready. */
void k_ready(struct k_proc *proc, bool first); /* may run: at the head or tail of the queue */
void k_wake(struct k_proc *proc);              /* if it waits */
void k_wake_all(struct k_link *queue); /* Wakes everybody in a queue. */
/* Blocks the caller: the handler returns what this returns. -EINTR, -ERESTART (when restart is
 * true and all signals want it), -EAGAIN for the host, else K_BLOCK. */
int64_t k_wait(struct k_call *call, struct k_link *queue, bool restart);
int k_wait_also(struct k_proc *proc, uint32_t slot, struct k_link *queue); /* poll's */
void k_wait_over(struct k_proc *proc);      /* off all queues */
void k_sched_leave(struct k_proc *proc);    /* off the run queue and all wait queues */
void k_sched_stop(struct k_proc *proc); /* Takes a process off the run queue by a signal. */
void k_sched_continue(struct k_proc *proc); /* Lets a stopped process run again. */
/* The caller was told to wait; `unwound`: its stack is in its memory. */
void k_sched_blocked(struct k_proc *proc, bool unwound);
bool k_slice_over(const struct pf_message *msg); /* Is it time for others? Counts the call. */
void k_slice_charge(uint32_t units); /* Counts work that was no call. */
/* Daemons may make at least so many calls more while all else waits for the host. */
void k_sched_behind(uint32_t calls);
void k_sched_free(struct k_proc *proc); /* its instance is to be freed */
struct k_proc *k_current(void); /* The process whose slice it is, or NULL. */
void k_next(struct pf_event *event); /* Chooses what the host does next. */

/* timer.c: a heap of deadlines */
void k_timer_boot(void); /* No timers. */
/* Sets a timer of a process anew; -ENOMEM. */
int k_timer_set(struct k_proc *proc, enum k_timer which, int64_t when);
void k_timer_clear(struct k_proc *proc, enum k_timer which); /* Clears a timer, if it is set. */
int64_t k_timer_left(const struct k_proc *proc, enum k_timer which); /* K_NEVER: not set */
int64_t k_timer_first(void); /* When the first timer is due, or K_NEVER. */
void k_timer_expire(int64_t now); /* Does what is due. */
void k_timer_check(void); /* Traps when the heap is no heap. */
/* The deadline of the call in progress: computed at its first try, kept until it completes.
 * -ENOMEM, 1 when it has passed, else 0. */
int k_deadline(struct k_proc *proc, int64_t when);
int64_t k_later(int64_t delay); /* from now; K_NEVER when that is beyond all sense */

/* op.c: what leaves for the host */
void k_op_boot(void); /* No operations. */
void k_ops_close(struct k_proc *proc); /* it ended */
uint32_t k_ops_unanswered(void); /* Operations that the host has still to answer. */

/* run.c: sessions, runs and their streams */
int k_run_boot(void); /* Makes the output streams. */
void k_run_ended(struct k_proc *proc); /* a process ended: was it the foreground? */
uint32_t k_run_number(void); /* The number of the run that is on, or of the last one. */
bool k_run_done(void); /* a run is on whose foreground has ended */
void k_run_foreground(int32_t pgid); /* the group that an interrupt goes to */

/* limit.c: what the embedder allows */
void k_limit_boot(void); /* The limits of a kernel that was told none. */
extern struct pf_kernel_limits k_limits; /* all finite, at most the hard bounds */
void k_rlimits_init(struct k_proc *proc); /* The resource limits of a process that inherits none. */

/* dispatch.c: the way in */
/* Makes a kernel that knows these images, each name ended by a NUL. */
int k_boot(const uint8_t *image_names, uint32_t len);
/* Handles one message of a process; what the host has to do, as PF_ACTION_*. */
uint32_t k_call(uint32_t proc, struct pf_message *msg, const uint8_t *in);
const uint8_t *k_answered(void); /* The msg->out_len bytes of the last k_call(), told once. */
/* Answers. k_out_struct: -EFAULT when the caller's buffer is too small. */
uint8_t *k_out_area(void); /* K_OUT_AREA bytes to compose an answer in */
#define K_OUT_AREA (PF_IO_MAX + 4096u)
/* Copies `size` bytes as the answer. */
int k_out_struct(struct k_call *call, const void *from, uint32_t size);
void k_out(struct k_call *call, const void *at, uint32_t len); /* stays where it is */
uint32_t k_out_cap(const struct k_call *call); /* at most PF_IO_MAX */
static inline int64_t k_arg(const struct k_call *call, int n) { return call->msg->arg[n]; }
static inline const char *k_in_path(const struct k_call *call) { return (const char *)call->in; }
uint64_t k_calls_handled(void); /* Calls since boot. */
/* Something is left to do when the call is over: k_settle() does it. */
extern bool k_unsettled;
void k_settle(void); /* Does what was left to do when the call was over. */

/* areas.c: large arrays, each for the one file that it is named after */
#define K_SEGMENTS_MAX 4096
extern struct k_proc *k_process_table[PF_PROCESS_TABLE]; /* [0]: the host */
extern int32_t k_group_losers[PF_PROCESS_TABLE];
extern int32_t k_signal_chosen[PF_PROCESS_TABLE];
extern char *k_alloc_segments[K_SEGMENTS_MAX];
/* Never written; not const, so that it lies in untouched memory. */
extern uint8_t k_data_zeros[64 << 10];
extern uint8_t k_dispatch_out[K_OUT_AREA];
extern uint8_t k_platform_in[PF_MESSAGE_IN_MAX]; /* of the wasm module alone */

#ifndef __wasm__
/* check.c: every invariant that can be checked; traps on the first that does not hold */
void k_check(void);
uint32_t k_run_holds(struct k_inode *held[4]); /* run.c: the inodes it has references to */
#endif

/* One handler per call, named after it: >= 0, -errno, K_BLOCK, K_FORK or K_GONE. */
#define X(number, name, input, output, args, meaning) int64_t k_do_##name(struct k_call *call);
#include "abi/call.def"
#undef X

#endif
