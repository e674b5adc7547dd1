/* user.c: users and groups, from /etc/passwd and /etc/group. */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <errno.h>

/* The file that is being read, and its current line; as the interface has it, one of each. */
struct table {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
};
static struct table users = {.path = "/etc/passwd"}, groups = {.path = "/etc/group"};

static void rewind_table(struct table *table) {
    if (table->file) fclose(table->file);
    table->file = NULL;
}

/* The next line with `count` fields, split at its colons. */
static int next_line(struct table *table, char *fields[], int count) {
    if (!table->file && !(table->file = fopen(table->path, "re"))) return -1;
    ssize_t len;
    while ((len = getline(&table->line, &table->room, table->file)) > 0) {
        if (table->line[len - 1] == '\n') table->line[len - 1] = 0;
        char *at = table->line;
        int found = 0;
        while (found < count && at) {
            fields[found++] = at;
            if ((at = strchr(at, ':'))) *at++ = 0;
        }
        if (found == count) return 0;
    }
    return -1;
}

struct passwd *getpwent(void) {
    static struct passwd entry;
    char *f[7];
    if (next_line(&users, f, 7) < 0) return NULL;
    entry = (struct passwd){.pw_name = f[0],
                            .pw_passwd = f[1],
                            .pw_uid = (uid_t)strtoul(f[2], NULL, 10),
                            .pw_gid = (gid_t)strtoul(f[3], NULL, 10),
                            .pw_gecos = f[4],
                            .pw_dir = f[5],
                            .pw_shell = f[6]};
    return &entry;
}
void setpwent(void) { rewind_table(&users); }
void endpwent(void) { rewind_table(&users); }

struct passwd *getpwuid(uid_t uid) {
    struct passwd *entry;
    int saved = errno; /* nobody of that number is no error */
    setpwent();
    while ((entry = getpwent()) && entry->pw_uid != uid) {}
    endpwent();
    errno = saved;
    return entry;
}
struct passwd *getpwnam(const char *name) {
    struct passwd *entry;
    int saved = errno;
    setpwent();
    while ((entry = getpwent()) && strcmp(entry->pw_name, name)) {}
    endpwent();
    errno = saved;
    return entry;
}

#define MEMBERS 32 /* more than any group of a sandbox has */
struct group *getgrent(void) {
    static struct group entry;
    static char *members[MEMBERS + 1];
    char *f[4];
    if (next_line(&groups, f, 4) < 0) return NULL;
    int count = 0;
    char *rest = f[3];
    for (char *name; count < MEMBERS && (name = strsep(&rest, ","));)
        if (*name) members[count++] = name;
    members[count] = NULL;
    entry = (struct group){.gr_name = f[0],
                           .gr_passwd = f[1],
                           .gr_gid = (gid_t)strtoul(f[2], NULL, 10),
                           .gr_mem = members};
    return &entry;
}
void setgrent(void) { rewind_table(&groups); }
void endgrent(void) { rewind_table(&groups); }

struct group *getgrgid(gid_t gid) {
    struct group *entry;
    int saved = errno;
    setgrent();
    while ((entry = getgrent()) && entry->gr_gid != gid) {}
    endgrent();
    errno = saved;
    return entry;
}
struct group *getgrnam(const char *name) {
    struct group *entry;
    int saved = errno;
    setgrent();
    while ((entry = getgrent()) && strcmp(entry->gr_name, name)) {}
    endgrent();
    errno = saved;
    return entry;
}

int getgrouplist(const char *user, gid_t own, gid_t *list, int *count) {
    int room = *count, found = 0;
    if (found < room) list[found] = own;
    found++;
    setgrent();
    for (struct group *entry; (entry = getgrent());)
        for (char **member = entry->gr_mem; *member; member++) {
            if (strcmp(*member, user) || entry->gr_gid == own) continue;
            if (found < room) list[found] = entry->gr_gid;
            found++;
        }
    endgrent();
    *count = found;
    return found <= room ? found : -1;
}
int initgroups(const char *user, gid_t own) {
    (void)user;
    (void)own;
    errno = EPERM;
    return -1;
}

char *getlogin(void) {
    struct passwd *entry = getpwuid(getuid());
    if (!entry) errno = ENXIO;
    return entry ? entry->pw_name : NULL;
}
int getlogin_r(char *buf, size_t size) {
    const char *name = getlogin();
    if (!name) return errno;
    if (strlen(name) >= size) return ERANGE;
    strcpy(buf, name);
    return 0;
}
