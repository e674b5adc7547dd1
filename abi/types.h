/*
 * abi/types.h: the fixed-width structures and constants that messages carry.
 *
 * Numbers are Linux's (x86-64 and the generic ABI agree on all of these). Times are nanoseconds
 * since the Unix epoch. Nothing here has padding that is not a named field.
 */
#ifndef PF_ABI_TYPES_H
#define PF_ABI_TYPES_H

#include <stdint.h>

enum pf_call_number {
#define X(number, name, input, output, args, meaning) PF_CALL_##name = number,
#include "call.def"
#undef X
};

enum pf_errno {
#define X(number, name, text) PF_##name = number,
#include "errno.def"
#undef X
};

/* Not in errno.def, because no program sees it: the call was interrupted by signals whose handlers
 * all have PF_SA_RESTART. The libc runs them and makes the call again. */
#define PF_ERESTART 512

#define PF_AT_FDCWD            (-100)
#define PF_AT_SYMLINK_NOFOLLOW 0x100
#define PF_AT_REMOVEDIR        0x200
#define PF_AT_SYMLINK_FOLLOW   0x400
#define PF_AT_EMPTY_PATH       0x1000
#define PF_RENAME_NOREPLACE    1

#define PF_O_RDONLY    0
#define PF_O_WRONLY    1
#define PF_O_RDWR      2
#define PF_O_ACCMODE   3
#define PF_O_CREAT     0100
#define PF_O_EXCL      0200
#define PF_O_NOCTTY    0400
#define PF_O_TRUNC     01000
#define PF_O_APPEND    02000
#define PF_O_NONBLOCK  04000
#define PF_O_DIRECTORY 0200000
#define PF_O_NOFOLLOW  0400000
#define PF_O_CLOEXEC   02000000
#define PF_O_PATH      010000000

#define PF_UTIME_NOW  (-1)
#define PF_UTIME_OMIT (-2)

#define PF_SA_RESTART 0x10000000

/* st_mode type bits are Linux's: 0140000 socket … 0100000 regular, 040000 directory,
 * 020000 character device, 010000 FIFO, 0120000 symbolic link. */
struct pf_stat {
    uint64_t dev, ino;
    uint32_t mode, nlink;
    uint32_t uid, gid;
    uint64_t rdev;
    int64_t size;   /* bytes */
    int64_t blocks; /* units of 512 bytes */
    uint32_t blksize, reserved;
    int64_t atime_ns, mtime_ns, ctime_ns, btime_ns;
};

/* One record; the name follows, without NUL, and the record is padded to 8 bytes. */
struct pf_dirent {
    uint64_t ino;
    uint32_t type; /* DT_*: mode type >> 12 */
    uint32_t name_len;
};
#define PF_DIRENT_SIZE(name_len) ((uint32_t)((16u + (name_len) + 7u) & ~7u))

/* A name of the tree; its bytes follow, padded to 8, then the pieces of its contents, rising. What
 * lies in no piece is a hole. An entry with more pieces than fit comes again with the others. */
struct pf_tree_entry {
    uint64_t ino, size;
    int64_t mtime_ns, ctime_ns;
    uint32_t mode, uid, nlink;
    uint32_t depth; /* 1: in the root, else one more than the directory that it is in */
    uint32_t flags; /* PF_TREE_* */
    uint32_t name_len, pieces;
    uint32_t reserved; /* 0 */
};
#define PF_TREE_CONTINUED 0x1u /* the entry before, again */
#define PF_TREE_ABSENT    0x2u /* its contents, or names, are still with the host */

/* Where in the kernel's memory they lie; a link has one, its target. */
struct pf_tree_piece {
    uint64_t offset;
    uint32_t at, len;
};

struct pf_statfs {
    uint64_t block_size, blocks, blocks_free;
    uint64_t files, files_free;
};

/* LOCK: bytes of a file that are locked; of PF_LOCK_OF_WHOLE only the type counts. */
struct pf_lock {
    uint32_t type, whence; /* PF_LOCK_READ …; as of LSEEK: 0, 1 or 2 */
    int64_t start, len;    /* len 0: up to the end, wherever that will be; negative: before start */
    int32_t pid;           /* of TEST: whose it is; -1: an open file's */
    uint32_t unused;
};
#define PF_LOCK_READ       0
#define PF_LOCK_WRITE      1
#define PF_LOCK_NONE       2
#define PF_LOCK_TEST       0
#define PF_LOCK_SET        1
#define PF_LOCK_WAIT       2
#define PF_LOCK_OF_PROCESS 0 /* records; gone when it closes any descriptor of the file */
#define PF_LOCK_OF_FILE    1 /* records; gone with the open file, as dup() and fork() share it */
#define PF_LOCK_OF_WHOLE   2 /* flock() */

struct pf_pollfd {
    int32_t fd; /* a descriptor, PF_POLL_OPS, or any other negative number: ignored */
    uint16_t events, revents;
};
#define PF_POLL_OPS  (-1000)
#define PF_POLLIN    0x1
#define PF_POLLOUT   0x4
#define PF_POLLERR   0x8
#define PF_POLLHUP   0x10
#define PF_POLLNVAL  0x20

/*
 * EXEC and SPAWN: this header, then `bytes`:
 *   path NUL, argc strings each NUL-terminated, envc strings NAME=value each NUL-terminated,
 *   then action_count struct pf_spawn_action (SPAWN only, packed at actions_offset, which is
 *   8-aligned and counted from the start of the header), each with the path it names in the
 *   string area at path_offset (from the start of the header, NUL-terminated).
 */
struct pf_exec {
    uint32_t argc, envc;
    uint32_t actions_offset, action_count;
    uint32_t flags; /* PF_SPAWN_* */
    int32_t pgid;   /* with PF_SPAWN_SETPGROUP; 0: the child's own pid */
    uint64_t sigmask;    /* with PF_SPAWN_SETSIGMASK */
    uint64_t sigdefault; /* with PF_SPAWN_SETSIGDEF: signals put back to default */
    uint32_t strings_offset, strings_len; /* path, argv, env: from the start of the header */
};
#define PF_SPAWN_SETPGROUP  0x2u
#define PF_SPAWN_SETSIGDEF  0x4u
#define PF_SPAWN_SETSIGMASK 0x8u
#define PF_SPAWN_SETSID     0x80u  /* as SETSID, first of all */
#define PF_SPAWN_FOREGROUND 0x100u /* make its group the terminal's foreground group */

enum pf_spawn_action_kind {
    PF_SPAWN_OPEN = 1,  /* fd, path, flags, mode */
    PF_SPAWN_CLOSE = 2, /* fd */
    PF_SPAWN_DUP2 = 3,  /* from fd2 to fd */
    PF_SPAWN_CHDIR = 4, /* path */
};
struct pf_spawn_action {
    uint32_t kind;
    int32_t fd, fd2;
    int32_t flags;
    uint32_t mode, path_offset;
};

/*
 * ARGS: what a fresh process starts with. This header, then strings, each NUL-terminated:
 * the image's applet name (which command of a multicall image this is, independent of argv[0]),
 * the path executed, argc arguments, envc environment entries.
 */
struct pf_start_block {
    uint32_t argc, envc;
    uint32_t total_len; /* with this header */
    uint32_t reserved;
};

struct pf_rusage {
    int64_t user_ns, system_ns; /* derived from counted steps, so deterministic */
};

struct pf_wait {
    int32_t pid;
    int32_t status; /* as wait(2): exit code << 8, or the signal; stopped: sig << 8 | 0x7f */
    struct pf_rusage usage;
};

/* Host operations. Payloads and replies are described in hostop.def. */
enum pf_op_kind {
#define X(number, name, payload, reply) PF_OP_##name = number,
#include "hostop.def"
#undef X
};
enum pf_op_outcome {
    PF_OP_OK = 0,
    PF_OP_DENIED = 1,    /* CapabilityError "denied" */
    PF_OP_LIMIT = 2,     /* CapabilityError "limit" */
    PF_OP_FAILED = 3,    /* ToolError "failed" */
    PF_OP_INVALID = 4,   /* ToolError "invalid" */
    PF_OP_TIMEOUT = 5,   /* ToolError "timeout" */
    PF_OP_UNKNOWN = 6,   /* no such tool */
    PF_OP_CANCELLED = 7, /* the run ended at a limit */
};
struct pf_op_status {
    uint32_t outcome; /* enum pf_op_outcome */
    uint32_t reserved;
    uint64_t reply_len;
};
struct pf_op_request {
    uint32_t id, kind;
    uint32_t cancelled; /* 1: the guest no longer wants the answer of an id taken before */
    int32_t pid;
    uint64_t payload_len, offset; /* offset of the payload bytes that follow in this reply */
};

/* Processes that live over many runs, each with a name and texts of its own kind. */
enum pf_session {
    PF_SESSION_SHELL = 0,
    PF_SESSION_PYTHON = 1,
    PF_SESSIONS = 2,
};
enum pf_run_kind {
    PF_RUN_SESSION = 0, /* a text for the leader of a session */
    PF_RUN_SPAWN = 1,   /* a fresh process whose RUN_TEXT is the text */
};
#define PF_RUN_STDIN 0x1u /* the host will send stdin bytes; without it stdin is empty */
#define PF_RUN_END_OPTIONS 0x2u /* session: what it sets with `set` and `shopt` ends with it */
/* Session: before the text stand the run's working directory (empty: the session's), its variables
 * as NAME=VALUE, and an empty string, each ended by a NUL. They are put back when it is over. */
#define PF_RUN_PLACE 0x4u
struct pf_run_info {
    uint32_t number;   /* 1, 2, … */
    uint32_t flags;
    uint64_t text_len; /* bytes */
};
struct pf_run_state {
    uint32_t number;
    uint32_t foreground_done; /* 1: the program answered or its process ended */
    int32_t status;           /* exit status 0..255, or 128 + signal; valid when done */
    uint32_t session_alive;   /* bit n: the leader of session n (PF_SESSION_…) lives */
    uint32_t background;      /* processes alive besides session leaders and foreground */
    uint32_t ops_pending;     /* host operations unanswered */
    uint32_t parked_pid;      /* 0, or one process that waits without PF_MSG_UNWIND */
    uint32_t reserved;
};

struct pf_kernel_limits { /* UINT64_MAX: no limit but the hard one */
    uint64_t filesystem_bytes, files;
    uint64_t processes, open_files;
    uint64_t op_argument_bytes, op_result_bytes;
    uint64_t file_reserve; /* memory that the contents of files leave to programs */
};

struct pf_kernel_stats {
    uint64_t heap_bytes;       /* kernel memory in use */
    uint64_t filesystem_bytes; /* file contents */
    uint64_t files, processes;
    uint64_t calls;            /* of processes, since boot */
    uint64_t trim_offset, trim_len; /* a free page range of kernel memory to hand back, or 0 */
};

struct pf_process_info {
    int32_t pid, ppid, pgid;
    uint32_t state; /* 'R' 'S' 'T' 'Z' */
};

/*
 * A program file in the root begins with this, then IMAGE SPACE APPLET NEWLINE: exec loads that
 * image of the table and gives the program that applet name. A copy of such a file works too.
 */
#define PF_PROGRAM_MAGIC "\x7fPF1 "

#endif
