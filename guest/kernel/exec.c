/*
 * exec.c: programs: EXEC, "#!", and the start block that ARGS gives.
 *
 * A program file names an image of the table given at boot and the command of it (applet). The
 * kernel knows nothing else about images. The arguments and the environment of a program are kept
 * as one block until it execs again or ends; the libc fetches it with ARGS.
 */
#include "kernel.h"

#define IMAGE_NAME_MAX 32
#define HEAD           256 /* bytes of a file that are looked at, as Linux's BINPRM_BUF_SIZE */

static char images[PF_IMAGES_MAX][IMAGE_NAME_MAX];
static uint32_t image_count;

int k_exec_boot(const uint8_t *names, uint32_t len) {
    image_count = 0;
    const char *at = (const char *)names, *end = at + len;
    while (at < end) {
        const char *nul = memchr(at, 0, (size_t)(end - at));
        if (!nul || nul == at || nul - at >= IMAGE_NAME_MAX || image_count == PF_IMAGES_MAX)
            return -PF_EINVAL;
        memcpy(images[image_count++], at, (size_t)(nul - at) + 1);
        at = nul + 1;
    }
    return 0;
}

static int image_find(const char *name, uint32_t len) {
    for (uint32_t i = 0; i < image_count; i++)
        if (strlen(images[i]) == len && memcmp(images[i], name, len) == 0) return (int)i;
    return -PF_ENOEXEC;
}

/* ------------------------------------------------------------------ decoding */

/* `count` strings from *at on, all before end; moves *at behind them. */
static bool strings(const char **at, const char *end, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const char *nul = memchr(*at, 0, (size_t)(end - *at));
        if (!nul) return false;
        *at = nul + 1;
    }
    return true;
}

int k_exec_decode(const uint8_t *in, uint32_t len, bool actions, struct k_exec *exec) {
    if (len < sizeof exec->head) return -PF_EINVAL;
    memcpy(&exec->head, in, sizeof exec->head);
    const struct pf_exec *head = &exec->head;
    if (head->strings_offset > len || head->strings_len > len - head->strings_offset)
        return -PF_EINVAL;
    const char *at = (const char *)in + head->strings_offset, *end = at + head->strings_len;
    exec->path = at;
    if (!strings(&at, end, 1)) return -PF_EINVAL;
    exec->path_len = (uint32_t)(at - exec->path) - 1;
    exec->argv = at;
    if (!strings(&at, end, head->argc)) return -PF_EINVAL;
    exec->argv_len = (uint32_t)(at - exec->argv);
    exec->env = at;
    if (!strings(&at, end, head->envc)) return -PF_EINVAL;
    exec->env_len = (uint32_t)(at - exec->env);
    exec->base = in;
    exec->base_len = len;
    if (!actions) return head->action_count ? -PF_EINVAL : 0;
    uint32_t most = len / (uint32_t)sizeof(struct pf_spawn_action);
    if (head->action_count > most || head->actions_offset % 8 || head->actions_offset > len ||
        head->action_count * sizeof(struct pf_spawn_action) > len - head->actions_offset)
        return -PF_EINVAL;
    return 0;
}

/* ------------------------------------------------------------------ finding the program */

/* Strings that "#!" lines put before the arguments, the last first. They point into files. */
struct prefix {
    const char *at[PF_SHEBANG_DEPTH * 2 + 1];
    uint32_t len[PF_SHEBANG_DEPTH * 2 + 1];
    uint32_t count;
};

static void prefix_add(struct prefix *prefix, const char *at, uint32_t len) {
    prefix->at[prefix->count] = at;
    prefix->len[prefix->count++] = len;
}

struct program {
    struct k_inode *inode; /* referenced */
    int image;
    const char *applet; /* in the file */
    uint32_t applet_len;
    const char *path; /* that was executed last: the interpreter's */
    uint32_t path_len;
    struct prefix prefix;
};

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

/* "#! interpreter [argument]": the interpreter becomes the path to execute. */
static int interpreter(struct program *program, const char *text, uint32_t len) {
    const char *at = text + 2, *end = memchr(at, '\n', len - 2);
    if (!end) {
        if (len == HEAD) return -PF_ENOEXEC;
        end = text + len;
    }
    while (at < end && blank(*at)) at++;
    while (end > at && (blank(end[-1]) || end[-1] == 0)) end--;
    const char *name = at;
    while (at < end && !blank(*at) && *at) at++;
    uint32_t name_len = (uint32_t)(at - name);
    if (!name_len) return -PF_ENOEXEC;
    while (at < end && blank(*at)) at++;
    prefix_add(&program->prefix, program->path, program->path_len); /* instead of argv[0] */
    if (at < end) prefix_add(&program->prefix, at, (uint32_t)(end - at));
    program->path = name;
    program->path_len = name_len;
    return 0;
}

/* PF_PROGRAM_MAGIC image SPACE applet NEWLINE */
static int program_file(struct program *program, const char *text, uint32_t len) {
    uint32_t magic = (uint32_t)sizeof PF_PROGRAM_MAGIC - 1;
    const char *at = text + magic, *end = memchr(at, '\n', len - magic);
    if (!end) return -PF_ENOEXEC;
    const char *space = memchr(at, ' ', (size_t)(end - at));
    if (!space) return -PF_ENOEXEC;
    program->applet = space + 1;
    program->applet_len = (uint32_t)(end - space) - 1;
    program->image = image_find(at, (uint32_t)(space - at));
    return program->image < 0 ? program->image : 0;
}

/* 1: look again at program->path; 0: found; or -errno. */
static int inspect(struct program *program, struct k_proc *proc) {
    struct k_inode *inode = program->inode;
    if (k_type(inode) != K_IFREG || inode->kind != K_FILE) return -PF_EACCES;
    if (!k_may(proc, inode, K_MAY_X) || !(inode->mode & 0111)) return -PF_EACCES;
    int absent = k_want(inode);
    if (absent) return absent;
    uint32_t magic = (uint32_t)sizeof PF_PROGRAM_MAGIC - 1;
    uint32_t len = inode->size < HEAD ? (uint32_t)inode->size : HEAD;
    if (len < 2) return -PF_ENOEXEC;
    const uint8_t *head;
    len = k_data_piece(&inode->data, 0, len, &head);
    const char *text = (const char *)head;
    if (len > magic && memcmp(text, PF_PROGRAM_MAGIC, magic) == 0)
        return program_file(program, text, len);
    if (len < 2 || text[0] != '#' || text[1] != '!') return -PF_ENOEXEC;
    int error = interpreter(program, text, len);
    return error ? error : 1;
}

/* Strings in `program` stay valid during this call: the files they are in have names, or the
 * caller's message. */
static int program_find(struct program *program, struct k_proc *proc, const char *path,
                        uint32_t len) {
    *program = (struct program){.path = path, .path_len = len};
    for (int depth = 0; depth <= PF_SHEBANG_DEPTH; depth++) {
        int result = k_find(proc, PF_AT_FDCWD, program->path, program->path_len, K_WALK_FOLLOW,
                            &program->inode);
        if (result) return result;
        result = inspect(program, proc);
        if (result == 0) return 0;
        k_inode_put(program->inode);
        program->inode = NULL;
        if (result < 0) return result;
    }
    return -PF_ELOOP;
}

/* ------------------------------------------------------------------ loading it */

static int append(struct k_start *start, const void *bytes, uint32_t len) {
    if (len > PF_MESSAGE_IN_MAX || start->len + len > PF_MESSAGE_IN_MAX) return -PF_E2BIG;
    int64_t n = k_data_write(&start->data, start->len, bytes, len);
    if (n < (int64_t)len) return -PF_ENOMEM;
    start->len += len;
    return 0;
}

static int append_string(struct k_start *start, const char *text, uint32_t len) {
    int error = append(start, text, len);
    return error ? error : append(start, "", 1);
}

void k_start_put(struct k_start *start) {
    if (!start || --start->refs) return;
    k_data_free(&start->data);
    k_free(start);
}

static int start_fill(struct k_start *start, const struct program *program,
                      const struct k_exec *exec) {
    struct pf_start_block head = {.argc = exec->head.argc, .envc = exec->head.envc};
    const char *argv = exec->argv;
    uint32_t argv_len = exec->argv_len, from_prefix = program->prefix.count;
    if (from_prefix) { /* the script's own argv[0] gives way to its path */
        if (head.argc) {
            uint32_t first = (uint32_t)strlen(argv) + 1;
            argv += first;
            argv_len -= first;
            head.argc--;
        }
        head.argc += from_prefix + 1;
    }
    int error = append(start, &head, sizeof head);
    if (!error) error = append_string(start, program->applet, program->applet_len);
    if (!error) error = append_string(start, program->path, program->path_len);
    start->argv_offset = start->len;
    if (!error && from_prefix) error = append_string(start, program->path, program->path_len);
    for (uint32_t i = from_prefix; !error && i-- > 0;)
        error = append_string(start, program->prefix.at[i], program->prefix.len[i]);
    if (!error) error = append(start, argv, argv_len);
    start->argv_len = start->len - start->argv_offset;
    start->env_len = exec->env_len;
    if (!error) error = append(start, exec->env, exec->env_len);
    if (error) return error;
    head.total_len = start->len;
    k_data_write(&start->data, 0, &head, sizeof head);
    return 0;
}

static int start_new(const struct program *program, const struct k_exec *exec,
                     struct k_start **out) {
    struct k_start *start = k_zalloc(sizeof *start);
    if (!start) return -PF_ENOMEM;
    start->refs = 1;
    int error = start_fill(start, program, exec);
    if (error) {
        k_start_put(start);
        return error;
    }
    *out = start;
    return 0;
}

/* The last component of the path that was asked for, as Linux's comm. */
static void set_name(struct k_proc *proc, const char *path, uint32_t len) {
    uint32_t from = len;
    while (from > 0 && path[from - 1] != '/') from--;
    len -= from;
    if (len > sizeof proc->name - 1) len = sizeof proc->name - 1;
    memset(proc->name, 0, sizeof proc->name);
    memcpy(proc->name, path + from, len);
}

int k_exec_load(struct k_proc *proc, const struct k_exec *exec) {
    struct program program;
    int error = program_find(&program, proc, exec->path, exec->path_len);
    if (error) return error;
    struct k_start *start;
    error = start_new(&program, exec, &start);
    if (error) {
        k_inode_put(program.inode);
        return error;
    }
    k_start_put(proc->start);
    proc->start = start;
    if (proc->exe) k_inode_put(proc->exe);
    proc->exe = program.inode;
    proc->image = program.image;
    proc->load = true;
    proc->execed = true;
    set_name(proc, exec->path, exec->path_len);
    k_fds_close(proc, true);
    k_signals_exec(proc);
    return 0;
}

int64_t k_do_EXEC(struct k_call *call) {
    struct k_exec exec;
    int error = k_exec_decode(call->in, call->msg->in_len, false, &exec);
    if (!error) error = k_exec_load(call->proc, &exec);
    if (error) return error;
    k_ops_close(call->proc);
    k_ready(call->proc, true);
    return K_GONE;
}

int64_t k_do_ARGS(struct k_call *call) {
    const struct k_start *start = call->proc->start;
    int64_t offset = k_arg(call, 0);
    if (!start) return -PF_ENODATA;
    if (offset < 0) return -PF_EINVAL;
    if (offset < start->len) {
        uint32_t len = start->len - (uint32_t)offset, cap = k_out_cap(call);
        if (len > cap) len = cap;
        k_data_copy_out(&start->data, offset, k_out_area(), len);
        k_out(call, k_out_area(), len);
    }
    return start->len;
}
