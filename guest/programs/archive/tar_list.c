/*
 * tar_list.c: what -t and -v print.
 */
#include "tar.h"
#include "g_mode.h"
#include "g_out.h"
#include "lib/utf8/utf8.h"

#include <stdio.h>
#include <stdlib.h>

/* Control characters and what is no text are shown as escapes, a backslash as two. */
void tar_put_name(const char *name, size_t len) {
    static const char letters[] = "\aa\bb\ff\nn\rr\tt\vv\\\\";
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)name[i];
        const char *known = NULL;
        for (const char *l = letters; *l && !known; l += 2)
            if ((unsigned char)*l == c) known = l + 1;
        uint32_t code;
        int size = c >= 0x80 && g_utf8_locale() ? pf_utf8_decode(name + i, len - i, &code) : 0;
        if (known)
            g_outf("\\%c", *known);
        else if (c < ' ' || c == 0x7f || (c >= 0x80 && !size))
            g_outf("\\%03o", c);
        else
            g_out(name + i, size > 0 ? (size_t)size : 1);
        i += size > 0 ? (size_t)size : 1;
    }
}

static mode_t type_bits(char type) {
    switch (type) {
    case '2': return S_IFLNK;
    case '3': return S_IFCHR;
    case '4': return S_IFBLK;
    case '5':
    case 'D': return S_IFDIR;
    case '6': return S_IFIFO;
    }
    return S_IFREG;
}

static void put_details(const tar_options *o, const tar_member *m) {
    static size_t width = 19; /* of owner, group and size; grows with what was needed */
    char mode[11], user[80], group[80], size[32];
    g_mode_string(type_bits(m->type) | m->mode, mode);
    if (m->type == '1') mode[0] = 'h';
    if (m->user[0] && !o->numeric_owner)
        snprintf(user, sizeof user, "%s", m->user);
    else
        snprintf(user, sizeof user, "%lld", (long long)m->uid);
    if (m->group[0] && !o->numeric_owner)
        snprintf(group, sizeof group, "%s", m->group);
    else
        snprintf(group, sizeof group, "%lld", (long long)m->gid);
    if (m->type == '3' || m->type == '4')
        snprintf(size, sizeof size, "%u,%u", m->major, m->minor);
    else
        snprintf(size, sizeof size, "%lld", (long long)m->size);
    size_t need = strlen(user) + 1 + strlen(group) + 1 + strlen(size);
    if (need > width) width = need;
    g_civil civil;
    g_civil_local(m->mtime, &civil);
    size_t len;
    char *time =
        g_strftime(o->full_time ? (m->mtime_ns ? "%Y-%m-%d %H:%M:%S.%N" : "%Y-%m-%d %H:%M:%S")
                                : "%Y-%m-%d %H:%M",
                   &civil, m->mtime, m->mtime_ns, &len);
    g_outf("%s %s/%s %*s %s ", mode, user, group, (int)(width - need + strlen(size)), size, time);
    free(time);
}

void tar_list_member(const tar_options *o, const tar_member *m, const char *name) {
    bool details = o->verbose > (o->action == 't' ? 0u : 1u);
    if (details) put_details(o, m);
    tar_put_name(name, strlen(name));
    if (details && (m->type == '2' || m->type == '1')) {
        g_outs(m->type == '2' ? " -> " : " link to ");
        tar_put_name(m->link, strlen(m->link));
    }
    g_outc('\n');
}

void tar_list(tar_options *o) {
    tar_archive a;
    tar_member m;
    tar_open_read(&a, o);
    while (tar_next(&a, o, &m)) {
        tar_safe_link(o, &m);
        if (tar_wanted(o, m.name) && !tar_excluded(o, m.name)) {
            char *shown =
                o->show_transformed ? tar_transformed(o, m.name, 'n') : g_copy_string(m.name);
            const char *name = o->show_transformed ? tar_stripped(o, shown) : shown;
            if (name) tar_list_member(o, &m, name);
            tar_safe_name(o, m.name, false); /* for its warnings */
            free(shown);
        }
        tar_skip(&a, m.size);
        tar_member_free(&m);
    }
    tar_close(&a);
}
