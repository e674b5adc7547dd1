/*
 * backup.c: backups of files that cp, mv, ln and install would overwrite.
 */
#include "backup.h"
#include "g_file.h"
#include "g_option.h"
#include "g_quote.h"
#include "g_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const g_word controls[] = {{"none", BACKUP_NONE},         {"off", BACKUP_NONE},
                                  {"simple", BACKUP_SIMPLE},     {"never", BACKUP_SIMPLE},
                                  {"existing", BACKUP_EXISTING}, {"nil", BACKUP_EXISTING},
                                  {"numbered", BACKUP_NUMBERED}, {"t", BACKUP_NUMBERED},
                                  {0}};

void backup_option(backup_request *request, int option, const char *arg) {
    request->wanted = true;
    if (arg) *(option == 'S' ? &request->suffix : &request->control) = arg;
}

backup_options backup_choose(const backup_request *request) {
    backup_options o = {.mode = BACKUP_NONE, .suffix = request->suffix};
    if (!o.suffix) o.suffix = getenv("SIMPLE_BACKUP_SUFFIX");
    if (!o.suffix || !*o.suffix || strchr(o.suffix, '/')) o.suffix = "~";
    if (!request->wanted) return o;
    const char *option = "backup type", *control = request->control;
    if (!control || !*control) {
        control = getenv("VERSION_CONTROL");
        option = "$VERSION_CONTROL";
    }
    o.mode = control && *control ? (unsigned)g_match_word(option, control, controls) : BACKUP_EXISTING;
    return o;
}

/* The highest N of the files NAME.~N~ beside `path`; 0 when there is none. */
static long highest_number(const char *path) {
    char *dir = g_copy_bytes(path, (size_t)(g_last_part(path) - path));
    const char *base = g_last_part(path);
    size_t len = strlen(base);
    DIR *d = opendir(*dir ? dir : ".");
    long highest = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, base, len) != 0 || strncmp(e->d_name + len, ".~", 2) != 0) continue;
        char *end;
        long n = strtol(e->d_name + len + 2, &end, 10);
        if (strcmp(end, "~") == 0 && n > highest) highest = n;
    }
    if (d) closedir(d);
    free(dir);
    return highest;
}

char *backup_name(const backup_options *o, const char *path) {
    g_text name = {0};
    g_text_adds(&name, path);
    g_strip_slashes(name.s);
    name.len = strlen(name.s);
    long number = o->mode == BACKUP_SIMPLE ? 0 : highest_number(name.s);
    if (o->mode == BACKUP_NUMBERED || (o->mode == BACKUP_EXISTING && number > 0))
        g_text_addf(&name, ".~%ld~", number + 1);
    else
        g_text_adds(&name, o->suffix);
    return name.s;
}

char *backup_file(const backup_options *o, const char *path) {
    char *name = backup_name(o, path);
    if (rename(path, name) == 0) return name;
    if (errno != ENOENT) g_die_errno(1, errno, "cannot backup %s", g_quoteaf(path));
    free(name);
    return NULL;
}
