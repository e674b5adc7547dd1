/*
 * tests/api/test_hostile_kernel.c: a kernel that lies to the host.
 *
 * The real kernel, but between its answers and the host somebody changes what it says: actions,
 * events, ranges at the edges of 2^32, lengths, results, counts of attention, or its whole mailbox.
 * It also faults, does not come back, and takes all the memory it can get. The host must neither
 * crash nor hang nor read outside, and what it holds stays within the sandbox's limits; a neighbour
 * notices nothing. That is all a hostile kernel image could do: it has no imports.
 *
 * Linked with --wrap=pf_images: the table of images starts with the liar. A failure prints its
 * seed; SEEDS and FIRST in the environment look further.
 */
#include "abi/limits.h"
#include "abi/message.h"
#include "abi/types.h"
#include "harness.h"
#include "host/cpu/image.h"

#include <stdint.h>
#include <unistd.h>

enum { MEMORY = 64 << 20, OUTPUT = 64 << 10, IMAGES = 64 };

extern const struct pf_image *const __real_pf_images[];
const struct pf_image *__wrap_pf_images[IMAGES];

static const struct pf_image *honest;
static struct pf_image liar;
static bool lying;
static unsigned truths; /* of so many answers, one is a lie */
static uint64_t state;
static long lies;

static uint64_t any(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 8;
}

static uint32_t edge(uint32_t size) {
    switch (any() % 10) {
    case 0: return 0;
    case 1: return size;
    case 2: return size - (uint32_t)(any() % 16);
    case 3: return UINT32_MAX - (uint32_t)(any() % 16);
    case 4: return 1u << 31;
    case 5: return PF_IO_MAX + (uint32_t)(any() % 3) - 1;
    case 6: return (uint32_t)any();
    default: return (uint32_t)(any() % 300);
    }
}

static int64_t number(void) {
    static const int64_t some[] = {0, 1, -1, -2, -12, INT64_MAX, INT64_MIN, 1ll << 32, 65536, 4096};
    return any() % 3 ? some[any() % (sizeof some / sizeof *some)] : (int64_t)any();
}

static struct pf_mailbox *mailbox(void *module, uint32_t *size) {
    wasm_rt_memory_t *memory = honest->memory(module);
    *size = memory->size;
    return (struct pf_mailbox *)(memory->data + honest->k_mailbox(module));
}

/* Changes something that the host reads. */
static void tamper(void *module, struct pf_mailbox *box, uint32_t size) {
    struct pf_message *m = &box->msg;
    lies++;
    switch (any() % 14) {
    case 0: m->out = edge(size); break;
    case 1: m->out_len = edge(size); break;
    case 2:
        m->out = size - 8;
        m->out_len = 8 + (uint32_t)(any() % 3);
        break;
    case 3: m->result = number(); break;
    case 4: m->flags = (uint32_t)any(); break;
    case 5: m->arg[any() % PF_MESSAGE_ARGS] = number(); break;
    case 6:
    case 7: box->attention = (uint32_t)any() % 128; break;
    case 8:
        m->out = edge(size);
        m->out_len = PF_IO_MAX;
        m->result = PF_IO_MAX;
        break;
    case 13: box->clean = (uint64_t)number(); break;
    case 12: /* far more than was asked for */
        m->out = 0;
        m->out_len = size;
        break;
    case 9: { /* what the answer says, not where it lies */
        uint64_t at = (uint64_t)m->out + any() % (m->out_len ? m->out_len : 1);
        uint64_t word = (uint64_t)number();
        if (at + sizeof word <= size) memcpy(honest->memory(module)->data + at, &word, sizeof word);
        break;
    }
    case 10:
        for (size_t i = 0; i < sizeof *box; i++)
            if (any() % 4 == 0) ((uint8_t *)box)[i] = (uint8_t)any();
        break;
    default: { /* its own data: the kernel does the rest itself */
        uint32_t at = (uint32_t)(any() % size);
        honest->memory(module)->data[at] ^= (uint8_t)any();
    }
    }
}

static bool lies_now(void) {
    return lying && any() % truths == 0;
}

static uint32_t lying_call(void *module, uint32_t proc) {
    uint32_t action = honest->k_call(module, proc), size;
    if (lying && action == PF_ACTION_FORK && any() % 4 == 0) { /* who the child is */
        static const int64_t places[] = {0, PF_PROCESS_TABLE, PF_PROCESS_TABLE + 1, -1, 1, 1 << 20};
        mailbox(module, &size)->msg.arg[0] = places[any() % 6];
        lies++;
        return action;
    }
    if (!lies_now()) return action;
    struct pf_mailbox *box = mailbox(module, &size);
    tamper(module, box, size);
    switch (any() % 8) {
    case 0: return (uint32_t)any() % 5;
    case 1: return (uint32_t)any();
    default: return action;
    }
}

static void lying_next(void *module) {
    uint32_t size;
    honest->k_next(module);
    if (!lies_now()) return;
    struct pf_mailbox *box = mailbox(module, &size);
    struct pf_event *event = &box->event;
    switch (any() % 7) {
    case 0: event->kind = (uint32_t)any() % 5; break;
    case 1: event->proc = PF_PROCESS_TABLE + (uint32_t)any() % 40; break;
    case 2: event->proc = edge(size); break;
    case 3: event->image = (int32_t)number(); break;
    case 4: event->image = (int32_t)(any() % IMAGES); break;
    case 5: event->deadline_ns = number(); break;
    default: tamper(module, box, size);
    }
}

__attribute__((constructor)) static void take_over(void) {
    int n = 0;
    honest = __real_pf_images[0];
    liar = *honest;
    liar.k_call = lying_call;
    liar.k_next = lying_next;
    __wrap_pf_images[0] = &liar;
    while (__real_pf_images[++n]) __wrap_pf_images[n] = __real_pf_images[n];
}

/* ---- the embedder */

static pf_sandbox *small(bool fixed) {
    pf_options *options = make_options("get");
    static const struct {
        const char *name;
        uint64_t value;
    } limits[] = {
        {"memory_bytes", MEMORY},       {"output_bytes", OUTPUT}, {"tool_result_bytes", 65536},
        {"tool_argument_bytes", 65536}, {"cpu_ms", 200},          {"wall_ms", 400}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        MUST(pf_options_limit(options, limits[i].name, limits[i].value, &test_error));
    if (fixed) {
        pf_options_clock(options, 1700000000000000000);
        pf_options_seed(options, 1);
    }
    pf_sandbox *s = NULL;
    pf_sandbox_new(options, &s, &test_error); /* may be refused: it lies already */
    pf_options_free(options);
    return s;
}

static void look(const pf_sandbox *s) {
    const pf_result *r = pf_sandbox_result(s);
    if (!r) return;
    CHECK(r->stdout_len <= OUTPUT && r->stderr_len <= OUTPUT && r->value_len <= 65536);
    CHECK(r->memory_bytes <= MEMORY && r->exit_code >= 0 && r->exit_code <= 255);
    CHECK(strlen(r->stdout_data) <= r->stdout_len);
}

static void answer(pf_sandbox *s) {
    pf_call calls[4];
    for (int i = 0; i < 6 && pf_sandbox_pending(s, calls, 4) > 0; i++) {
        CHECK(calls[0].params_len == strlen(calls[0].params));
        if (any() % 2)
            pf_sandbox_resume(s, calls[0].id, "[1,2]", 5, &test_error);
        else
            pf_sandbox_fail(s, calls[0].id, PF_FAILURE_DENIED, "no", &test_error);
    }
}

static void files(pf_sandbox *s) {
    char *data = NULL;
    size_t len;
    pf_file_info info;
    pf_file_write(s, "/workspace/a/b", "contents", 8, &test_error);
    if (pf_file_take(s, "/workspace/a/b", &data, &len, &test_error) == PF_OK) {
        CHECK(data && len <= MEMORY && data[len] == 0);
        pf_free(data);
    }
    if (pf_file_list(s, "/workspace", &data, &len, &test_error) == PF_OK) {
        CHECK(len == 0 || data[len - 1] == 0);
        pf_free(data);
    }
    pf_file_stat(s, "/workspace/a", &info, &test_error);
    pf_file_remove(s, "/workspace/a/b", &test_error);
    pf_process processes[4];
    pf_sandbox_processes(s, processes, 4);
}

static void copies(pf_sandbox *s) {
    pf_sandbox *branch = NULL;
    char *data = NULL;
    size_t len;
    if (pf_sandbox_fork(s, &branch, &test_error) == PF_OK) {
        answer(branch);
        look(branch);
        pf_sandbox_free(branch);
    }
    if (pf_sandbox_snapshot(s, &data, &len, &test_error) != PF_OK) return;
    pf_options *options = make_options("get");
    MUST(pf_options_limit(options, "memory_bytes", MEMORY, &test_error));
    MUST(pf_options_limit(options, "cpu_ms", 200, &test_error));
    MUST(pf_options_limit(options, "wall_ms", 400, &test_error));
    if (pf_sandbox_restore(options, data, len, &branch, &test_error) == PF_OK) {
        answer(branch);
        pf_sandbox_free(branch);
    }
    pf_options_free(options);
    pf_free(data);
}

static void work(pf_sandbox *s) {
    static const struct {
        const char *language, *code;
    } runs[] = {
        {"shell",
         "for i in 1 2 3; do echo $i | (read x; echo got $x > /tmp/f$i); done; cat /tmp/f*"},
        {"shell", "tool get --n 1 | tr a b; sleep 0.01; (echo sub; exit 3); tool get --n 2 & wait"},
        {"shell", "cat > /workspace/in; seq 2000 | sort -rn | tail -3; ls -l / /proc; kill -9 $$"},
        {"javascript", "const r = await Promise.all([get({}), get({n: 2})]); return [r, 'x']"},
        {"javascript", "require('child_process').execSync('echo deep; tool get'); return 1"},
    };
    for (int i = 0; i < 4; i++) {
        size_t which = any() % (sizeof runs / sizeof *runs);
        pf_run run = {.size = sizeof run, .language = runs[which].language,
                      .code = runs[which].code,
                      .code_len = strlen(runs[which].code),
                      .stdin_data = "some input\n",
                      .stdin_len = any() % 2 ? 11 : 0};
        if (any() % 8 == 0) pf_sandbox_interrupt(s);
        pf_sandbox_start(s, &run, &test_error);
        if (any() % 3 == 0) copies(s);
        answer(s);
        pf_sandbox_advance(s, &test_error);
        if (any() % 2) files(s);
        look(s);
    }
}

static long resident_pages(void) {
    long all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return resident;
}

static void test_lies(pf_sandbox *neighbour) {
    const char *text = getenv("SEEDS"), *from = getenv("FIRST");
    int seeds = text ? atoi(text) : 60, first = from ? atoi(from) : 1;
    static const unsigned rates[] = {3, 20, 100, 400, 3000};
    long before = 0;
    for (int seed = first; seed < first + seeds; seed++) {
        int failed = checks_failed;
        state = ((uint64_t)seed + 1) * 0x9e3779b97f4a7c15u | 1;
        truths = rates[any() % 5];
        bool at_once = any() % 4 == 0;
        lying = at_once;
        pf_sandbox *s = small(any() % 2);
        lying = true;
        if (s) work(s);
        lying = false;
        pf_sandbox_free(s);
        CHECK_RUN(neighbour, "shell", "echo $secret; cat kept", "mine\nmine\n", 0);
        if (checks_failed != failed) printf("  with seed %d (FIRST=%d SEEDS=1)\n", seed, seed);
        if (seed == first + seeds / 4) before = resident_pages();
    }
    /* Freed sandboxes leave nothing behind, however they ended. */
    if (before) CHECK((resident_pages() - before) * sysconf(_SC_PAGESIZE) < MEMORY);
    CHECK(lies > seeds);
}

/* ---- what a kernel can do once */

static enum { NOTHING, HANG, WILD_READ, WILD_WRITE, GROW, RECURSE } crime;

/* This kernel is written in C: what generated code asks in a build without signal handlers, it asks
 * here. */
#ifdef PF_NO_SIGNALS
#include "host/cpu/guard.h"
#define ASK(module) CPU_CHECK(*(struct cpu_guard **)(module))
#define ACCESS(access) wasm_rt_trap(WASM_RT_TRAP_OOB)
#else
#define ASK(module) (void)(module)
#define ACCESS(access) (access)
#endif

static int deeper(void *module, volatile char *s, int n) {
    volatile char room[4096];
    ASK(module);
    room[0] = (char)n;
    return n ? deeper(module, room, n + 1) + s[0] + room[0] : 0;
}

static void commit(void *module) {
    wasm_rt_memory_t *memory = honest->memory(module);
    switch (crime) {
    case HANG:
        for (volatile int i = 1; i;) ASK(module);
        break;
    case WILD_READ: ACCESS((void)*(volatile uint8_t *)(memory->data + memory->size)); break;
    case WILD_WRITE: ACCESS(*(volatile uint64_t *)(memory->data + 8589934591u) = 1); break;
    case GROW:
        for (uint32_t by = 32768; by > 0; by /= 2)
            while (wasm_rt_grow_memory(memory, by) != UINT32_MAX) {
            }
        break;
    case RECURSE: deeper(module, "", 1); break;
    default: return;
    }
}

static uint32_t criminal_call(void *module, uint32_t proc) {
    if (crime) commit(module);
    return honest->k_call(module, proc);
}

static void criminal_next(void *module) {
    if (crime) commit(module);
    honest->k_next(module);
}

/* In a run, where programs call it, and outside of one, where the embedder reads a file. */
static void test_crimes(pf_sandbox *neighbour) {
    for (int c = HANG; c <= RECURSE; c++)
        for (int way = 0; way < 3; way++) {
            pf_sandbox *s = small(false);
            pf_run cat = {.size = sizeof cat, .language = "shell", .code = "cat f", .code_len = 5};
            char *data = NULL;
            size_t len;
            run(s, "shell", "echo x > f");
            liar.k_call = way == 2 ? lying_call : criminal_call;
            liar.k_next = way == 2 ? criminal_next : lying_next;
            if (way == 1) { /* the host's call that brings the answer, then the program's */
                pf_run request = {.size = sizeof request, .language = "shell", .code = "tool get; cat f", .code_len = 15};
                pf_sandbox_start(s, &request, &test_error);
                crime = (int)c;
                answer(s);
            } else {
                crime = (int)c;
                if (way == 0)
                    pf_file_take(s, "/workspace/f", &data, &len, &test_error);
                else
                    pf_sandbox_start(s, &cat, &test_error);
            }
            crime = NOTHING;
            liar.k_call = lying_call;
            liar.k_next = lying_next;
            pf_run again = {.size = sizeof again, .language = "shell", .code = "echo alive", .code_len = 10};
            pf_status status = pf_sandbox_start(s, &again, &test_error);
            CHECK(status == (c == GROW ? PF_OK : PF_DEAD));
            if (status != (c == GROW ? PF_OK : PF_DEAD)) printf("  crime %d, way %d\n", c, way);
            pf_free(data);
            pf_sandbox_free(s);
            CHECK_RUN(neighbour, "shell", "echo $secret", "mine\n", 0);
        }
}

/* ---- what a kernel can make up for an embedder that looks at files */

static enum {
    HONEST,
    TWINS,    /* each directory has two in it, which are new ones each time */
    LOOP,     /* the same, but they are all one */
    MANY,     /* a directory that never ends */
    LONG,     /* files of the largest size, which come a byte at a time */
    PIECES,   /* the same, in pieces that are somewhere */
    WILD,     /* numbers without any sense */
    NAMES,    /* names that are paths, or come twice */
    FORGERIES
} forgery;

static unsigned listed;

static void say(struct pf_mailbox *box, void *module, int64_t result, const void *data,
                uint32_t len) {
    box->msg.result = result;
    box->msg.out = box->in_area;
    box->msg.out_len = len;
    if (len) memcpy(honest->memory(module)->data + box->in_area, data, len);
}

static uint32_t add_entry(char *to, uint32_t at, const char *name) {
    struct pf_dirent head = {.ino = any(), .type = 4, .name_len = (uint32_t)strlen(name)};
    memset(to + at, 0, PF_DIRENT_SIZE(head.name_len));
    memcpy(to + at, &head, sizeof head);
    memcpy(to + at + sizeof head, name, head.name_len);
    return at + PF_DIRENT_SIZE(head.name_len);
}

static void forge_names(struct pf_mailbox *box, void *module) {
    static const char *const names[] = {"a", "b", "../../etc", "a", "/", "c/d", ".", "\xff\xfe"};
    char records[512], name[24];
    uint32_t len = 0, count = forgery == NAMES ? 8 : 2;
    if (forgery != MANY && listed++ % 2) count = 0;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "n%llu", (unsigned long long)any());
        len = add_entry(records, len, forgery == MANY ? name : names[i]);
    }
    say(box, module, len, records, len);
}

static void forge_stat(struct pf_mailbox *box, void *module) {
    struct pf_stat st = {.mode = 0040755, .nlink = 1, .size = 4096};
    st.ino = forgery == LOOP ? 7 : any();
    bool file = forgery == LONG || forgery == PIECES || forgery == WILD;
    if (file && (box->msg.call == PF_CALL_FSTAT || any() % 3)) {
        st.mode = 0100644;
        st.nlink = 1 + (uint32_t)(any() % 3);
        st.size = PF_FILE_SIZE_MAX;
        if (forgery == WILD) st.size = number();
    }
    say(box, module, 0, &st, sizeof st);
}

static void forge(struct pf_mailbox *box, void *module, uint32_t call, const int64_t *arg) {
    switch (call) {
    case PF_CALL_OPENAT: say(box, module, 3, NULL, 0); break;
    case PF_CALL_CLOSE:
    case PF_CALL_HOST_SOURCE: say(box, module, 0, NULL, 0); break;
    case PF_CALL_GETDENTS: forge_names(box, module); break;
    case PF_CALL_FSTATAT:
    case PF_CALL_FSTAT: forge_stat(box, module); break;
    case PF_CALL_READ:
    case PF_CALL_PREAD: say(box, module, 1, "x", 1); break;
    case PF_CALL_READLINKAT: say(box, module, forgery == WILD ? INT64_MIN : 4000, "x", 1); break;
    case PF_CALL_LSEEK:
        if (forgery == WILD) say(box, module, number(), NULL, 0);
        else if (forgery == PIECES) say(box, module, arg[1] + 1 + (int64_t)(any() % 4096), NULL, 0);
        else say(box, module, arg[2] == 3 ? arg[1] : PF_FILE_SIZE_MAX, NULL, 0);
        break;
    default: break;
    }
}

static uint32_t forging_call(void *module, uint32_t proc) {
    uint32_t size;
    struct pf_mailbox *box = mailbox(module, &size);
    uint32_t call = box->msg.call;
    int64_t arg[PF_MESSAGE_ARGS];
    memcpy(arg, box->msg.arg, sizeof arg);
    uint32_t action = honest->k_call(module, proc);
    if (!forgery || proc != 0) return action;
    forge(box, module, call, arg);
    return PF_ACTION_RETURN;
}

static char host[64];

static void export_to_fresh(pf_sandbox *s) {
    static int count;
    char path[96], command[256];
    snprintf(path, sizeof path, "%s/out%d", host, count++);
    pf_mount_export(s, "/m", path, &test_error);
    snprintf(command, sizeof command, "chmod -R u+rwx %s 2> /dev/null; rm -rf %s", path, path);
    if (system(command) != 0) CHECK(!"removed");
}

/* Each ends, within its bounds; the sandbox may be given up. */
static void test_forgeries(pf_sandbox *neighbour) {
    pf_options *options = make_options("get");
    snprintf(host, sizeof host, "/tmp/hostile_XXXXXX");
    CHECK(mkdtemp(host) != NULL);
    MUST(pf_options_limit(options, "memory_bytes", MEMORY, &test_error));
    MUST(pf_options_mount(options, host, "/m", PF_MOUNT_COPY, &test_error));
    liar.k_call = forging_call;
    state = 88172645463325252u;
    for (int f = TWINS; f < FORGERIES; f++) {
        pf_bounds bounds = {.size = sizeof bounds, .max_bytes = 4 << 20, .max_seconds = 0.3};
        pf_sandbox *s = NULL;
        char *data = NULL;
        size_t len = 0;
        pf_file_info info;
        MUST(pf_sandbox_new(options, &s, &test_error));
        MUST(pf_sandbox_bound(s, &bounds, &test_error));
        forgery = (int)f;
        pf_status changes = pf_mount_changes(s, "/m", &data, &len, &test_error);
        CHECK(changes != PF_OK || len <= bounds.max_bytes);
        if (f == LOOP) CHECK(changes == PF_GUEST && strstr(test_error.message, "also"));
        if (f == TWINS) CHECK(changes == PF_BOUND);
        pf_free(data);
        for (int only = 0; only < 2; only++) {
            pf_status tar = pf_mount_tar(s, "/m", only, &data, &len, &test_error);
            CHECK(tar != PF_OK || len <= bounds.max_bytes);
            pf_free(data);
        }
        export_to_fresh(s);
        pf_status take = pf_file_take(s, "/m/x", &data, &len, &test_error);
        CHECK(take != PF_OK || len <= bounds.max_bytes);
        pf_free(data);
        pf_status list = pf_file_list(s, "/m", &data, &len, &test_error);
        CHECK(list != PF_OK || len <= bounds.max_bytes);
        if (f == MANY) CHECK(list == PF_BOUND || list == PF_GUEST);
        pf_free(data);
        pf_status link = pf_file_link(s, "/m/x", &data, &len, &test_error);
        if (link == PF_OK) CHECK(len == 1); /* as much as was told */
        if (link == PF_GUEST) CHECK(test_error.guest_errno > 0);
        pf_free(data);
        uint8_t digest[PF_DIGEST_BYTES];
        pf_file_digest(s, "/m/x", digest, &test_error);
        pf_file_stat(s, "/m/x", &info, &test_error);
        pf_file_write(s, "/m/x/y", "text", 4, &test_error);
        forgery = HONEST;
        pf_sandbox_free(s);
        CHECK_RUN(neighbour, "shell", "echo $secret", "mine\n", 0);
    }
    liar.k_call = lying_call;
    pf_options_free(options);
    rmdir(host);
}

static uint32_t nameless_call(void *module, uint32_t proc) {
    uint32_t size;
    struct pf_mailbox *box = mailbox(module, &size);
    bool take = proc == 0 && box->msg.call == PF_CALL_HOST_OP_TAKE;
    uint32_t action = honest->k_call(module, proc);
    if (take && box->msg.out_len >= sizeof(struct pf_op_request))
        memset(honest->memory(module)->data + box->msg.out, 0, sizeof(uint32_t)); /* its id */
    return action;
}

/* Nobody could answer it, and no snapshot has it. */
static void test_operation_without_a_number(void) {
    liar.k_call = nameless_call;
    pf_sandbox *s = make_sandbox("get");
    char *data = NULL;
    size_t len = 0;
    start(s, "shell", "get");
    CHECK(pf_sandbox_pending(s, NULL, 0) == 0);
    MUST(pf_sandbox_snapshot(s, &data, &len, &test_error));
    pf_free(data);
    pf_sandbox_free(s);
    liar.k_call = lying_call;
}

static uint32_t wanting_call(void *module, uint32_t proc) {
    uint32_t size, action = honest->k_call(module, proc);
    if (!lying || proc != 0) return action;
    mailbox(module, &size)->attention |= PF_ATTENTION_FILL;
    return PF_ACTION_BLOCK;
}

/* Each call, also those that bring in what another one wants. */
static void test_wanting_for_ever(void) {
    liar.k_call = wanting_call;
    pf_sandbox *s = make_sandbox("");
    lying = true;
    CHECK(pf_file_stat(s, "/tmp", &(pf_file_info){0}, &test_error) != PF_OK);
    lying = false;
    pf_sandbox_free(s);
    liar.k_call = lying_call;
}

int main(void) {
    pf_sandbox *neighbour = small(false);
    CHECK_RUN(neighbour, "shell", "secret=mine; echo $secret > kept", "", 0);
    test_lies(neighbour);
    test_crimes(neighbour);
    test_forgeries(neighbour);
    test_operation_without_a_number();
    test_wanting_for_ever();
    pf_sandbox_free(neighbour);
    return finish_tests();
}
