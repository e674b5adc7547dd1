/*
 * make_update.c: what has to be made, in which order.
 *
 * update() is called again and again for a goal while one of its recipes runs: what has finished is
 * passed over. A target is made when it is not there, or one of its prerequisites is newer.
 */
#include "make.h"
#include "g_out.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

size_t commands_started;

static bool update(target *t, target *parent, unsigned depth);

static void complain(target *t) {
    const char *stop = opt.keep_going ? "" : ".  Stop";
    if (t->parent)
        make_error(NULL, "*** No rule to make target '%s', needed by '%s'%s.", t->entry.name,
                   t->parent->entry.name, stop);
    else
        make_error(NULL, "*** No rule to make target '%s'%s.", t->entry.name, stop);
    if (!opt.keep_going) make_end(2);
}

static void expand_late(target *t) {
    if (!t->late_deps) return;
    scope *saved = current_scope;
    place at = now_at;
    target_automatic(t);
    current_scope = target_scope(t);
    now_at = t->where;
    char *text = expanded(t->late_deps);
    dep *more = NULL;
    deps_parse(&more, text, t->stem);
    dep **end = &t->deps;
    while (*end) end = &(*end)->next;
    *end = more;
    t->late_deps = NULL;
    current_scope = saved;
    now_at = at;
}

static void prepare(target *t) {
    expand_late(t);
    if (!t->recipe && !t->phony && !t->searched) {
        t->searched = true;
        implicit_search(t);
    }
    t->state = WAITING;
}

/* The youngest time in what an absent intermediate file is made of. */
static int64_t behind(target *t, unsigned depth) {
    int64_t time = target_time(t);
    if (time != TIME_NONE || !t->intermediate || depth > 32) return time;
    time = TIME_OLD; /* it is wanted for what it is made of, and for nothing else */
    if (!t->searched && !t->recipe) {
        t->searched = true;
        implicit_search(t);
    }
    for (dep *d = t->deps; d; d = d->next) {
        if (d->order_only) continue;
        int64_t below = behind(d->target, depth + 1);
        if (below == TIME_NONE) return TIME_NONE;
        if (below > time) time = below;
    }
    return time;
}

/* An intermediate file that is not there need not be made when what it comes from is old. */
static bool can_wait(target *owner, target *t) {
    if (!t->intermediate || t->phony || t->state != NOT_STARTED || opt.always) return false;
    if (target_time(t) != TIME_NONE || target_time(owner) == TIME_NONE) return false;
    int64_t time = behind(t, 0);
    return time != TIME_NONE && time <= target_time(owner);
}

typedef struct {
    bool busy, failed, outdated;
} found;

static void update_dep(target *t, dep *d, unsigned depth, found *f) {
    target *x = d->target;
    if (x->updating) {
        make_error(NULL, "Circular %s <- %s dependency dropped.", t->entry.name, x->entry.name);
        d->order_only = true;
        d->target = target_get("", 0);
        d->target->phony = true;
        d->target->state = FINISHED;
        return;
    }
    if (update(x, t, depth + 1))
        f->busy = true;
    else if (x->outcome == OUTCOME_FAILED)
        f->failed = true;
    else if (x->outcome == OUTCOME_OUTDATED)
        f->outdated = true;
}

static void drop_circular(target *t) {
    for (dep **d = &t->deps; *d;)
        if (!*(*d)->target->entry.name)
            *d = (*d)->next;
        else
            d = &(*d)->next;
}

static void update_deps(target *t, unsigned depth, found *f) {
    bool must = t->phony || opt.always || target_time(t) == TIME_NONE;
    t->updating = true;
    for (int round = 0; round < 2; round++) { /* the second: intermediate files that could wait */
        for (dep *d = t->deps; d; d = d->next) {
            bool waits = !must && can_wait(t, d->target);
            if (round == 0 ? waits : !must || d->target->state == FINISHED) continue;
            update_dep(t, d, depth, f);
            if (f->failed && !opt.keep_going) break;
            if (d->order_only || d->target->state != FINISHED) continue;
            int64_t time = target_time(d->target);
            if (time == TIME_NONE || time > target_time(t)) must = true;
        }
        if (f->busy || f->failed || !must) break;
    }
    t->updating = false;
    drop_circular(t);
}

/* Whether it has to be made; marks the prerequisites that are newer. */
static bool must_make(target *t) {
    int64_t own = target_time(t);
    bool must = own == TIME_NONE;
    for (dep *d = t->deps; d; d = d->next) {
        bool waits = d->target->state == NOT_STARTED;
        int64_t time = waits ? TIME_OLD : target_time(d->target);
        d->changed = own == TIME_NONE || time == TIME_NONE || time > own || (opt.always && !waits);
        if (d->order_only || !d->changed) continue;
        must = true;
    }
    if (opt.always || (t->double_colon && !t->deps)) must = true;
    return must;
}

static bool has_commands(const target *t) {
    return t->recipe && t->recipe->count;
}

void target_touch(target *t) {
    int fd = open(t->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (!opt.silent) g_outf("touch %s\n", t->path);
    if (fd >= 0) close(fd);
    if (fd < 0 || utimensat(AT_FDCWD, t->path, NULL, 0) != 0)
        make_error(NULL, "touch: %s: cannot be touched", t->path);
    commands_started++;
    t->ran = true;
}

static bool has_recursive_line(const recipe *r) {
    for (size_t i = 0; i < r->count; i++) {
        const char *s = r->lines[i];
        while (*s == ' ' || *s == '\t' || *s == '@' || *s == '-') s++;
        if (*s == '+' || strstr(s, "$(MAKE)") || strstr(s, "${MAKE}")) return true;
    }
    return false;
}

void target_finish(target *t, enum outcome outcome) {
    target *alone[] = {t}, **all = t->together_count ? t->together : alone;
    size_t count = t->together_count ? t->together_count : 1;
    for (size_t i = 0; i < count; i++) {
        target *x = all[i];
        x->state = FINISHED;
        x->outcome = outcome;
        if (x != t) x->parent = x->parent ? x->parent : t->parent;
        if (!t->ran && has_commands(t)) continue;
        bool pretends = opt.dry_run || opt.question;
        if (x->phony)
            x->time = TIME_NONE;
        else if (!has_commands(t) || pretends)
            x->time = TIME_NEW;
        else if (!x->assumed_new && !x->assumed_old)
            x->time = TIME_UNKNOWN;
        if (x != t) x->ran = t->ran;
    }
}

static bool finish(target *t, enum outcome outcome) {
    t->ran = false;
    target_finish(t, outcome);
    return false;
}

static void make_it(target *t) {
    if (!has_commands(t)) {
        t->ran = true;
        if (!t->phony && !t->is_target && !t->recipe) {
            if (target_time(t) == TIME_NONE) {
                t->state = FINISHED;
                t->outcome = OUTCOME_FAILED;
                if (!t->is_makefile) complain(t);
                return;
            }
            t->ran = false; /* a file without a rule stays as old as it is */
            t->state = FINISHED;
            t->outcome = OUTCOME_GOOD;
            return;
        }
        target_finish(t, OUTCOME_GOOD);
        return;
    }
    target_automatic(t);
    if (opt.touch && !has_recursive_line(t->recipe)) {
        if (!t->phony) target_touch(t);
        target_finish(t, OUTCOME_GOOD);
        return;
    }
    if (opt.question && !has_recursive_line(t->recipe)) {
        target_finish(t, OUTCOME_OUTDATED);
        return;
    }
    job_start(t);
}

/* True while something of it is running. */
static bool update_one(target *t, target *parent, unsigned depth) {
    found f = {0};
    if (t->state == FINISHED) return false;
    if (t->state == RUNNING) return true;
    if (!t->parent && parent) t->parent = parent;
    if (t->state == NOT_STARTED) prepare(t);
    update_deps(t, depth, &f);
    if (f.busy && !(f.failed && !opt.keep_going)) return true;
    if (f.failed) {
        if (depth == 0 && opt.keep_going && !opt.dry_run && !opt.question)
            make_error(NULL, "Target '%s' not remade because of errors.", t->entry.name);
        return finish(t, OUTCOME_FAILED);
    }
    if (!must_make(t)) {
        t->state = FINISHED;
        t->outcome = OUTCOME_GOOD;
        return false;
    }
    make_it(t);
    if (t->state == RUNNING && (job_slots == 1 || opt.not_parallel))
        while (t->state == RUNNING && job_wait()) {
        }
    return t->state == RUNNING;
}

static bool update(target *t, target *parent, unsigned depth) {
    bool busy = false;
    for (target *x = t; x; x = x->another) {
        if (x != t && t->outcome == OUTCOME_FAILED) break;
        if (update_one(x, parent, depth)) {
            busy = true;
            break; /* double-colon rules run in order */
        }
        if (x != t && x->outcome > t->outcome) t->outcome = x->outcome;
        if (x != t && x->ran) t->ran = true;
    }
    return busy;
}

int update_goals(target **goals, size_t count, bool makefiles) {
    int status = 0;
    for (size_t i = 0; i < count; i++) {
        target *t = goals[i];
        size_t before = commands_started;
        if (t->considered) continue;
        t->considered = true;
        while (update(t, NULL, 0))
            if (!job_wait()) break;
        if (t->outcome == OUTCOME_FAILED) {
            status = 2;
            if (!opt.keep_going) break;
        } else if (t->outcome == OUTCOME_OUTDATED) {
            if (!status) status = 1;
        } else if (commands_started == before && !opt.silent && !opt.question && !makefiles) {
            if (t->phony || !t->recipe)
                make_message("Nothing to be done for '%s'.", t->entry.name);
            else
                make_message("'%s' is up to date.", t->entry.name);
        }
    }
    if (status == 2 && jobs_running()) {
        make_error(NULL, "*** Waiting for unfinished jobs....");
        while (job_wait()) {
        }
    }
    return status;
}
