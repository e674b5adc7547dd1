/* files.c: see files.h. */
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "text.h"

void files_list_one(const char *path, const pf_file_info *info) {
    static const char bits[] = "rwxrwxrwx";
    char mode[11] = "-", when[32];
    uint32_t type = info->mode & 0170000;
    mode[0] = type == 0040000   ? 'd'
              : type == 0100000 ? '-'
              : type == 0010000 ? 'p'
              : type == 0120000 ? 'l'
                                : '?';
    for (int i = 0; i < 9; i++) mode[i + 1] = info->mode >> (8 - i) & 1 ? bits[i] : '-';
    mode[10] = '\0';
    time_t seconds = (time_t)(info->mtime_ns / 1000000000);
    struct tm parts;
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &parts));
    show(stdout, "%s %10" PRId64 " %s %s", mode, info->size, when, path);
}

/* What one list may take: a snapshot may have directories without end. */
#define SECONDS_MAX 60
#define PATH_BYTES  4200

struct listing {
    pf_sandbox *sandbox;
    time_t until;
    bool late;
    char path[PATH_BYTES];
};

static time_t seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* What is in the directory `path`, which has `len` bytes. Paths have an end, and so has this. */
static void list_below(struct listing *l, size_t len) {
    char *names;
    size_t names_len;
    if (pf_file_list(l->sandbox, l->path, &names, &names_len, NULL) != PF_OK) return;
    for (const char *name = names; name < names + names_len; name += strlen(name) + 1) {
        pf_file_info info;
        size_t name_len = strlen(name);
        l->late = l->late || seconds_now() > l->until;
        if (l->late) break;
        if (len + 1 + name_len >= PATH_BYTES) continue;
        l->path[len] = '/';
        memcpy(l->path + len + 1, name, name_len + 1);
        if (pf_file_lstat(l->sandbox, l->path, &info, NULL) != PF_OK) continue;
        files_list_one(l->path, &info);
        if ((info.mode & 0170000) == 0040000) list_below(l, len + 1 + name_len);
    }
    l->path[len] = '\0';
    pf_free(names);
}

void files_list(pf_sandbox *sandbox, const char *path) {
    struct listing l = {.sandbox = sandbox, .until = seconds_now() + SECONDS_MAX};
    int len = snprintf(l.path, sizeof l.path, "%s", path);
    if (len > 0 && len < PATH_BYTES) list_below(&l, (size_t)len);
    if (l.late) fprintf(stderr, "pinfold: %s: not all files are listed: it took too long\n", path);
}

bool files_print(pf_sandbox *sandbox, const char *path) {
    char *data;
    size_t len;
    pf_error error;
    if (pf_file_take(sandbox, path, &data, &len, &error) != PF_OK) {
        complain("%s", error.message);
        return false;
    }
    bool ok = fwrite(data, 1, len, stdout) == len && fflush(stdout) == 0;
    pf_free(data);
    return ok;
}

/* A file goes into a directory of the host under its own name. */
static bool copy_file(pf_sandbox *sandbox, const char *path, const char *host) {
    char *data, place[PATH_BYTES];
    size_t len;
    pf_error error;
    struct stat there;
    bool inside = stat(host, &there) == 0 && S_ISDIR(there.st_mode);
    const char *name = inside ? strrchr(path, '/') : "";
    if ((size_t)snprintf(place, sizeof place, "%s%s", host, name) >= sizeof place) {
        complain("--out %s: the path is too long", host);
        return false;
    }
    if (pf_file_take(sandbox, path, &data, &len, &error) != PF_OK) {
        complain("--out %s", error.message);
        return false;
    }
    bool ok = text_write_file(place, data, len);
    if (!ok) complain("--out %s: %s", place, strerror(errno));
    pf_free(data);
    return ok;
}

bool files_copy_out(pf_sandbox *sandbox, const char *path, const char *host) {
    pf_error error;
    pf_file_info info;
    pf_status status = pf_file_stat(sandbox, path, &info, &error);
    if (status == PF_OK && (info.mode & 0170000) != 0040000) return copy_file(sandbox, path, host);
    if (status == PF_OK) status = pf_file_export(sandbox, path, host, &error);
    if (status != PF_OK) complain("--out %s", error.message);
    return status == PF_OK;
}
