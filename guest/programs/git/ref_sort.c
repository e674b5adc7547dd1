/*
 * ref_sort.c: the order in which references are listed; see ref_format.h.
 */
#include "ref_format.h"

#include <ctype.h>
#include <strings.h>

int ref_ignore_case;

enum { MOST_KEYS = 10 };
typedef struct {
    char *atom;
    bool falling, version, number;
} sort_key;
static sort_key sort_keys[MOST_KEYS];
static int key_count;

void ref_sort_by(const char *text) {
    sort_key key = {0};
    if (key_count == MOST_KEYS) die("too many --sort");
    if (*text == '-') key.falling = true, text++;
    if (strncmp(text, "version:", 8) == 0 || strncmp(text, "v:", 2) == 0) key.version = true, text = strchr(text, ':') + 1;
    const char *plain = *text == '*' ? text + 1 : text;
    size_t len = strcspn(plain, ":");
    key.number = (len > 4 && strncmp(plain + len - 4, "date", 4) == 0) || strncmp(plain, "objectsize", len) == 0 || strncmp(plain, "numparent", len) == 0;
    if (key.number && len > 4 && strncmp(plain + len - 4, "date", 4) == 0) {
        g_text atom = {0};
        g_text_addf(&atom, "%.*s:unix", (int)(len + (size_t)(plain - text)), text);
        key.atom = atom.s;
    } else {
        key.atom = g_copy_string(text);
    }
    g_text value = {0};
    ref_field(&value, key.atom, "", ""); /* dies for what is no field */
    g_text_free(&value);
    sort_keys[key_count++] = key;
}

bool ref_sorted(void) { return key_count > 0; }

static int add_configured(const git_config_entry *entry, void *payload) {
    (void)payload;
    ref_sort_by(entry->value ? entry->value : "");
    return 0;
}

void ref_sort_configured(const char *setting) {
    git_config *config;
    if (key_count || git_repository_config_snapshot(&config, repo) < 0) return;
    git_config_get_multivar_foreach(config, setting, NULL, add_configured, NULL);
    git_config_free(config);
}

void ref_prepare(ref_item *item) {
    item->keys = g_zalloc((size_t)(key_count + 1) * sizeof *item->keys);
    for (int i = 0; i < key_count; i++) {
        g_text value = {0};
        g_text_adds(&value, "");
        ref_field(&value, sort_keys[i].atom, item->full, item->name);
        item->keys[i] = value.s;
    }
}

/* v1.10 behind v1.9: runs of digits are numbers. */
static int version_order(const char *a, const char *b) {
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);
            if (x != y) return x < y ? -1 : 1;
            a = end_a, b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a - (unsigned char)*b;
        } else {
            a++, b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

int ref_order(const void *a, const void *b) {
    const ref_item *x = a, *y = b;
    for (int i = key_count; i-- > 0;) {
        const sort_key *key = &sort_keys[i];
        const char *p = x->keys[i], *q = y->keys[i];
        long long m = strtoll(p, NULL, 10), n = strtoll(q, NULL, 10);
        int order = key->number ? (m > n) - (m < n) : key->version ? version_order(p, q) : ref_ignore_case ? strcasecmp(p, q) : strcmp(p, q);
        if (order) return key->falling ? -order : order;
    }
    return ref_ignore_case ? strcasecmp(x->full, y->full) : strcmp(x->full, y->full);
}
