/*
 * files.c: goes through the operands of bzip2, xz and zstd.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool tell(files_job *job, enum files_event event, const char *name, const char *output,
                 int number, const single_result *result) {
    files_report report = {event, name, output, number, result};
    int status = job->say(&job->s, &report);
    if (status > job->status) job->status = status;
    return false;
}

static bool convert(files_job *job, int in, int out, const char *name, const char *output,
                    const struct stat *st) {
    single_result r;
    const single_options *s = &job->s;
    if (s->decompress) {
        single_unpack(in, s->test ? -1 : out, job->codec, s->force && s->to_stdout, &r);
    } else {
        pack_hints hints = {.level = s->level,
                            .size = S_ISREG(st->st_mode) ? (int64_t)st->st_size : -1};
        single_pack(in, out, job->codec, &hints, &r);
    }
    free(r.name);
    if (r.write_failed) return tell(job, FILES_WRITE, name, output, r.error_number, &r);
    if (r.error) return tell(job, FILES_BAD, name, output, r.error_number, &r);
    if (r.trailing_garbage) tell(job, FILES_GARBAGE, name, output, 0, &r);
    tell(job, FILES_DONE, name, output, 0, &r);
    return true;
}

/* The name of the file to be made, in fresh memory; NULL when there is none. */
static char *output_name(files_job *job, const char *name) {
    if (job->output) return g_copy_string(job->output);
    const char *const(*suffix)[2] = job->suffixes;
    if (!job->s.decompress) {
        for (size_t i = 0; suffix[i][0] && !job->zstd_suffix_free; i++) {
            char *has = single_replace_suffix(name, suffix[i][0], "");
            free(has);
            if (!has) continue;
            tell(job, FILES_HAS_SUFFIX, name, suffix[i][0], 0, NULL);
            return NULL;
        }
        char *made = g_alloc(strlen(name) + strlen(job->s.suffix) + 1);
        sprintf(made, "%s%s", name, job->s.suffix);
        return made;
    }
    char *made = single_replace_suffix(name, job->s.suffix, "");
    for (size_t i = 0; !made && suffix[i][0]; i++)
        made = single_replace_suffix(name, suffix[i][0], suffix[i][1]);
    if (made) return made;
    if (job->guess) {
        made = g_alloc(strlen(name) + strlen(job->guess) + 1);
        sprintf(made, "%s%s", name, job->guess);
    }
    tell(job, FILES_NO_SUFFIX, name, made, 0, NULL);
    return made;
}

static void in_place(files_job *job, int in, const char *name, const struct stat *st) {
    char *to = output_name(job, name);
    if (!to) return;
    int out = single_create(to, job->s.force);
    if (out < 0) {
        tell(job, errno == EEXIST ? FILES_EXISTS : FILES_NO_OUTPUT, name, to, errno, NULL);
    } else if (convert(job, in, out, name, to, st)) {
        single_finish(out, st);
        if (job->keep_always ? job->remove : !job->s.keep) unlink(name);
    } else {
        close(out);
        unlink(to);
    }
    free(to);
}

static void one(files_job *job, const char *name) {
    struct stat st;
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        tell(job, FILES_NO_INPUT, name, NULL, errno, NULL);
    } else if (S_ISDIR(st.st_mode)) {
        tell(job, FILES_DIRECTORY, name, NULL, 0, NULL);
    } else if (job->s.test || job->s.to_stdout || (standard && !job->output)) {
        convert(job, fd, STDOUT_FILENO, standard ? job->stdin_name : name, NULL, &st);
    } else {
        in_place(job, fd, standard ? job->stdin_name : name, &st);
    }
    if (fd > STDIN_FILENO) close(fd);
}

int files_run(files_job *job, int count, char **operands) {
    if (count == 0) one(job, "-");
    for (int i = 0; i < count; i++) one(job, operands[i]);
    return job->status;
}
