/*
 * test_replay_copy.c: a copy of a replay goes on as the original does, from every place; and what goes on
 * live from there has the authority that it is given.
 */
#include "harness.h"

#include <unistd.h>

static char path[64];

static char *trace(size_t *len) {
    FILE *file = fopen(path, "r");
    if (!file) abort();
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*len + 1);
    if (!data || fread(data, 1, *len, file) != *len) abort();
    fclose(file);
    return data;
}

static void record(const char *language, const char *code) {
    pf_options *options = make_options("get");
    pf_sandbox *sandbox = NULL;
    pf_call call;
    MUST(pf_options_record(options, path, false, &test_error));
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    start(sandbox, language, code);
    while (pf_sandbox_step(sandbox, &call, &test_error) == PF_OK)
        MUST(pf_sandbox_resume(sandbox, call.id, "5", 1, &test_error));
    run(sandbox, "shell", "echo $RANDOM >> out; date +%N >> out");
    pf_sandbox_free(sandbox);
}

static pf_replay *opened(void) {
    size_t len;
    char *data = trace(&len);
    pf_replay *replay = NULL;
    MUST(pf_replay_open(data, len, false, &replay, &test_error));
    free(data);
    return replay;
}

/* To its end, which is as recorded; frees it. */
static void finish(pf_replay *replay, const char *want, size_t results) {
    pf_status status;
    while ((status = pf_replay_next(replay, &test_error)) == PF_OK) {
    }
    if (status != PF_DONE) printf("%s\n", test_error.message);
    CHECK(status == PF_DONE && pf_replay_results(replay) == results);
    char *data = NULL;
    size_t len;
    MUST(pf_file_take(pf_replay_sandbox(replay), "/workspace/out", &data, &len, &test_error));
    CHECK_TEXT(data, want);
    pf_free(data);
    pf_replay_free(replay);
}

static char *last_output(void) {
    pf_replay *replay = opened();
    char *data = NULL;
    size_t len;
    while (pf_replay_next(replay, &test_error) == PF_OK) {
    }
    MUST(pf_file_take(pf_replay_sandbox(replay), "/workspace/out", &data, &len, &test_error));
    pf_replay_free(replay);
    return data;
}

static void test_copies(const char *language, const char *code) {
    record(language, code);
    char *want = last_output();
    pf_replay *replay = opened();
    for (bool on = true; on; on = pf_replay_next(replay, &test_error) == PF_OK) {
        pf_replay *copy = NULL, *other = NULL;
        MUST(pf_replay_fork(replay, &copy, &test_error));
        CHECK(pf_replay_line(copy) == pf_replay_line(replay));
        MUST(pf_replay_fork(copy, &other, &test_error));
        finish(copy, want, 2); /* what it was copied from may end first, and so may a copy of it */
        finish(other, want, 2);
    }
    finish(replay, want, 2);
    pf_free(want);
}

/* In the middle of an act. */
static void test_stopped_copies(void) {
    record("shell", "seq 2000 > /dev/null; for i in 1 2 3; do tool get | sed s/5/five/ >> out; done");
    size_t len;
    free(trace(&len));
    pf_replay *replay = opened(), *copy = NULL;
    pf_replay_until(replay, 6);
    while (pf_replay_next(replay, &test_error) == PF_OK) {
    }
    CHECK(pf_replay_line(replay) == 6);
    MUST(pf_replay_fork(replay, &copy, &test_error));
    CHECK(pf_replay_next(copy, &test_error) == PF_DONE && pf_replay_line(copy) == 6);
    pf_replay_free(replay);
    pf_replay_free(copy);
}

/* Between two turns, wherever one is: a replay that rests there all the time, and each copy of it, come to
 * the same end as one that never does. */
static void test_rests(const char *language, const char *code) {
    record(language, code);
    char *want = last_output();
    pf_replay *replay = opened(), *copy = NULL;
    size_t rests = 0, copies = 0;
    pf_status status;
    CHECK(!pf_replay_resting(replay));
    pf_replay_rest(replay, 0);
    while ((status = pf_replay_next(replay, &test_error)) == PF_OK) {
        if (!pf_replay_resting(replay)) continue;
        if (rests++ % 16) continue;
        status = pf_replay_fork(replay, &copy, &test_error);
        if (status == PF_STATE) continue; /* something is parked */
        CHECK(status == PF_OK && pf_replay_resting(copy));
        copies++;
        finish(copy, want, 2);
    }
    CHECK(status == PF_DONE && !pf_replay_resting(replay));
    CHECK(rests > 10 && copies > 0);
    finish(replay, want, 2);
    pf_free(want);
}

/* One that rests stops at a line of its own as well, and goes live from where it is. */
static void test_rest_and_until(void) {
    record("shell", "for i in 1 2 3 4 5 6 7 8; do echo $i | sed s/1/one/ >> out; done");
    pf_replay *replay = opened(), *copy = NULL;
    pf_replay_rest(replay, 0);
    while (pf_replay_line(replay) < 12) MUST(pf_replay_next(replay, &test_error));
    CHECK(pf_replay_resting(replay));
    MUST(pf_replay_fork(replay, &copy, &test_error));
    pf_replay_until(copy, 20);
    while (pf_replay_next(copy, &test_error) == PF_OK) {
    }
    CHECK(pf_replay_line(copy) == 20 && !pf_replay_resting(copy));
    pf_replay_free(copy);
    pf_options *options = make_options("get");
    pf_sandbox *sandbox = NULL;
    MUST(pf_replay_branch(replay, options, &sandbox, &test_error));
    pf_options_free(options);
    MUST(pf_sandbox_advance(sandbox, &test_error));
    CHECK(pf_sandbox_result(sandbox) && pf_sandbox_result(sandbox)->exit_code == 0);
    char *data = NULL;
    size_t len;
    MUST(pf_file_take(sandbox, "/workspace/out", &data, &len, &test_error));
    CHECK_TEXT(data, "one\n2\n3\n4\n5\n6\n7\n8\n");
    pf_free(data);
    pf_sandbox_free(sandbox);
    pf_replay_free(replay);
}

/* The whole of a trace, whose sandbox goes on or has ended, is what a proof is of. */
static void test_proofs(void) {
    static const uint8_t seed[PF_KEY_BYTES] = {1};
    record("shell", "x=$(tool get); echo $x $RANDOM >> out");
    size_t len, proof_len;
    char *text = trace(&len), *proof = NULL;
    pf_proof_facts facts;
    MUST(pf_proof_new(text, len, NULL, seed, &proof, &proof_len, &test_error));
    MUST(pf_proof_verify(proof, proof_len, NULL, &facts, &test_error));
    CHECK(facts.this_build && facts.trace_len == len && !memcmp(facts.trace, text, len));
    CHECK(memcmp(facts.before, facts.after, sizeof facts.before) != 0);
    for (size_t cut = 0; cut < proof_len; cut += 97)
        CHECK(pf_proof_verify(proof, cut, NULL, &facts, &test_error) < 0);
    for (size_t at = 0; at < proof_len; at += 61) {
        proof[at] ^= 1;
        CHECK(pf_proof_verify(proof, proof_len, NULL, &facts, &test_error) < 0);
        proof[at] ^= 1;
    }
    pf_free(proof);
    /* Cut anywhere it is one that goes on: what was done until then. */
    size_t most = len;
    while (text[most - 2] != '\n') most--;
    MUST(pf_proof_new(text, most - 1, NULL, seed, &proof, &proof_len, &test_error));
    MUST(pf_proof_verify(proof, proof_len, NULL, NULL, &test_error));
    pf_free(proof);
    text[len / 2] ^= 1;
    CHECK(pf_proof_new(text, len, NULL, seed, &proof, &proof_len, &test_error) == PF_FORMAT && !proof);
    free(text);
}

static pf_replay *at_first_call(void) {
    pf_replay *replay = opened();
    while (pf_sandbox_pending(pf_replay_sandbox(replay), NULL, 0) == 0)
        MUST(pf_replay_next(replay, &test_error));
    return replay;
}

static void test_branch(void) {
    record("shell", "x=$(tool get); echo $x $RANDOM >> out");
    char *recorded = last_output();
    pf_replay *replay = at_first_call();
    for (int granted = 0; granted < 2; granted++) {
        pf_options *options = make_options(granted ? "get" : "");
        pf_sandbox *sandbox = NULL;
        pf_call call;
        MUST(pf_replay_branch(replay, options, &sandbox, &test_error));
        pf_options_free(options);
        CHECK(pf_sandbox_pending(sandbox, &call, 1) == (size_t)granted);
        if (granted) {
            CHECK(call.id == 1);
            MUST(pf_sandbox_resume(sandbox, 1, "5", 1, &test_error));
            char *data = NULL;
            size_t len;
            MUST(pf_file_take(sandbox, "/workspace/out", &data, &len, &test_error));
            CHECK(len > 2 && strncmp(data, recorded, len) == 0); /* the same random number */
            pf_free(data);
        }
        pf_sandbox_free(sandbox);
    }
    pf_replay_free(replay);
    pf_free(recorded);
}

static void test_refused(void) {
    record("javascript", "require('child_process').execSync('tool get'); fs.writeFileSync('out', '')");
    pf_replay *replay = at_first_call(), *copy = NULL;
    pf_options *options = make_options("get");
    pf_sandbox *sandbox = NULL;
    CHECK(pf_replay_fork(replay, &copy, &test_error) == PF_STATE && !copy);
    CHECK(strstr(test_error.message, "(js) is parked") != NULL);
    CHECK(pf_replay_branch(replay, options, &sandbox, &test_error) == PF_STATE && !sandbox);
    pf_options_free(options);
    /* One that was interrupted is over, and says so. */
    pf_sandbox_interrupt(pf_replay_sandbox(replay));
    CHECK(pf_replay_next(replay, &test_error) == PF_INTERRUPTED);
    CHECK(pf_replay_fork(replay, &copy, &test_error) == PF_INTERRUPTED && !copy);
    pf_replay_free(replay);
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/pinfold-copy-%d", (int)getpid());
    test_copies("shell", "echo $RANDOM > out; for i in 1 2 3; do tool get >> out; done; (tool get | cat) & wait");
    test_copies("javascript", "const all = await Promise.all([get({}), get({}), get({})]);"
                              "fs.writeFileSync('out', all.join() + Math.random() + '\\n')");
    test_stopped_copies();
    test_rests("shell", "for i in 1 2 3 4 5; do echo $i | sed s/5/five/ >> out; tool get | cat >> out; done");
    test_rests("javascript", "for (let i = 0; i < 9; i++) fs.appendFileSync('out', await get({}) + Math.random() + '\\n')");
    test_rest_and_until();
    test_proofs();
    test_branch();
    test_refused();
    unlink(path);
    return finish_tests();
}
