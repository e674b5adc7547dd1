/* files.c: see files.h. */
#include "files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "text.h"

static void list_one(const char *path, const pf_file_info *info) {
    static const char bits[] = "rwxrwxrwx";
    char mode[11] = "-", when[32];
    uint32_t type = info->mode & 0170000;
    mode[0] = type == 0040000 ? 'd' : type == 0100000 ? '-' : type == 0010000 ? 'p' : type == 0120000 ? 'l' : '?';
    for (int i = 0; i < 9; i++) mode[i + 1] = info->mode >> (8 - i) & 1 ? bits[i] : '-';
    mode[10] = '\0';
    time_t seconds = (time_t)(info->mtime_ns / 1000000000);
    struct tm parts;
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &parts));
    show(stdout, "%s %10" PRId64 " %s %s", mode, info->size, when, path);
}

void files_list(pf_sandbox *sandbox, const char *path) {
    char *names, inner[4200];
    size_t len;
    if (pf_file_list(sandbox, path, &names, &len, NULL) != PF_OK) return;
    for (const char *name = names; name < names + len; name += strlen(name) + 1) {
        pf_file_info info;
        int n = snprintf(inner, sizeof inner, "%s/%s", path, name);
        if (n < 0 || (size_t)n >= sizeof inner) continue;
        if (pf_file_lstat(sandbox, inner, &info, NULL) != PF_OK) continue;
        list_one(inner, &info);
        if ((info.mode & 0170000) == 0040000) files_list(sandbox, inner);
    }
    pf_free(names);
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
