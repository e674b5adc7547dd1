/*
 * pinfold.h: the whole C interface of pinfold, a sandbox that lives inside your process.
 *
 * A sandbox is a small Unix (bash, JavaScript, the usual commands) compiled to WebAssembly and from
 * there to native code. Programs in it reach the outside only through tools that you grant; each
 * call is checked against capabilities here, on the host, before you see it.
 *
 *     pf_options *options = pf_options_new();
 *     pf_sandbox *sandbox = NULL;
 *     pf_error error;
 *     if (pf_sandbox_new(options, &sandbox, &error) != PF_OK) die(error.message);
 *     pf_run run = {.size = sizeof run, .language = "shell"};
 *     run.code = "echo hello | tr a-z A-Z; tool order --item tea";
 *     run.code_len = strlen(run.code);
 *     pf_status status = pf_sandbox_start(sandbox, &run, &error);
 *     pf_call call;
 *     while (status == PF_OK && pf_sandbox_step(sandbox, &call, &error) == PF_OK) {
 *         const char *answer = my_tool(call.method, call.params);      // JSON; NULL: it failed
 *         status = answer ? pf_sandbox_resume(sandbox, call.id, answer, strlen(answer), &error)
 *                         : pf_sandbox_fail(sandbox, call.id, PF_FAILED, "sold out", &error);
 *     }
 *     if (status != PF_OK) die(error.message);
 *     const pf_result *result = pf_sandbox_result(sandbox);            // stdout_data: "HELLO\n…"
 *
 * Calls may be answered later and in any order: pf_sandbox_step() hands out all that wait, and
 * pf_sandbox_wait_ns() says when a sleeping program wants to go on meanwhile. examples/c/ has programs.
 *
 * OWNERSHIP. A function named _new, _restore or _take gives an object or buffer to the caller, who
 * frees it with the matching _free. Everything returned as a pointer to const belongs to the sandbox
 * and says how long it lives. Strings are UTF-8; a (data, length) pair may hold any bytes.
 *
 * THREADS. Different sandboxes may be used from different threads at the same time. One sandbox
 * belongs to one thread at a time: a second thread that enters gets PF_BUSY at once. Only
 * pf_sandbox_interrupt(), _stop() and _kill() may be called from any thread, and from a signal
 * handler.
 *
 * ERRORS. Two channels that never mix. A pf_status other than PF_OK, with a pf_error, says that
 * *you* (or the machine) did something wrong: nothing ran, nothing was lost unless it says so. What
 * the *guest* did wrong (a failing script, a denied call, a limit) is in pf_result.
 *
 * SIZES. A structure that you fill begins with its size: set it to sizeof. A later library, whose
 * structure has more members, takes those that you do not have as zero; an earlier one refuses what it
 * does not know with PF_UNSUPPORTED, if you set it. 0 is PF_INVALID. Structures that the library
 * fills change only with PF_ABI_VERSION.
 */
#ifndef PINFOLD_H
#define PINFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PF_API __attribute__((visibility("default")))
#else
#define PF_API
#endif

/* The version of the interface; pf_abi_version() is that of the library actually loaded. */
#define PF_ABI_VERSION 1
PF_API int pf_abi_version(void);
/* "0.1.0"; constant. */
PF_API const char *pf_version(void);

/* ------------------------------------------------------------------ statuses and errors */

typedef enum pf_status {
    PF_OK = 0,
    PF_DONE = 1,        /* pf_sandbox_step: there is no call to hand out. Not an error */
    PF_INVALID = -1,    /* an argument, option, policy, schema or JSON text is wrong */
    PF_BUSY = -2,       /* the sandbox is in use by another thread, or from its own handler */
    PF_STATE = -3,      /* not possible now: a run is on, no run is on, the call was answered */
    PF_NO_MEMORY = -4,  /* the host could not get memory or address space */
    PF_NOT_FOUND = -5,  /* no such file, call or option */
    PF_FORMAT = -6,     /* a snapshot that is truncated, altered or of another build */
    PF_DEAD = -7,       /* the sandbox was given up (its kernel failed or hung); only free it */
    PF_GUEST = -8,      /* a file operation failed inside: the message is the guest's errno text */
    PF_UNSUPPORTED = -9, /* this build cannot do that; the message says what can */
    PF_DIVERGED = -10,   /* a replay did something else than its trace; the message shows both */
    PF_DENIED = -11,     /* pf_gate_check: the capabilities do not allow the call */
    PF_NO_TIMER = -12,   /* the system refuses what limits of time need: nothing ran. The message says
                            which limit of this process to raise */
    PF_BOUND = -13,      /* pf_bounds, or those of a replay: the message names the bound */
    PF_INTERRUPTED = -14 /* pf_sandbox_interrupt() came while something was done that is no run */
} pf_status;

/* "PF_INVALID": the name of a status as it stands here; "PF_?" for one that this library does not
 * have. Constant. */
PF_API const char *pf_status_name(pf_status status);

/* Filled by a function that returns another status than PF_OK or PF_DONE; may be NULL there. */
typedef struct pf_error {
    pf_status status;
    int guest_errno;    /* with PF_GUEST and PF_NOT_FOUND: the Linux errno, else 0 */
    char message[1016]; /* what, where and what to do; always NUL-terminated */
} pf_error;

/*
 * Text that a script may have chosen (a name, arguments, a path), as it may stand on a terminal or in
 * a log: control characters, line ends, invisible characters, those that turn the direction of text,
 * and bytes that are no UTF-8 become escapes as JSON has them ("\\n", "\\u001b", "\\u202e"; a byte:
 * "\\xff"), the rest stays as it is. JSON stays the same JSON. What is escaped already is not escaped
 * again. Writes at most `size` bytes to `out`, which is NUL-terminated and ends with a whole piece;
 * returns how long all of it is without the NUL. `out` may be NULL when size is 0. The messages of
 * pf_error are made so.
 */
PF_API size_t pf_printable(char *out, size_t size, const char *text, size_t len);

/* ------------------------------------------------------------------ options */

typedef struct pf_options pf_options;

/* Options start with the defaults of every setting. NULL when memory is out. */
PF_API pf_options *pf_options_new(void);
PF_API void pf_options_free(pf_options *options);

#define PF_UNLIMITED UINT64_MAX
/*
 * Sets one limit by name: cpu_ms, wall_ms, memory_bytes, process_memory_bytes, filesystem_bytes,
 * files, processes, open_files, output_bytes, tool_calls, tool_result_bytes, tool_argument_bytes,
 * code_bytes, stdin_bytes, trace_bytes. PF_UNLIMITED lifts it (hard bounds remain). An unknown name is
 * PF_INVALID and the message lists the names.
 */
PF_API pf_status pf_options_limit(pf_options *options, const char *name, uint64_t value,
                                  pf_error *error);
/* What a limit is now, PF_UNLIMITED when there is none: for a program that does not want to read more
 * than it may pass on. 0 for an unknown name. */
PF_API uint64_t pf_options_limit_of(const pf_options *options, const char *name);

/* One environment variable for everything that runs; the last value of a name wins. */
PF_API pf_status pf_options_env(pf_options *options, const char *name, const char *value,
                                pf_error *error);

/*
 * Declares a tool. `name` is canonicalised (`mcp:` dropped, `.` is `/`); `schema` is the JSON Schema
 * of its one object argument, NULL or "" for any object. A malformed schema, a schema keyword the
 * engine does not know, and a second tool with the same id are PF_INVALID.
 * Declaring does not grant: see pf_options_policy().
 */
PF_API pf_status pf_options_tool(pf_options *options, const char *name, const char *description,
                                 const char *schema, size_t schema_len, pf_error *error);

/*
 * The capabilities, as a JSON document; replaces an earlier one. Without a policy nothing is granted.
 *   {"capabilities": [{"method": "stripe/charges/create", "max_calls": 10,
 *                      "constraints": [{"param": "amount", "op": "<=", "value": 1000}]}]}
 * policy.md, which is installed with pinfold, is its reference. Anything it does not know is PF_INVALID: it fails closed.
 * May be given before or after the tools; pf_sandbox_new() checks the two against each other.
 */
PF_API pf_status pf_options_policy(pf_options *options, const char *json, size_t len,
                                   pf_error *error);

/* true: a call of a granted method that no declared tool has is handed out too (catch-all). */
PF_API void pf_options_catch_all(pf_options *options, bool on);

/* Fixes the sandbox's clock: it starts at `unix_ns` and moves only with sleeps and by a step per
 * reading. Without this it follows the host's clock. */
PF_API void pf_options_clock(pf_options *options, int64_t unix_ns);
/* Fixes the random stream. Without this it is seeded from the host. */
PF_API void pf_options_seed(pf_options *options, uint64_t seed);

/*
 * Records the sandbox: every input, and what the guest did with it, goes to the file at `path`, as JSON
 * Lines (docs/trace.md), so that pf_replay_open() can run it again. The file is made or emptied when
 * the sandbox is, and is complete when that is freed (see also pf_sandbox_end_record()). `redact`:
 * results of tools are left out, and must be supplied for a replay. A branch has a trace of its own:
 * pf_sandbox_fork_with(). A trace has at most trace_bytes: a last line says so where it comes to that, and
 * the sandbox is then as after pf_sandbox_end_record(), which is PF_STATE.
 */
PF_API pf_status pf_options_record(pf_options *options, const char *path, bool redact,
                                   pf_error *error);
/* The same into a file that is open for writing and empty, for a process that may open none. The
 * descriptor stays the caller's; each sandbox takes a copy of it. */
PF_API void pf_options_record_to(pf_options *options, int descriptor, bool redact);

typedef enum pf_mount_mode {
    PF_MOUNT_READ_ONLY = 0,
    PF_MOUNT_COPY = 1 /* copy-on-write: programs may change it, the host's files stay as they are */
} pf_mount_mode;
/*
 * Gives a new sandbox a directory of the host at `guest`, an absolute path where nothing is yet or an
 * empty directory. Regular files, directories and symbolic links below it are there; links are not
 * followed on the host, devices and the like are left out, and nothing leads out of it. Making a mount
 * reads nothing: a directory comes in when a program first looks into it, a file when it is first
 * opened, and stays as it was then. What came in counts for filesystem_bytes and files.
 *
 * For pf_sandbox_restore() give every mount again whose directory the snapshot has not read completely;
 * `host` may then be NULL: what is missing is an I/O error inside. PF_INVALID, there or from
 * pf_sandbox_new(): `host` cannot be opened, there are files at `guest`, or the snapshot has no such
 * mount.
 */
PF_API pf_status pf_options_mount(pf_options *options, const char *host, const char *guest,
                                  pf_mount_mode mode, pf_error *error);

/* Snapshots of the sandbox are authenticated with this secret (16 bytes or more, copied), and
 * pf_sandbox_restore() accepts only a snapshot that was made with it. */
PF_API pf_status pf_options_key(pf_options *options, const void *key, size_t len, pf_error *error);

/*
 * pf_sandbox_restore() accepts only a snapshot that was made with a counter of `counter` or more
 * (pf_sandbox_snapshot_counted()); 0: any. For whoever keeps, somewhere safer than the snapshots, the
 * number of the newest one: an older one in its place, with its unspent budgets, is then PF_FORMAT.
 * It needs pf_options_key().
 */
PF_API void pf_options_min_counter(pf_options *options, uint64_t counter);

/* JavaScript that every JS program of this sandbox runs first, in its global scope. */
PF_API pf_status pf_options_js_prelude(pf_options *options, const char *code, size_t len,
                                       pf_error *error);

/* ------------------------------------------------------------------ sandboxes */

typedef struct pf_sandbox pf_sandbox;

/*
 * Makes now what sandboxes of this process start from, and what is otherwise made when it is first
 * needed: a booted machine and every program, started. A process that gives up system calls or
 * lowers its limits for files (these lie in memfd_create(2)) does so afterwards. Twice is harmless.
 */
PF_API pf_status pf_prepare(pf_error *error);

/* The options are read, not kept: they may be freed or used again. */
PF_API pf_status pf_sandbox_new(const pf_options *options, pf_sandbox **out, pf_error *error);
/* Ends everything in it at once. NULL is allowed. Must not be called while it is in use. */
PF_API void pf_sandbox_free(pf_sandbox *sandbox);

/*
 * Ends the recording of pf_options_record(), which pf_sandbox_free() does too without a word: PF_OK
 * when all that the sandbox did is in the trace, PF_STATE with the reason when it is not, as when a
 * disk was full. Nothing can be run in the sandbox afterwards; its files can be read. PF_OK for a
 * sandbox that is not recorded, which goes on.
 */
PF_API pf_status pf_sandbox_end_record(pf_sandbox *sandbox, pf_error *error);

/* Receives output as it appears; stream is 1 or 2. Called on the thread that runs the sandbox, which
 * is busy meanwhile: do not use it from here. Bytes over output_bytes are not passed on. The time that it
 * takes counts for no limit. */
typedef void (*pf_output_fn)(void *user, int stream, const char *data, size_t len);

typedef struct pf_run {
    size_t size;          /* sizeof(pf_run) */
    const char *language; /* "shell" ("bash", "sh"), "javascript" ("js", "node"), "typescript", "python" */
    const char *code;     /* copied */
    size_t code_len;
    const char *stdin_data; /* copied; NULL: empty */
    size_t stdin_len;
    bool isolated; /* shell, python: a fresh one of its own instead of the session's */
    bool end_options; /* shell: what the run sets with `set` and `shopt` ends with it */
    pf_output_fn on_output;
    void *user; /* for on_output */
    /* Of this run alone; what the session had is there again afterwards, unless the run has ended it.
     * The directory must be there (PF_NOT_FOUND, PF_GUEST); NULL: the session's, /workspace for others. */
    const char *cwd;
    const char *const *env; /* "NAME=VALUE" …, NULL: besides the sandbox's. May be NULL */
    /* cpu_ms, wall_ms, output_bytes, tool_calls, code_bytes and stdin_bytes as these options have them,
     * also if that is more; other limits hold for more than a run, and stay. NULL: the sandbox's.
     * A run that goes on from a snapshot has the limits of pf_sandbox_restore(). */
    const pf_options *limits;
} pf_run;

/*
 * Starts a run and drives the guest until nothing in it can go on without you: every process has
 * ended or waits for a tool. (Sleeps are waited for here, as long as no tool call is unanswered.)
 * PF_STATE while a run is on. PF_INVALID for an unknown language or code over its limit.
 */
PF_API pf_status pf_sandbox_start(pf_sandbox *sandbox, const pf_run *run, pf_error *error);

/* One tool call that the capabilities allow. Pointers live until the call is answered or cancelled. */
typedef struct pf_call {
    uint64_t id;        /* unique in the sandbox and its branches: an idempotency key */
    const char *method; /* canonical id: "stripe/charges/create" */
    const char *name;   /* as the guest wrote it */
    const char *params; /* the checked JSON object, re-serialised; NUL-terminated */
    size_t params_len;
    int capability;     /* index of the capability that allowed it, in the policy's order */
    bool ask;           /* that capability wants it approved: answer it only if somebody agrees,
                           otherwise fail it with PF_FAILURE_DENIED. It may wait in a snapshot */
} pf_call;

/* Are its clock and its random stream fixed, by options or by the snapshot that it came from? Then a run is
 * a function of the sandbox before it, of its text and settings, and of the answers to its calls, unless
 * something from outside struck it: an interrupt, or a limit of time. */
PF_API bool pf_sandbox_is_fixed(const pf_sandbox *sandbox);
PF_API bool pf_sandbox_was_struck(const pf_sandbox *sandbox); /* the run that is on, or the last one */
/* Looks only: is there a call that was not handed out yet? */
PF_API bool pf_sandbox_has_work(const pf_sandbox *sandbox);
/* Is a run on? It is until its result is complete. */
PF_API bool pf_sandbox_running(const pf_sandbox *sandbox);
/* Hands out the oldest call not handed out yet: PF_OK, or PF_DONE when there is none. */
PF_API pf_status pf_sandbox_step(pf_sandbox *sandbox, pf_call *call, pf_error *error);
/* All unanswered calls, handed out or not, oldest first: how many there are; fills up to `count`. */
PF_API size_t pf_sandbox_pending(const pf_sandbox *sandbox, pf_call *calls, size_t count);

/* Would pf_sandbox_resume() take this text? PF_INVALID: it is not JSON, is nested too deeply, has a key
 * twice or a number that is too large; the message says what. */
PF_API pf_status pf_json_check(const char *json, size_t len, pf_error *error);
/* Answers a call with a JSON value and drives the guest on, as start does. PF_INVALID when the text
 * is not JSON (the call stays unanswered); a result over tool_result_bytes reaches the guest as
 * ToolError "invalid". When no run is on (a background job had asked) the guest goes on with the next
 * run. PF_NOT_FOUND for an id that never was, PF_STATE for one already answered. */
PF_API pf_status pf_sandbox_resume(pf_sandbox *sandbox, uint64_t id, const char *json, size_t len,
                                   pf_error *error);

typedef enum pf_failure {
    PF_FAILED = 0,
    PF_FAILURE_INVALID = 1,
    PF_FAILURE_TIMEOUT = 2,
    PF_FAILURE_DENIED = 3 /* the guest sees CapabilityError "denied"; status 126 in the shell */
} pf_failure;
/* Answers a call with a failure that the guest sees as ToolError with this text. */
PF_API pf_status pf_sandbox_fail(pf_sandbox *sandbox, uint64_t id, pf_failure kind,
                                 const char *message, pf_error *error);

/* Drives the guest on without an answer: after a deadline has passed, or an interrupt. */
PF_API pf_status pf_sandbox_advance(pf_sandbox *sandbox, pf_error *error);
/* Nanoseconds until a sleeping process wants to go on (then call pf_sandbox_advance); -1: none, or
 * the clock is fixed: then a tool call takes no time, however long its answer does. 0 also for a restored
 * sandbox whose guest can go on because calls were refused. */
PF_API int64_t pf_sandbox_wait_ns(const pf_sandbox *sandbox);

/* As Ctrl-C: the foreground of the run gets SIGINT. Any thread, any time, also in a signal handler;
 * a sandbox that is being freed excepted. It counts from the moment in which pf_sandbox_start() is
 * entered until the run is complete; when no run is on it is nothing. */
PF_API void pf_sandbox_interrupt(pf_sandbox *sandbox);
/* The same, and what the run has still going after a second more is killed: for an embedder that gives
 * it up. */
PF_API void pf_sandbox_stop(pf_sandbox *sandbox);
/* The same at once, without an interrupt: everything that ran in the run is killed, as at a limit. Its
 * result says 137, and session_lost if the session's shell was among it; files stay. */
PF_API void pf_sandbox_kill(pf_sandbox *sandbox);
/* Lets interrupts count already before pf_sandbox_start(): for a program whose runs begin earlier,
 * as when it hands the sandbox to a worker thread. `expected` false takes it back; a run that is on
 * is not touched. By the thread that owns the sandbox. */
PF_API void pf_sandbox_expect_run(pf_sandbox *sandbox, bool expected);

/*
 * Called on the thread that drives the sandbox, about every 50 ms of a drive, between two steps of the
 * guest or while it sleeps: for what else that thread has to see to. The sandbox is busy meanwhile;
 * pf_sandbox_interrupt(), _stop() and _kill() may be called. With a fixed clock it waits for a program
 * that computes alone without a pause, so that equal runs stay equal. NULL ends it.
 */
typedef void (*pf_pause_fn)(void *user);
PF_API void pf_sandbox_on_pause(pf_sandbox *sandbox, pf_pause_fn callback, void *user);

/* ------------------------------------------------------------------ tools and capabilities */

/* A declared tool, and how programs can name it: always as `tool NAME` and as tools["id"]. */
typedef struct pf_tool_info {
    const char *name; /* as declared */
    const char *id;   /* canonical: "stripe/charges/create" */
    const char *flat; /* "stripe_charges_create" */
    bool flat_usable;   /* the flat name is a command and a JavaScript function */
    bool dotted_usable; /* stripe.charges.create(…) works in JavaScript */
} pf_tool_info;
/* In the order of declaration: how many; fills up to `count`. Strings live with the sandbox. */
PF_API size_t pf_sandbox_tools(const pf_sandbox *sandbox, pf_tool_info *tools, size_t count);

/* Would this call be allowed now? Spends nothing, and does not look at tools and their schemas.
 * params: a JSON object, NULL for an empty one. When not, *why (may be NULL) says why not; free it
 * with pf_free(). */
PF_API bool pf_sandbox_can_call(const pf_sandbox *sandbox, const char *method, const char *params,
                                size_t len, char **why);
/* One decision about a tool call. Pointers live until the callback returns. */
typedef struct pf_decision {
    uint64_t id;         /* of the call if it was allowed or came with a snapshot, else 0 */
    const char *outcome; /* "allowed", "ask", "denied", "limit", "invalid" or "unknown"; constant */
    const char *method;  /* canonical id; "" when the call could not be read that far */
    const char *name;    /* as the guest wrote it; the same */
    const char *params;  /* the JSON object; NULL when it could not be read */
    int capability;      /* that allowed it, or the first whose pattern matched; -1: none */
    const char *message; /* why not; NULL when it was allowed */
    const char *request; /* as the guest sent it: what pf_gate_decide() takes; no NUL behind it */
    size_t request_len;
} pf_decision;
/* Called for every decision when it is made, before anything comes of it, on the thread that drives
 * the sandbox, which is busy meanwhile. NULL ends it. Decisions about calls that came with a snapshot
 * are made by pf_sandbox_restore(), and told when the first callback is set, if that is before the guest
 * runs. */
typedef void (*pf_decision_fn)(void *user, const pf_decision *decision);
PF_API void pf_sandbox_on_decision(pf_sandbox *sandbox, pf_decision_fn callback, void *user);

/* Calls that a capability has left, by its index in the policy: -1 unlimited, 0 also for an index
 * that does not exist. */
PF_API int64_t pf_sandbox_calls_left(const pf_sandbox *sandbox, size_t capability);

/*
 * A gate without a sandbox: the tools, the policy and the counters of `options` alone. For an embedder
 * whose sandbox runs in a process that it does not trust: it checks each call once more where the
 * handlers are. A gate belongs to one thread at a time.
 */
typedef struct pf_gate pf_gate;
/* Copies what it needs of the options, which stay the caller's. Errors as from pf_sandbox_new(). */
PF_API pf_status pf_gate_new(const pf_options *options, pf_gate **out, pf_error *error);
PF_API void pf_gate_free(pf_gate *gate); /* NULL is allowed */
/* A gate with the same counters; NULL: no memory. */
PF_API pf_gate *pf_gate_clone(const pf_gate *gate);
/*
 * Decides about a call: `request` is the JSON object {"tool": name, "params": object}. PF_OK: it is
 * allowed, and spent; *call (without an id) lives until the next call of this function. PF_DENIED: it
 * is not, the error's message says why, nothing was spent.
 */
PF_API pf_status pf_gate_check(pf_gate *gate, const char *request, size_t len, pf_call *call,
                               pf_error *error);
/* The same, with all that there is to say also of a call that is not allowed: PF_OK with *decision,
 * without an id, which lives until the next call of this function or the one above. */
PF_API pf_status pf_gate_decide(pf_gate *gate, const char *request, size_t len,
                                pf_decision *decision, pf_error *error);
/* As pf_sandbox_can_call(). */
PF_API bool pf_gate_can_call(const pf_gate *gate, const char *method, const char *params, size_t len,
                             char **why);
/* Spends `calls` of a capability's, as many as there are, without a call: what was spent elsewhere. */
PF_API void pf_gate_spend(pf_gate *gate, size_t capability, int64_t calls);
/* As pf_sandbox_calls_left(). */
PF_API int64_t pf_gate_calls_left(const pf_gate *gate, size_t capability);

/* ------------------------------------------------------------------ requests */

/*
 * What decides about requests of HTTP: which may be made, to which addresses, with which secrets. It
 * makes no connection. Who answers calls of the tool http/request asks it about each of them; about each
 * address that it is going to connect to, the one that the name of the host has; and gives it everything
 * that comes back, errors too, before a sandbox gets it. A redirect is an answer like any other: the
 * script that follows it makes another call. From any thread.
 */
typedef struct pf_http pf_http;
/* How the tool http/request is declared, for pf_options_tool(): its description and the JSON schema of its
 * parameters. Both are constants. */
PF_API void pf_http_tool(const char **description, const char **schema);
/*
 * `config`: {"allow": ["GET https://HOST/PATH"], "addresses": ["10.0.0.0/8", "loopback"],
 * "secrets": {"NAME": {"value": "...", "hosts": ["HOST"], "headers": ["Authorization"]}}}.
 * docs/http.md has the language of rules. PF_INVALID: something in it cannot be kept.
 */
PF_API pf_status pf_http_new(const char *config, size_t len, pf_http **out, pf_error *error);
PF_API void pf_http_free(pf_http *http); /* NULL is allowed */
/*
 * `params`: {"method", "url", "headers", "body" or "body_base64"} of a call. PF_OK: *out is what to send, as
 * JSON: {"method", "url", "scheme", "host", "port", "authority", "target", "headers": [[name, value]],
 * "secret"}, with secrets in it: it is never to be shown, logged or kept. PF_DENIED, PF_INVALID: the
 * message says why, and holds no secret. Free *out with pf_free().
 */
PF_API pf_status pf_http_request(const pf_http *http, const char *params, size_t len, char **out,
                                 size_t *out_len, pf_error *error);
/* The same for programs in C. Pointers live until it is freed. */
typedef struct pf_http_plan {
    const char *method, *url;
    const char *host;           /* without the [] of IPv6 */
    unsigned port;
    const char *const *headers; /* "Name: value", without Host and Content-Length */
    size_t header_count;
    const char *body; /* NULL: none */
    size_t body_len;
    double timeout; /* seconds; 0: the call says nothing of it */
} pf_http_plan;
PF_API pf_status pf_http_plan_new(const pf_http *http, const char *params, size_t len,
                                  pf_http_plan **out, pf_error *error);
PF_API void pf_http_plan_free(pf_http_plan *plan); /* NULL is allowed */
/* May a request for this URL be sent to this address (192.0.2.1, 2001:db8::1)? PF_OK, or PF_DENIED. */
PF_API pf_status pf_http_address(const pf_http *http, const char *url, const char *address,
                                 pf_error *error);
/* The bytes with every secret in them replaced, also where it is encoded. Free *out with pf_free(). */
PF_API pf_status pf_http_clean(const pf_http *http, const char *data, size_t len, char **out,
                               size_t *out_len, pf_error *error);

/* ------------------------------------------------------------------ results */

typedef struct pf_result {
    int exit_code;           /* 0..255; 128 + signal of a killed program */
    const char *stdout_data; /* exact bytes, NUL-terminated besides */
    size_t stdout_len;
    const char *stderr_data;
    size_t stderr_len;
    bool stdout_truncated, stderr_truncated;
    const char *value; /* what a JavaScript program returned, as JSON; NULL for undefined or shell,
                          and for more than tool_result_bytes, which is an error of the program */
    size_t value_len;
    const char *limit; /* "cpu_seconds" or "wall_seconds" when that ended the run, "memory_bytes" or
                          "processes" when it had no room for its program; else NULL */
    bool session_lost; /* the session's shell or Python was killed with it; the next run starts a new one */
    uint64_t cpu_ns, wall_ns; /* spent running the guest; handlers are not counted */
    uint64_t memory_bytes;    /* the most that was charged at once */
    uint64_t tool_calls;      /* allowed ones; the limit of that name counts the others, too */
    bool session_ended; /* the session shell is gone: it was killed, or the run left it with `exit` or
                           by an error that ends a shell; the next run starts a new one */
} pf_result;

/* The result of the last run; NULL while one is on or before the first. Lives until the next start. */
PF_API const pf_result *pf_sandbox_result(const pf_sandbox *sandbox);

/* ------------------------------------------------------------------ bounds */

/*
 * Runs have limits. What else an embedder asks of a sandbox depends on what is in it as well: one call
 * of a function for files, mounts and snapshots gives at most so many bytes, or writes so many to the
 * host, and takes at most so long; then it is PF_BOUND. pf_sandbox_interrupt() ends it with
 * PF_INTERRUPTED, from any thread, also while no run is on.
 */
typedef struct pf_bounds {
    size_t size;        /* sizeof(pf_bounds) */
    uint64_t max_bytes; /* 0: memory_bytes of the sandbox, at most 1 GiB; PF_UNLIMITED: as many as there are */
    double max_seconds; /* of the host's monotonic clock. 0: 60; HUGE_VAL: as long as it takes */
} pf_bounds;
/* For each call from here on; NULL: the defaults, and nothing can fail. Branches have those of their
 * trunk. */
PF_API pf_status pf_sandbox_bound(pf_sandbox *sandbox, const pf_bounds *bounds, pf_error *error);

/* ------------------------------------------------------------------ files */

/* Paths are absolute. The host has all permissions, also below the read-only root. */
PF_API pf_status pf_file_write(pf_sandbox *sandbox, const char *path, const void *data, size_t len,
                               pf_error *error); /* creates parent directories */
/* The whole file, followed by a NUL that is not counted; free with pf_free(). Holes count for max_bytes. */
PF_API pf_status pf_file_take(pf_sandbox *sandbox, const char *path, char **data, size_t *len,
                              pf_error *error);
/* What a regular file's contents come to: equal contents give equal digests, and holes cost nothing. */
#define PF_DIGEST_BYTES 24
PF_API pf_status pf_file_digest(pf_sandbox *sandbox, const char *path,
                                uint8_t digest[PF_DIGEST_BYTES], pf_error *error);
/* A file as it is to be made: struct members beyond `size` may be 0. */
typedef struct pf_file_new {
    size_t size;      /* sizeof(pf_file_new) */
    uint32_t mode;    /* S_IFREG, S_IFDIR or S_IFLNK, and the permission bits */
    int64_t mtime_ns; /* since 1970 */
    const char *data; /* contents, or the target of a link; copied */
    size_t len;
} pf_file_new;
/* Makes it, with the directories above it. What is there is replaced, but a directory, which gets mode
 * and time, stays one (PF_GUEST). A link is made as it is said, wherever it leads: inside. */
PF_API pf_status pf_file_make(pf_sandbox *sandbox, const char *path, const pf_file_new *file,
                              pf_error *error);
/* A directory as a tar archive, and written to a host directory that is new or empty: as
 * pf_mount_tar() and pf_mount_export() do it. `path` is absolute and not "/". */
PF_API pf_status pf_file_tar(pf_sandbox *sandbox, const char *path, char **data, size_t *len,
                             pf_error *error);
PF_API pf_status pf_file_export(pf_sandbox *sandbox, const char *path, const char *directory,
                                pf_error *error);
PF_API pf_status pf_file_remove(pf_sandbox *sandbox, const char *path, pf_error *error);
typedef struct pf_file_info {
    uint32_t mode; /* type and permission bits as in Linux's st_mode */
    int64_t size, mtime_ns;
} pf_file_info;
PF_API pf_status pf_file_stat(pf_sandbox *sandbox, const char *path, pf_file_info *out,
                              pf_error *error);
/* The same of a symbolic link itself. Walk trees with this one: links make circles. */
PF_API pf_status pf_file_lstat(pf_sandbox *sandbox, const char *path, pf_file_info *out,
                               pf_error *error);
/* The target of a symbolic link, followed by a NUL that is not counted; free with pf_free(). PF_GUEST: it
 * is none. */
PF_API pf_status pf_file_link(pf_sandbox *sandbox, const char *path, char **target, size_t *len,
                              pf_error *error);
/* Names in a directory without . and .., sorted, each NUL-terminated, one after the other; len counts
 * all of them. Free with pf_free(). */
PF_API pf_status pf_file_list(pf_sandbox *sandbox, const char *path, char **names, size_t *len,
                              pf_error *error);
PF_API void pf_free(void *data);

typedef struct pf_mount_info {
    const char *guest; /* its place; lives with the sandbox */
    pf_mount_mode mode;
} pf_mount_info;
/* The mounted directories, of a snapshot's sandbox, too: how many; fills up to `count`. */
PF_API size_t pf_sandbox_mounts(const pf_sandbox *sandbox, pf_mount_info *mounts, size_t count);

/* What became of a mounted directory; `guest` is its place as it was given. PF_NOT_FOUND: nothing is
 * mounted there. */

/* What changed since: one NUL-terminated text for each file, "A", "M" or "D" (added, modified, deleted)
 * and its path in the sandbox, one after the other; len counts all of them. Free with pf_free(). */
PF_API pf_status pf_mount_changes(pf_sandbox *sandbox, const char *guest, char **changes, size_t *len,
                                  pf_error *error);
/* Writes it as it is now to a host directory that is new or empty. Names of one file become hard links,
 * holes stay holes; neither counts for max_bytes. Links that would lead out of that directory are left
 * out. What was written before a failure stays. */
PF_API pf_status pf_mount_export(pf_sandbox *sandbox, const char *guest, const char *directory,
                                 pf_error *error);
/* As a tar archive (pax): names of one file are links in it, a file with holes is sparse as GNU tar
 * writes it (format 1.0). `changed_only`: what was added or modified, and for each deleted file an empty
 * `.wh.NAME` in its place, as container images have. Free with pf_free(). */
PF_API pf_status pf_mount_tar(pf_sandbox *sandbox, const char *guest, bool changed_only, char **data,
                              size_t *len, pf_error *error);

/* ------------------------------------------------------------------ snapshots */

/*
 * The whole sandbox as bytes, at any moment when the caller holds it, also while calls are pending.
 * PF_STATE names the process that is parked in the middle of a synchronous wait, if there is one.
 * Free with pf_free(). A snapshot is data, never authority.
 */
PF_API pf_status pf_sandbox_snapshot(pf_sandbox *sandbox, char **data, size_t *len, pf_error *error);
/* The same with a number of the caller's in it, which the key protects: see pf_options_min_counter().
 * PF_INVALID without pf_options_key(). 0: none. */
PF_API pf_status pf_sandbox_snapshot_counted(pf_sandbox *sandbox, uint64_t counter, char **data,
                                             size_t *len, pf_error *error);
/* Snapshots of it from here on are made with this secret, as pf_options_key() says, or with none: NULL.
 * For who has another one for each snapshot. */
PF_API pf_status pf_sandbox_key(pf_sandbox *sandbox, const void *key, size_t len, pf_error *error);
/*
 * Continues a snapshot. Tools, capabilities and limits come from `options`; counters and pending
 * calls from the data. Each pending call is judged as if it were made now. What is allowed waits on under
 * its id, for the capability that allows it now, and `ask` if that says so; what is not is answered as
 * PF_FAILURE_DENIED, and the guest goes on with that at the next pf_sandbox_advance(), _resume() or
 * _fail(). PF_FORMAT when it is truncated, altered or from another build of pinfold, and when
 * capabilities of which calls were spent were exchanged for others (docs/snapshot.md).
 */
PF_API pf_status pf_sandbox_restore(const pf_options *options, const char *data, size_t len,
                                    pf_sandbox **out, pf_error *error);

/* The same snapshot, of either kind and any build, compressed as small as it gets, for where each byte
 * counts: some 100 ms for each MB of its contents. `key`: the one that it has, or NULL; PF_FORMAT when it
 * was altered or has another. Any thread. Free with pf_free(). */
PF_API pf_status pf_snapshot_shrink(const char *data, size_t len, const void *key, size_t key_len,
                                    char **out, size_t *out_len, pf_error *error);

/* What the head of a snapshot says; nothing of it is proved. */
typedef struct pf_snapshot_facts {
    uint32_t format;
    bool readable;           /* is that a format that this library reads? */
    bool this_build;         /* the build that is loaded made it */
    bool authenticated;      /* with a key */
    uint64_t contents_bytes; /* decompressed */
    char build[65];          /* of the build that made it, in hexadecimal */
    uint64_t counter;        /* of pf_sandbox_snapshot_counted(); 0: none */
} pf_snapshot_facts;
/* PF_FORMAT when it is no snapshot at all. */
PF_API pf_status pf_snapshot_info(const char *data, size_t len, pf_snapshot_facts *out,
                                  pf_error *error);
/*
 * Opens a snapshot to look at, without any authority: its files, processes and pending calls can be
 * read as those of a sandbox; what would change it or let it go on is PF_STATE. `key` may be NULL.
 */
PF_API pf_status pf_snapshot_look(const char *data, size_t len, const void *key, size_t key_len,
                                  pf_sandbox **out, pf_error *error);

/*
 * An idle sandbox as what any later version takes over: files, the shell's variables, functions, options,
 * aliases, traps and directory, Python's names as far as they can be pickled, what was spent of budgets,
 * the ids of calls (docs/snapshot.md). pf_sandbox_restore() takes it like any other; who restores decides
 * about tools, capabilities, limits and mounts. The sandbox is not changed, and it costs a branch.
 * `counter`: as in pf_sandbox_snapshot_counted(), 0: none. `left_out` (may be NULL, as `left_len`): what
 * it does not hold, as texts each ended by a NUL; free both with pf_free(). What guests say is in these
 * texts: show them as any text of a script. PF_STATE while a run is on, and as pf_sandbox_snapshot().
 */
PF_API pf_status pf_sandbox_snapshot_portable(pf_sandbox *sandbox, uint64_t counter, char **data,
                                              size_t *len, char **left_out, size_t *left_len,
                                              pf_error *error);
/* Is that what pf_sandbox_snapshot_portable() made, by its first bytes? */
PF_API bool pf_snapshot_is_portable(const char *data, size_t len);
/* What a portable snapshot did not bring into this sandbox: texts, each ended by a NUL, `*len` bytes, which
 * live as long as it; 0 bytes: nothing is missing, or it comes from no such snapshot. */
PF_API const char *pf_sandbox_left_out(const pf_sandbox *sandbox, size_t *len);

/* The files of a snapshot, exact or portable, whatever build made it: a list, by rising depth. Nothing in it
 * runs. It belongs to one thread at a time. */
typedef struct pf_snapshot_files pf_snapshot_files;
typedef struct pf_snapshot_file {
    const char *path;  /* lives as long as the list */
    uint32_t mode;     /* with its type, as st_mode */
    uint32_t uid;
    uint64_t size;     /* bytes */
    int64_t mtime_ns;
    bool unread;       /* its contents are not in the snapshot: nobody had read it from its mount */
} pf_snapshot_file;
/* `key` may be NULL. `max_bytes`: of the decompressed snapshot, 0: 1 GiB. PF_FORMAT as for a restore, but not
 * for another build. Free it with pf_snapshot_files_free(), which takes NULL, too. */
PF_API pf_status pf_snapshot_files_open(const char *data, size_t len, const void *key, size_t key_len,
                                        uint64_t max_bytes, pf_snapshot_files **out, pf_error *error);
PF_API size_t pf_snapshot_files_count(const pf_snapshot_files *files);
PF_API bool pf_snapshot_files_at(const pf_snapshot_files *files, size_t index, pf_snapshot_file *out);
/* The contents of a regular file, or the target of a symbolic link; free with pf_free(). PF_INVALID:
 * neither. PF_NOT_FOUND: it is unread. PF_BOUND: more than `max_bytes` (0: 1 GiB). */
PF_API pf_status pf_snapshot_files_take(const pf_snapshot_files *files, size_t index,
                                        uint64_t max_bytes, char **data, size_t *len, pf_error *error);
/* Of a portable snapshot: what it does not hold, as pf_sandbox_left_out(). */
PF_API const char *pf_snapshot_files_left_out(const pf_snapshot_files *files, size_t *len);
PF_API void pf_snapshot_files_free(pf_snapshot_files *files);

typedef struct pf_process {
    int pid, parent;
    char state;              /* as ps: R runs, S waits, T stopped, Z ended and not waited for */
    char name[64];
    uint64_t memory_bytes;
} pf_process;
/* The processes, by rising pid: how many there are; fills up to `count`. */
PF_API size_t pf_sandbox_processes(pf_sandbox *sandbox, pf_process *processes, size_t count);

/*
 * A branch: an independent copy of the whole sandbox in this process, at any moment when the caller
 * holds it, also while calls are pending. It costs the copying of the pages that were written since
 * the start. Tools, capabilities and what was spent of them, limits, files, processes and the result
 * are as they were; on_output of a run that is on is not inherited.
 * Its calls have ids of their own: pf_sandbox_pending() lists the pending ones in the same order, and
 * no branch, nor a branch of a branch, has an id of another. A fixed seed goes on in both with the
 * same stream; else the branch gets a seed of its own from the host.
 * PF_STATE names the process that is parked, as pf_sandbox_snapshot() does, or says that the sandbox is
 * recorded. Free it as any other.
 *
 * Branches are for trying what could be: each has all that was left of every capability's max_calls, so
 * ten branches may make ten times as many calls, and a call that waits waits in each of them: who answers
 * it in each does it as often.
 */
PF_API pf_status pf_sandbox_fork(pf_sandbox *sandbox, pf_sandbox **out, pf_error *error);
/*
 * The same, but the branch and `sandbox` spend from one and the same max_calls, whatever threads they are
 * on, and so do branches that are made so of either. A call that waits is judged in the branch as if it
 * were made there now, and spends once more: what does not fit is refused there, as by
 * pf_sandbox_restore(). Limits (tool_calls, too) are each sandbox's own. A snapshot holds what was spent
 * until then, and what goes on from it shares nothing. PF_STATE as well when `sandbox` is recorded or a
 * replay: what others spend is no input of it.
 */
PF_API pf_status pf_sandbox_fork_shared(pf_sandbox *sandbox, pf_sandbox **out, pf_error *error);
/*
 * The same with tools, capabilities, limits and recording as these options say, as for
 * pf_sandbox_restore(); it takes as long as a snapshot and its restore. With pf_options_record() the
 * branch has a trace of its own, which begins with the snapshot. Mounts are those of `sandbox`.
 */
PF_API pf_status pf_sandbox_fork_with(pf_sandbox *sandbox, const pf_options *options,
                                      pf_sandbox **out, pf_error *error);

/* ------------------------------------------------------------------ previews */

/*
 * What would come of an answer: a copy of the sandbox to answer a call in, and to look at, before the call
 * is answered. Unlike a branch it has the ids and the random numbers of `sandbox`, so it does what
 * `sandbox` would do with that answer; one of them at most may become real, by pf_sandbox_accept(). The
 * others are freed. Nothing that it spends or writes is the sandbox's until then; of a recorded sandbox
 * it keeps the lines of the trace in memory, trace_bytes of them at most. on_output and on_decision are
 * not inherited. It costs as much as pf_sandbox_fork(). PF_STATE names the process that is parked, or
 * says that the sandbox shares a budget (pf_sandbox_fork_shared()), is a replay, or that its recording
 * has ended.
 *
 * A preview has previews of its own: to look at one's files without a trace of that, make another of it.
 */
PF_API pf_status pf_sandbox_preview(pf_sandbox *sandbox, pf_sandbox **out, pf_error *error);
/*
 * Lets `sandbox` be what its preview is: nothing is run again. Pending calls, budgets, files and the run
 * are the preview's; what the embedder has set (on_decision, on_output, on_pause, bounds, the recording,
 * which then has what the preview did) stays the sandbox's. What the preview has written until now is
 * not passed to on_output. PF_OK: the preview is freed. PF_STATE: `sandbox` went on or was changed since
 * the preview was made, or it is none of its; nothing was done, both are still there.
 */
PF_API pf_status pf_sandbox_accept(pf_sandbox *sandbox, pf_sandbox *preview, pf_error *error);
/* Would it, as things stand? Only looks. */
PF_API bool pf_sandbox_accepts(const pf_sandbox *sandbox, const pf_sandbox *preview);
/* Receives what the run that is on writes from here on, as pf_run.on_output does; until the next start.
 * For runs of branches, previews and restored sandboxes. NULL: nobody does. */
PF_API void pf_sandbox_on_output(pf_sandbox *sandbox, pf_output_fn callback, void *user);

/* ------------------------------------------------------------------ replays */

typedef struct pf_replay pf_replay;
/*
 * Makes the sandbox of a trace (copied), as it was before the first act. PF_FORMAT when the trace is
 * altered, from another build, or cut short; `partial` accepts the last, and the replay ends with the
 * last line that there is.
 */
PF_API pf_status pf_replay_open(const char *trace, size_t len, bool partial, pf_replay **out,
                                pf_error *error);
/* What a replay may ask for and take. A trace is its author's, who could have written another one. */
typedef struct pf_replay_bounds {
    size_t size;              /* sizeof(pf_replay_bounds) */
    const pf_options *limits; /* the trace's limits may be as high as these, else it is PF_BOUND; only
                                 read by pf_replay_open_within(). NULL: those of pf_options_new(), with
                                 any cpu_ms and wall_ms */
    double max_seconds;       /* for opening it and for all acts together. 0: 300; HUGE_VAL: for ever */
} pf_replay_bounds;
/* pf_replay_open() has the defaults. */
PF_API pf_status pf_replay_open_within(const char *trace, size_t len, bool partial,
                                       const pf_replay_bounds *bounds, pf_replay **out,
                                       pf_error *error);
/* Checks that a trace is whole and unaltered, of whatever build; `partial` as above. */
PF_API pf_status pf_trace_check(const char *trace, size_t len, bool partial, pf_error *error);
/* Frees its sandbox, too. */
PF_API void pf_replay_free(pf_replay *replay);
/* Supplies a tool's result (JSON) that was left out of the trace; before its line is reached. */
PF_API pf_status pf_replay_answer(pf_replay *replay, uint64_t id, const char *json, size_t len,
                                  pf_error *error);
/* Goes no further than to this line (the head is line 0), also in the middle of a run. */
PF_API void pf_replay_until(pf_replay *replay, size_t line);
/* Lets pf_replay_next() come to rest in the middle of an act as well, at the first moment after so many
 * seconds at which the guest can be copied: a recording of one long run then has such places, too. The
 * next one goes on there. HUGE_VAL: only between two acts, as without this. */
PF_API void pf_replay_rest(pf_replay *replay, double seconds);
/* Was it left in the middle of an act? */
PF_API bool pf_replay_resting(const pf_replay *replay);
/* Does the next act again: PF_OK, PF_DONE behind the last, PF_DIVERGED when the guest did something
 * else than the trace says, PF_NOT_FOUND when a result is missing (supply it and make a new replay),
 * PF_INTERRUPTED after pf_sandbox_interrupt() of its sandbox, which ends the replay, PF_BOUND when its
 * time is over. A guest that goes on computing without end where the trace says that it was stopped is
 * PF_DIVERGED, after ten times the CPU time that cpu_ms allowed. */
PF_API pf_status pf_replay_next(pf_replay *replay, pf_error *error);
/*
 * A copy of a replay (its text is shared, its sandbox copied in some 0.1 ms), which goes on as the original
 * would: to come back to this place without doing again all that came before. A replay that
 * pf_replay_until() stopped in the middle of a run has a copy that is stopped there, too. PF_STATE when a
 * program of it is parked, as for pf_sandbox_fork(); the reason when it had ended with one.
 */
PF_API pf_status pf_replay_fork(pf_replay *replay, pf_replay **out, pf_error *error);
/*
 * What might have come next: a sandbox of its own, which goes on from where the replay stands, live. As
 * pf_sandbox_restore() of a snapshot of it: tools, capabilities and limits are those of `options`, pending
 * calls keep their ids and are judged by them. Random numbers go on as they did in the recording.
 */
PF_API pf_status pf_replay_branch(pf_replay *replay, const pf_options *options, pf_sandbox **out,
                                  pf_error *error);
/* How many runs have come to their end so far: pf_sandbox_result() is the last one's. */
PF_API size_t pf_replay_results(const pf_replay *replay);
/* The line that is next. */
PF_API size_t pf_replay_line(const pf_replay *replay);
/* To look at: results, files, pending calls. It cannot be changed. Lives with the replay. */
PF_API pf_sandbox *pf_replay_sandbox(pf_replay *replay);

/* ------------------------------------------------------------------ policies */

/* Questions about documents, without a sandbox. PF_INVALID: a document that cannot be accepted, with
 * the place. */

/* Checks a policy document, as pf_options_policy() does. */
PF_API pf_status pf_policy_check(const char *json, size_t len, pf_error *error);
/*
 * Attenuation: is every call that the child allows allowed by the parent, too? Sound: never a wrong
 * yes, perhaps a cautious no; then *why (may be NULL) says what is not covered. Free it with pf_free().
 */
PF_API pf_status pf_policy_is_subset(const char *child, size_t child_len, const char *parent,
                                     size_t parent_len, bool *subset, char **why, pf_error *error);
/* The same policy with canonical patterns and long constraints; free with pf_free(). */
PF_API pf_status pf_policy_normalize(const char *json, size_t len, char **out, size_t *out_len,
                                     pf_error *error);
/* Does a pattern match a method? A method that cannot exist matches nothing. */
PF_API pf_status pf_pattern_matches(const char *pattern, const char *method, bool *matches,
                                    pf_error *error);
/* Does the parent match every method that the child matches? */
PF_API pf_status pf_pattern_is_subset(const char *child, const char *parent, bool *subset,
                                      pf_error *error);

/* ------------------------------------------------------------------ keys */

/* Ed25519. A seed is 32 secret random bytes. */
#define PF_KEY_BYTES       32
#define PF_SIGNATURE_BYTES 64
PF_API void pf_key_public(const uint8_t seed[PF_KEY_BYTES], uint8_t public_key[PF_KEY_BYTES]);
PF_API void pf_key_sign(const uint8_t seed[PF_KEY_BYTES], const void *data, size_t len,
                        uint8_t signature[PF_SIGNATURE_BYTES]);
PF_API bool pf_key_verify(const uint8_t public_key[PF_KEY_BYTES], const void *data, size_t len,
                          const uint8_t signature[PF_SIGNATURE_BYTES]);

/* ------------------------------------------------------------------ proofs */

/*
 * A proof says that a sandbox in one state comes with these inputs to that state, and who says so: the
 * hashes of both, a trace, and a signature of Ed25519. Whoever has it and the same build can run it again.
 * It is as public as its trace (docs/memo.md).
 */
#define PF_PROOF_DIGEST_BYTES 32
typedef struct pf_proof_facts {
    char build[65];  /* in hexadecimal */
    bool this_build; /* the build that is loaded made it */
    uint8_t before[PF_PROOF_DIGEST_BYTES]; /* of the state before the first act */
    uint8_t inputs[PF_PROOF_DIGEST_BYTES]; /* of the trace */
    uint8_t after[PF_PROOF_DIGEST_BYTES];  /* of the state behind the last */
    uint8_t public_key[PF_KEY_BYTES];      /* whose signature it has: ask whether that is the right one */
    const char *trace;                     /* in the data of the proof */
    size_t trace_len;
} pf_proof_facts;
/*
 * Runs a trace again, of a sandbox that has ended or one that still goes on, and signs what came of it.
 * Errors as from pf_replay_open_within() and pf_replay_next(); PF_NOT_FOUND for one without its tools'
 * results, PF_STATE names a program that is parked at its end. Free *proof with pf_free().
 */
PF_API pf_status pf_proof_new(const char *trace, size_t len, const pf_replay_bounds *bounds,
                              const uint8_t seed[PF_KEY_BYTES], char **proof, size_t *proof_len,
                              pf_error *error);
/* What a proof says, without running it. PF_INVALID: it is no proof. PF_FORMAT: it was altered. */
PF_API pf_status pf_proof_info(const char *proof, size_t len, pf_proof_facts *out, pf_error *error);
/* Checks a proof by running it again. The same, and PF_DIVERGED: it is not so. PF_UNSUPPORTED: another
 * build made it; PF_BOUND: it asks for more than `bounds` (NULL: the defaults). `out` may be NULL. */
PF_API pf_status pf_proof_verify(const char *proof, size_t len, const pf_replay_bounds *bounds,
                                 pf_proof_facts *out, pf_error *error);

/* ------------------------------------------------------------------ tokens */

/*
 * A token is a policy with a time when it expires, signed by an issuer, as bytes that can be passed
 * on. Whoever holds one can narrow it (a subset of the policy, an earlier end) without the issuer, and
 * pass that on; nobody can widen it or undo a narrowing. It is a bearer's: keep it as secret as what
 * it grants. PF_INVALID says what is wrong with a token or policy. Free what is given with pf_free().
 */
/* `expires` is in seconds since 1970. */
PF_API pf_status pf_token_issue(const uint8_t seed[PF_KEY_BYTES], const char *policy,
                                size_t policy_len, int64_t expires, char **token, size_t *len,
                                pf_error *error);
/* `expires` -1: when the token does. */
PF_API pf_status pf_token_narrow(const char *token, size_t token_len, const char *policy,
                                 size_t policy_len, int64_t expires, char **narrower, size_t *len,
                                 pf_error *error);
/* The same token, which can be narrowed no more. */
PF_API pf_status pf_token_seal(const char *token, size_t token_len, char **sealed, size_t *len,
                               pf_error *error);
/* The policy that a token grants at the time `now`, if one of `count` public keys (one after the
 * other in `trusted`) has issued it. A token that is expired, altered or widened is PF_INVALID. */
PF_API pf_status pf_token_verify(const char *token, size_t token_len, const uint8_t *trusted,
                                 size_t count, int64_t now, char **policy, size_t *policy_len,
                                 int64_t *expires, pf_error *error);

#ifdef __cplusplus
}
#endif

#endif
