/* grp.h: groups, from /etc/group. */
#ifndef PF_POSIX_GRP_H
#define PF_POSIX_GRP_H

#define __NEED_size_t
#define __NEED_gid_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

struct group {
    char *gr_name, *gr_passwd;
    gid_t gr_gid;
    char **gr_mem;
};

struct group *getgrgid(gid_t);
struct group *getgrnam(const char *);
struct group *getgrent(void);
void setgrent(void);
void endgrent(void);
int getgrouplist(const char *, gid_t, gid_t *, int *);
int initgroups(const char *, gid_t);

#ifdef __cplusplus
}
#endif

#endif
