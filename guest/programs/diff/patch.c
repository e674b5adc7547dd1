/*
 * patch.c: applies what diff found to files.
 *
 * This file reads the options and goes through the patches; patch.h maps the others. Left out: ed
 * scripts, --merge, -D, version control systems. Questions are not asked: as without a terminal,
 * the answer is the one in brackets.
 *
 * help patch:
 *   Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
 *
 *   Input options:
 *     -p NUM  --strip=NUM  Strip NUM leading components from file names.
 *     -F LINES  --fuzz LINES  Set the fuzz factor to LINES for inexact matching.
 *     -l  --ignore-whitespace  Ignore white space changes between patch and input.
 *     -c  --context, -n  --normal, -u  --unified  Interpret the patch so (found out anyway).
 *     -N  --forward  Ignore patches that appear to be reversed or already applied.
 *     -R  --reverse  Assume patches were created with old and new files swapped.
 *     -i PATCHFILE  --input=PATCHFILE  Read patch from PATCHFILE instead of stdin.
 *
 *   Output options:
 *     -o FILE  --output=FILE  Output patched files to FILE.
 *     -r FILE  --reject-file=FILE  Output rejects to FILE.
 *     -E  --remove-empty-files  Remove output files that are empty after patching.
 *     --reject-format=FORMAT  Create 'context' or 'unified' rejects.
 *
 *   Backup and version control options:
 *     -b  --backup  Back up the original contents of each file.
 *     --backup-if-mismatch  Back up if the patch does not match exactly (default).
 *     --no-backup-if-mismatch  Back up mismatches only if otherwise requested.
 *     -B PREFIX  --prefix=PREFIX  Prepend PREFIX to backup file names.
 *     -z SUFFIX  --suffix=SUFFIX  Append SUFFIX to backup file names.
 *
 *   Miscellaneous options:
 *     -t  --batch  Ask no questions; skip bad-Prereq patches; assume reversed.
 *     -f  --force  Like -t, but ignore bad-Prereq patches, and assume unreversed.
 *     -s  --quiet  --silent  Work silently unless an error occurs.
 *     --verbose  Output extra information about the work being done.
 *     --dry-run  Do not actually change any files; just print what would happen.
 *     --posix  Accepted, without effect.
 *     -d DIR  --directory=DIR  Change the working directory to DIR first.
 *     --binary  Read and write data in binary mode.
 *     -v  --version  Output version info.
 *     --help  Output this help.
 */
#include "patch.h"
#include "g_file.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BACKUP_IF_MISMATCH = 256,
    NO_BACKUP_IF_MISMATCH,
    REJECT_FORMAT,
    VERBOSE,
    DRY_RUN,
    POSIX,
    BINARY,
    READ_ONLY,
    REFUSED
};
static const g_long longs[] = {{"backup", 'b', G_NONE},
                               {"backup-if-mismatch", BACKUP_IF_MISMATCH, G_NONE},
                               {"basename-prefix", REFUSED, G_REQUIRED},
                               {"batch", 't', G_NONE},
                               {"binary", BINARY, G_NONE},
                               {"context", 'c', G_NONE},
                               {"directory", 'd', G_REQUIRED},
                               {"dry-run", DRY_RUN, G_NONE},
                               {"ed", 'e', G_NONE},
                               {"force", 'f', G_NONE},
                               {"forward", 'N', G_NONE},
                               {"fuzz", 'F', G_REQUIRED},
                               {"get", 'g', G_REQUIRED},
                               {"ifdef", 'D', G_REQUIRED},
                               {"ignore-whitespace", 'l', G_NONE},
                               {"input", 'i', G_REQUIRED},
                               {"merge", REFUSED, G_OPTIONAL},
                               {"no-backup-if-mismatch", NO_BACKUP_IF_MISMATCH, G_NONE},
                               {"normal", 'n', G_NONE},
                               {"output", 'o', G_REQUIRED},
                               {"posix", POSIX, G_NONE},
                               {"prefix", 'B', G_REQUIRED},
                               {"quiet", 's', G_NONE},
                               {"read-only", READ_ONLY, G_REQUIRED},
                               {"reject-file", 'r', G_REQUIRED},
                               {"reject-format", REJECT_FORMAT, G_REQUIRED},
                               {"remove-empty-files", 'E', G_NONE},
                               {"reverse", 'R', G_NONE},
                               {"silent", 's', G_NONE},
                               {"strip", 'p', G_REQUIRED},
                               {"suffix", 'z', G_REQUIRED},
                               {"unified", 'u', G_NONE},
                               {"verbose", VERBOSE, G_NONE},
                               {"version", 'v', G_NONE},
                               {0}};

void patch_fatal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    va_start(args, format);
    text = g_alloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    g_die(2, "**** %s", text);
}

static void say(const patch_options *o, const char *format, ...) G_PRINTF(2, 3);
static void say(const patch_options *o, const char *format, ...) {
    if (o->silent) return;
    va_list args;
    va_start(args, format);
    g_text text = {0};
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    va_start(args, format);
    g_text_reserve(&text, (size_t)length + 1);
    vsnprintf(text.s, (size_t)length + 1, format, args);
    va_end(args);
    if (o->output && strcmp(o->output, "-") == 0)
        fputs(text.s, stderr);
    else
        g_outs(text.s);
    g_text_free(&text);
}

/* The file that a patch changes, while it does. */
typedef struct {
    const patch_options *o;
    file_patch *p;
    char *name;         /* of the file read */
    const char *target; /* of the file written: -o, a rename, or the same */
    bool exists, reverse, skip, mismatch, anyway;
    struct stat st;
    char *text;
    patch_line *lines;
    patch_state state;
    g_text rejects;
    int64_t failed;
} job;

static void put_lead(const patch_text *t, const file_patch *p) {
    g_outs("The text leading up to this was:\n--------------------------\n");
    for (size_t at = p->lead_start; at < p->lead_end;) {
        const char *end = memchr(t->s + at, '\n', p->lead_end - at);
        size_t stop = end ? (size_t)(end + 1 - t->s) : p->lead_end;
        g_outc('|');
        g_out(t->s + at, stop - at);
        at = stop;
    }
    g_outs("--------------------------\n");
}

static void split(job *j, size_t len) {
    size_t cap = 0;
    patch_state *st = &j->state;
    for (size_t at = 0; at < len;) {
        const char *s = j->text + at, *end = memchr(s, '\n', len - at);
        size_t n = end ? (size_t)(end + 1 - s) : len - at;
        if ((size_t)st->count == cap) j->lines = g_more(j->lines, &cap, sizeof *j->lines);
        j->lines[st->count++] = (patch_line){' ', s, n};
        at += n;
    }
    st->lines = j->lines;
}

static void load(job *j) {
    size_t len = 0;
    if (j->exists) {
        int fd = open(j->name, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) j->text = g_read_all(fd, &len);
        if (!j->text) patch_fatal("Can't open file %s : %s", g_quotef(j->name), strerror(errno));
        close(fd);
    } else {
        j->text = g_zalloc(1);
    }
    split(j, len);
}

/* What to do with a patch that seems to be applied already: true when it is to be reversed. */
static bool offer_reversal(job *j, const char *what) {
    const patch_options *o = j->o;
    if (o->forward) {
        say(o, "%s  Skipping patch.\n", what);
        j->skip = true;
    } else if (o->force) {
        if (o->verbose) say(o, "%s  Applying it anyway.\n", what);
        return false;
    } else if (o->batch) {
        say(o, "%s  %s\n", what, j->reverse ? "Ignoring -R." : "Assuming -R.");
        return true;
    } else {
        g_outf("%s  %s [n] \nApply anyway? [n] \n", what, j->reverse ? "Ignore -R?" : "Assume -R?");
        say(o, "Skipping patch.\n");
        j->skip = true;
    }
    return false;
}

static int64_t locate(job *j, patch_hunk *hunk, bool first, int64_t *fuzz) {
    const patch_options *o = j->o;
    int64_t context = hunk->prefix > hunk->suffix ? hunk->prefix : hunk->suffix;
    int64_t most = o->fuzz < context ? o->fuzz : context, where = 0;
    for (*fuzz = 0; !where && *fuzz <= most && !j->skip; ++*fuzz) {
        where = patch_locate(&j->state, o, hunk, *fuzz);
        if (!where) j->mismatch = true;
        if (!where && first && !o->force && !j->anyway && j->reverse == o->reverse) {
            patch_swap(hunk);
            where = patch_locate(&j->state, o, hunk, *fuzz);
            const char *what = j->reverse ? "Unreversed patch detected!"
                                          : "Reversed (or previously applied) patch detected!";
            if (where && offer_reversal(j, what)) {
                j->reverse = !j->reverse;
                for (size_t i = 1; i < j->p->hunk_count; i++) patch_swap(&j->p->hunks[i]);
                return where;
            }
            patch_swap(hunk);
            if (j->skip) return 0;
            if (where) {
                j->anyway = true;
                where = 0;
                --*fuzz;
            }
        }
        if (where) return where;
    }
    return 0;
}

/* The lines with the file names, in front of the first reject. */
static void reject_header(job *j, bool unified) {
    const file_patch *p = j->p;
    for (int f = 0; f < 2; f++) {
        int which = j->reverse ? !f : f;
        g_text_adds(&j->rejects, unified ? (f ? "+++ " : "--- ") : (f ? "--- " : "*** "));
        if (p->header[which])
            g_text_add(&j->rejects, p->header[which], p->header_len[which]);
        else
            g_text_adds(&j->rejects, "/dev/null");
        g_text_addc(&j->rejects, '\n');
    }
}

static void reject(job *j, patch_hunk *hunk) {
    const patch_options *o = j->o;
    enum patch_kind kind = j->p->kind;
    if (o->unified_rejects)
        kind = PATCH_UNIFIED;
    else if (o->context_rejects && kind == PATCH_UNIFIED)
        kind = PATCH_CONTEXT;
    if (j->rejects.len == 0) reject_header(j, kind == PATCH_UNIFIED);
    hunk->old_start += j->state.out_offset;
    patch_reject(&j->rejects, hunk, kind);
    j->failed++;
}

static bool returns(const patch_line *line) {
    return line->len > 1 && line->s[line->len - 2] == '\r' && line->s[line->len - 1] == '\n';
}

/* Whether the hunk comes from a file with other line ends, which would explain why it does not fit.
 */
static bool other_line_ends(const job *j, const patch_hunk *hunk) {
    for (size_t i = 0; i < hunk->count && j->state.count > 0; i++)
        if (hunk->lines[i].kind != '+') return returns(&hunk->lines[i]) != returns(&j->lines[0]);
    return false;
}

static void one_hunk(job *j, size_t at) {
    const patch_options *o = j->o;
    patch_hunk *hunk = &j->p->hunks[at];
    int64_t fuzz = 0, where = j->skip ? 0 : locate(j, hunk, at == 0, &fuzz);
    int64_t shown = (where ? where : hunk->old_start) + j->state.out_offset;
    unsigned number = (unsigned)at + 1;
    bool creates = j->p->nonexistent[j->reverse ? NEW : OLD] == 2;
    if (where && creates && where == 1 && j->state.count > 0 && !j->reverse) where = 0;
    if (!where) {
        bool quiet = j->skip;
        reject(j, hunk);
        if (!quiet || o->verbose)
            say(o, "Hunk #%u %s at %lld%s.\n", number, j->skip ? "ignored" : "FAILED",
                (long long)shown,
                !j->skip && other_line_ends(j, hunk) ? " (different line endings)" : "");
        return;
    }
    patch_apply(&j->state, hunk, where);
    int64_t offset = j->state.in_offset;
    if (offset) j->mismatch = true;
    if (!o->verbose && !fuzz && !offset) return;
    say(o, "Hunk #%u succeeded at %lld", number, (long long)shown);
    if (fuzz) say(o, " with fuzz %lld", (long long)fuzz);
    if (offset) say(o, " (offset %lld line%s)", (long long)offset, offset == 1 ? "" : "s");
    say(o, ".\n");
}

/* Whether this patch would create a file that is there, or delete one that is not: then it is
 * probably applied already. */
static void check_existence(job *j) {
    bool creates = j->p->nonexistent[j->reverse ? NEW : OLD] == 2 && j->exists && j->st.st_size > 0;
    bool deletes = j->p->nonexistent[j->reverse ? OLD : NEW] == 2 && !j->exists;
    if (!(creates || deletes) || j->o->operand || j->o->force) return;
    char *what = g_alloc(strlen(j->name) * 4 + 100);
    sprintf(what, "The next patch would %s the file %s,\nwhich %s!", creates ? "create" : "delete",
            g_quotef(j->name), creates ? "already exists" : "does not exist");
    if (offer_reversal(j, what)) {
        j->reverse = !j->reverse;
        for (size_t i = 0; i < j->p->hunk_count; i++) patch_swap(&j->p->hunks[i]);
    }
    free(what);
}

static void save_rejects(job *j, bool announced) {
    const patch_options *o = j->o;
    if (!j->failed) return;
    size_t hunks = j->p->hunk_count;
    g_outf("%lld out of %zu hunk%s %s", (long long)j->failed, hunks, hunks == 1 ? "" : "s",
           j->skip ? "ignored" : "FAILED");
    if (!announced || o->dry_run || (o->rejects && strcmp(o->rejects, "-") == 0)) {
        g_outc('\n');
        return;
    }
    const char *written = o->output ? o->output : j->target;
    char *name = o->rejects ? g_copy_string(o->rejects) : g_alloc(strlen(written) + 5);
    if (!o->rejects) sprintf(name, "%s.rej", written);
    g_outf(" -- saving rejects to file %s\n", g_quotef(name));
    patch_write(name, &j->rejects, 0);
    free(name);
}

static void save(job *j) {
    const patch_options *o = j->o;
    const file_patch *p = j->p;
    bool applied = (size_t)j->failed < p->hunk_count || p->hunk_count == 0;
    if (o->dry_run || j->skip) return;
    bool deletes = p->nonexistent[j->reverse ? OLD : NEW] > 0;
    bool gone = j->state.out.len == 0 && applied &&
                (o->remove_empty || (deletes && p->nonexistent[j->reverse ? OLD : NEW] == 2));
    if (deletes && p->nonexistent[j->reverse ? OLD : NEW] == 2 && j->state.out.len > 0 && applied &&
        !j->failed) {
        g_outf("Not deleting file %s as content differs from patch\n", g_quotef(j->target));
        j->failed = j->failed ? j->failed : -1;
    }
    bool backup = o->backup || (j->mismatch && !o->no_mismatch_backup && !o->output);
    mode_t mode = j->exists ? j->st.st_mode & 07777 : 0;
    int git_mode = j->reverse ? p->old_mode : p->new_mode;
    if (git_mode >= 0) mode = (mode_t)(git_mode & 0777);
    backup = patch_first_change(j->target) && backup;
    if (backup && !o->output)
        patch_back_up(o, j->target, j->exists && strcmp(j->name, j->target) == 0);
    if (gone && !o->output) {
        if (access(j->name, F_OK) == 0) patch_remove(j->name);
        return;
    }
    if (!applied && !o->output) {
        /* Nothing changed; a backup took the file away. */
        if (backup && j->exists) patch_write(j->target, &j->state.out, mode);
        return;
    }
    if (!o->output) patch_make_parents(j->target);
    patch_write(o->output ? o->output : j->target, &j->state.out, mode);
    if (p->rename_to && !p->copy && !o->output && strcmp(j->name, j->target) != 0)
        patch_remove(j->name);
}

static void announce(const job *j) {
    const patch_options *o = j->o;
    g_text names = {0};
    const char *doing = o->dry_run ? "checking" : "patching";
    g_text_adds(&names, g_quotef(o->output ? o->output : j->target));
    if (o->output)
        g_text_addf(&names, " (read from %s)", g_quotef(j->name));
    else if (strcmp(j->name, j->target) != 0)
        g_text_addf(&names, " (%s from %s)", j->p->copy ? "copied" : "renamed", g_quotef(j->name));
    say(o, "%s file %s\n", doing, names.s);
    g_text_free(&names);
}

static void put_looks(const patch_text *t, const file_patch *p, bool first) {
    static const char *const kinds[] = {"unified", "new-style context", "normal"};
    if (!first)
        g_outs("Hmm...  The next patch looks like a ");
    else
        g_outs("Hmm...  Looks like a ");
    g_outf("%s diff to me...\n", kinds[p->kind]);
    put_lead(t, p);
}

/* Applies one file's changes: true when all went well. */
static bool one_file(const patch_options *o, const patch_text *t, file_patch *p, bool first) {
    job j = {.o = o, .p = p, .reverse = o->reverse};
    if (t->strip_cr) say(o, "(Stripping trailing CRs from patch; use --binary to disable.)\n");
    if (o->verbose) put_looks(t, p, first);
    j.name = o->operand ? g_copy_string(o->operand) : patch_choose(o, p);
    if (!j.name) {
        if (!o->verbose || o->silent) {
            g_outf("can't find file to patch at input line %lld\n", (long long)p->line);
            g_outs(o->strip < 0 ? "Perhaps you should have used the -p or --strip option?\n"
                                : "Perhaps you used the wrong -p or --strip option?\n");
            put_lead(t, p);
        }
        if (o->force || o->batch)
            g_outs("No file to patch.  Skipping patch.\n");
        else
            g_outs("File to patch: \nSkip this patch? [y] \nSkipping patch.\n");
        j.skip = true;
        j.failed = (int64_t)p->hunk_count;
        j.name = g_copy_string("");
        j.target = j.name;
        save_rejects(&j, false);
        free(j.name);
        return false;
    }
    const char *renamed = j.reverse ? p->rename_from : p->rename_to;
    j.target = renamed && p->rename_from && p->rename_to && !o->operand ? renamed : j.name;
    j.exists = stat(j.name, &j.st) == 0;
    if (j.exists && !S_ISREG(j.st.st_mode)) {
        g_outf("File %s is not a regular file -- refusing to patch\n", g_quotef(j.name));
        j.skip = true;
        for (size_t i = 0; i < p->hunk_count; i++) reject(&j, &p->hunks[i]);
        save_rejects(&j, true);
        g_text_free(&j.rejects);
        free(j.name);
        return false;
    }
    if (p->git_binary) {
        g_outf("File %s: git binary diffs are not supported.\n", g_quotef(j.name));
        free(j.name);
        return false;
    }
    load(&j);
    for (size_t i = 0; j.reverse && i < p->hunk_count; i++) patch_swap(&p->hunks[i]);
    check_existence(&j);
    bool announced = !j.skip;
    if (announced) {
        announce(&j);
        if (o->verbose) say(o, "Using Plan A...\n");
    }
    if (t->cut_short) say(o, "patch unexpectedly ends in middle of line\n");
    for (size_t i = 0; i < p->hunk_count; i++) {
        one_hunk(&j, i);
        pf_yield();
    }
    patch_copy_rest(&j.state);
    bool lost = j.failed > 0 && !j.exists && !j.skip && !p->nonexistent[j.reverse ? NEW : OLD];
    if (lost && !o->dry_run)
        patch_fatal("Can't reopen file %s : %s", g_quotef(j.name), strerror(ENOENT));
    save(&j);
    if (j.failed > 0) save_rejects(&j, announced);
    g_text_free(&j.rejects);
    g_text_free(&j.state.out);
    free(j.lines);
    free(j.text);
    free(j.name);
    return j.failed == 0;
}

/* What would have been said before the patch turned out to be malformed. */
static void announce_malformed(patch_text *t, file_patch *p) {
    job j = {.o = t->o, .p = p, .reverse = t->o->reverse};
    j.name = t->o->operand ? g_copy_string(t->o->operand) : patch_choose(t->o, p);
    if (!j.name) return;
    j.target = j.name;
    announce(&j);
    free(j.name);
}

static int64_t number(const char *text, const char *what) {
    uint64_t value;
    if (g_parse_unsigned(text, "", &value, NULL) != G_NUMBER_OK || value > INT32_MAX)
        patch_fatal("%s %s is not a number", what, text);
    return (int64_t)value;
}

static void one_option(patch_options *o, const char **input, int option, const g_options *g) {
    const char *arg = g->arg;
    switch (option) {
    case 'b': o->backup = true; break;
    case 'B':
        if (!*arg) patch_fatal("backup prefix is empty");
        o->prefix = arg;
        o->backup = true;
        break;
    case 'c': o->only = PATCH_CONTEXT; break;
    case 'n': o->only = PATCH_NORMAL; break;
    case 'u': o->only = PATCH_UNIFIED; break;
    case POSIX:
    case READ_ONLY:
    case 'g':
    case 'T':
    case 'Z': break;
    case 'd':
        if (chdir(arg) < 0)
            patch_fatal("Can't change to directory %s : %s", g_quotef(arg), strerror(errno));
        break;
    case 'D': patch_fatal("-D (--ifdef) is not supported");
    case 'e': patch_fatal("ed scripts are not supported; make the patch with diff -u");
    case 'E': o->remove_empty = true; break;
    case 'f': o->force = true; break;
    case 'F': o->fuzz = number(arg, "fuzz factor"); break;
    case 'i': *input = arg; break;
    case 'l': o->ignore_space = true; break;
    case 'N': o->forward = true; break;
    case 'o': o->output = arg; break;
    case 'p': o->strip = (int)number(arg, "strip count"); break;
    case 'r': o->rejects = arg; break;
    case 'R': o->reverse = true; break;
    case 's': o->silent = true; break;
    case 't': o->batch = true; break;
    case 'v': g_print_version(); g_exit(0);
    case 'z':
    case 'Y':
        if (!*arg) patch_fatal("backup suffix is empty");
        o->suffix = arg;
        break;
    case 'V': break;
    case BACKUP_IF_MISMATCH: o->no_mismatch_backup = false; break;
    case NO_BACKUP_IF_MISMATCH: o->no_mismatch_backup = true; break;
    case REJECT_FORMAT:
        o->unified_rejects = strcmp(arg, "unified") == 0;
        o->context_rejects = strcmp(arg, "context") == 0;
        if (!o->unified_rejects && !o->context_rejects) g_usage(NULL);
        break;
    case VERBOSE: o->verbose = true; break;
    case DRY_RUN: o->dry_run = true; break;
    case BINARY: o->binary = true; break;
    case REFUSED: patch_fatal("--%s is not supported", g->name);
    }
}

int patch_main(int argc, char **argv) {
    patch_options o = {.strip = -1, .fuzz = 2, .only = -1};
    const char *input = NULL;
    g_set_failure(2);
    g_set_usage_line("patch: ");
    g_options g = g_options_of(argc, argv, "bB:cd:D:eEfF:g:i:lnNo:p:r:RstTuvV:Y:z:Z", longs);
    for (int option; (option = g_option(&g)) >= 0;) one_option(&o, &input, option, &g);
    if (g.at < argc) o.operand = argv[g.at++];
    if (g.at < argc) input = argv[g.at++];
    if (g.at < argc) {
        g_warn("%s: extra operand", argv[g.at]);
        g_usage(NULL);
    }
    int fd = STDIN_FILENO;
    if (input && strcmp(input, "-") != 0) fd = open(input, O_RDONLY | O_CLOEXEC);
    if (fd < 0) patch_fatal("Can't open patch file %s : %s", g_quotef(input), strerror(errno));
    patch_text text = {.o = &o, .line = 1, .announce = announce_malformed};
    text.s = g_read_all(fd, &text.len);
    if (!text.s) patch_fatal("read error : %s", strerror(errno));

    bool failed = false, first = true;
    for (file_patch p; patch_next(&text, &p);) {
        failed |= !one_file(&o, &text, &p, first);
        patch_free(&p);
        first = false;
    }
    if (first && text.len > 0) patch_fatal("Only garbage was found in the patch input.");
    if (o.verbose) g_outs("done\n");
    return failed;
}
