/*
 * host/capability/tools.c: see tools.h.
 */
#include "tools.h"

#include "reserved.h"

#include "host/base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA_LEN_MAX      ((size_t)4 << 20)
#define DESCRIPTION_LEN_MAX ((size_t)1 << 20)

struct tool_entry {
    atomic_size_t owners;
    struct cap_schema *schema;
    struct cap_tool tool; /* strings in `text`; usable flags as far as the tool alone decides */
    char *text;
};

/* ---- one tool */

static void drop_entry(struct tool_entry *entry) {
    if (!entry || atomic_fetch_sub_explicit(&entry->owners, 1, memory_order_acq_rel) != 1) return;
    cap_schema_free(entry->schema);
    free(entry->text);
    free(entry);
}

static const char *put(char **at, const char *text, size_t len) {
    char *start = *at;
    if (len) memcpy(start, text, len);
    start[len] = '\0';
    *at += len + 1;
    return start;
}

static pf_status check_texts(const char *name, const char *description, size_t len,
                             pf_error *error) {
    size_t description_len = strlen(description);
    if (!base_utf8_valid(description, description_len))
        return base_error(error, PF_INVALID, "the description of the tool %s is not valid UTF-8",
                          name);
    if (len > SCHEMA_LEN_MAX || description_len > DESCRIPTION_LEN_MAX)
        return base_error(error, PF_INVALID,
                          "the schema or description of the tool %s is too large", name);
    return PF_OK;
}

static pf_status fill(struct tool_entry *entry, const struct cap_name *id, const char *name,
                      const char *description, const char *schema, size_t len, pf_error *error) {
    size_t name_len = strlen(name), description_len = strlen(description);
    pf_status status = check_texts(name, description, len, error);
    if (status != PF_OK) return status;
    pf_error inner;
    if (len) status = cap_schema_new(&entry->schema, schema, len, &inner);
    if (status != PF_OK) return base_error(error, status, "the tool %s: %s", name, inner.message);
    entry->text = malloc(name_len + 1 + 2 * (id->len + 1) + description_len + 1 + len + 1);
    if (!entry->text) return base_no_memory(error);
    char *at = entry->text;
    struct cap_tool *t = &entry->tool;
    t->name = put(&at, name, name_len);
    t->id = put(&at, id->text, id->len);
    t->flat = at;
    cap_name_flat(t->id, at);
    at += id->len + 1;
    t->description = put(&at, description, description_len);
    t->schema = put(&at, schema, len);
    t->schema_len = len;
    struct cap_segment first = id->segments[0];
    t->flat_usable = cap_name_is_identifier(t->flat, id->len) &&
                     !cap_reserved_js(t->flat, id->len) && !cap_reserved_shell(t->flat, id->len);
    t->dotted_usable =
        cap_name_is_identifier(first.text, first.len) && !cap_reserved_js(first.text, first.len);
    return PF_OK;
}

static pf_status new_entry(struct tool_entry **out, const char *name, const char *description,
                           const char *schema, size_t len, pf_error *error) {
    struct cap_name id;
    const char *why;
    if (!cap_name_read(&id, name, strlen(name), false, &why))
        return base_error(error, PF_INVALID, "the tool name \"%.100s\" %s", name, why);
    struct tool_entry *entry = calloc(1, sizeof *entry);
    if (!entry) return base_no_memory(error);
    atomic_init(&entry->owners, 1);
    pf_status status = fill(entry, &id, name, description, schema, len, error);
    if (status == PF_OK)
        *out = entry;
    else
        drop_entry(entry);
    return status;
}

/* ---- sets */

struct cap_tools *cap_tools_share(struct cap_tools *tools) {
    if (tools) atomic_fetch_add_explicit(&tools->owners, 1, memory_order_relaxed);
    return tools;
}

void cap_tools_drop(struct cap_tools *tools) {
    if (!tools || atomic_fetch_sub_explicit(&tools->owners, 1, memory_order_acq_rel) != 1) return;
    for (size_t i = 0; i < tools->count; i++) drop_entry(tools->entries[i]);
    free(tools->tools);
    free(tools->entries);
    free(tools->by_id);
    free(tools->by_flat);
    free(tools);
}

static const char *key_of(const struct cap_tool *tool, bool flat) {
    return flat ? tool->flat : tool->id;
}

/* Where `key` is in an index, or would be. */
static size_t place_of(const struct cap_tools *tools, const size_t *index, size_t count, bool flat,
                       const char *key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(key_of(&tools->tools[index[middle]], flat), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t find(const struct cap_tools *tools, bool flat, const char *key) {
    const size_t *index = flat ? tools->by_flat : tools->by_id;
    size_t at = place_of(tools, index, tools->count, flat, key);
    if (at < tools->count && strcmp(key_of(&tools->tools[index[at]], flat), key) == 0)
        return index[at];
    return CAP_NO_TOOL;
}

static void insert(struct cap_tools *tools, size_t *index, bool flat) {
    size_t last = tools->count - 1;
    size_t at = place_of(tools, index, last, flat, key_of(&tools->tools[last], flat));
    memmove(index + at + 1, index + at, (last - at) * sizeof *index);
    index[at] = last;
}

/* A flat name that two tools have is nobody's. */
static void mark_twins(struct cap_tools *tools) {
    for (size_t i = 1; i < tools->count; i++) {
        struct cap_tool *a = &tools->tools[tools->by_flat[i - 1]];
        struct cap_tool *b = &tools->tools[tools->by_flat[i]];
        if (strcmp(a->flat, b->flat) == 0) a->flat_usable = b->flat_usable = false;
    }
}

static struct cap_tools *copy_set(const struct cap_tools *old, size_t count) {
    struct cap_tools *set = calloc(1, sizeof *set);
    if (!set) return NULL;
    atomic_init(&set->owners, 1);
    set->tools = calloc(count, sizeof *set->tools);
    set->entries = calloc(count, sizeof *set->entries);
    set->by_id = calloc(count, sizeof *set->by_id);
    set->by_flat = calloc(count, sizeof *set->by_flat);
    if (!set->tools || !set->entries || !set->by_id || !set->by_flat) {
        cap_tools_drop(set);
        return NULL;
    }
    if (!old) return set;
    memcpy(set->tools, old->tools, old->count * sizeof *set->tools);
    memcpy(set->by_id, old->by_id, old->count * sizeof *set->by_id);
    memcpy(set->by_flat, old->by_flat, old->count * sizeof *set->by_flat);
    for (size_t i = 0; i < old->count; i++) {
        set->entries[i] = old->entries[i];
        atomic_fetch_add_explicit(&set->entries[i]->owners, 1, memory_order_relaxed);
    }
    set->count = old->count;
    return set;
}

pf_status cap_tools_with(struct cap_tools **out, const struct cap_tools *old, const char *name,
                         const char *description, const char *schema, size_t len, pf_error *error) {
    struct tool_entry *entry;
    pf_status status = new_entry(&entry, name, description, schema, len, error);
    if (status != PF_OK) return status;
    size_t twin = old ? find(old, false, entry->tool.id) : CAP_NO_TOOL;
    if (twin != CAP_NO_TOOL) {
        status = base_error(error, PF_INVALID, "the tools \"%s\" and \"%s\" have the same id %s",
                            old->tools[twin].name, name, entry->tool.id);
        drop_entry(entry);
        return status;
    }
    struct cap_tools *set = copy_set(old, (old ? old->count : 0) + 1);
    if (!set) {
        drop_entry(entry);
        return base_no_memory(error);
    }
    set->entries[set->count] = entry;
    set->tools[set->count++] = entry->tool;
    insert(set, set->by_id, false);
    insert(set, set->by_flat, true);
    mark_twins(set);
    *out = set;
    return PF_OK;
}

size_t cap_tools_find_id(const struct cap_tools *tools, const char *id) {
    return tools ? find(tools, false, id) : CAP_NO_TOOL;
}

size_t cap_tools_find(const struct cap_tools *tools, const struct cap_name *name) {
    if (!tools) return CAP_NO_TOOL;
    size_t index = find(tools, false, name->text);
    if (index != CAP_NO_TOOL || name->count != 1) return index;
    index = find(tools, true, name->text);
    return index != CAP_NO_TOOL && tools->tools[index].flat_usable ? index : CAP_NO_TOOL;
}

const struct cap_schema *cap_tools_schema(const struct cap_tools *tools, size_t index) {
    return tools->entries[index]->schema;
}

/* ---- suggestions */

#define SUGGESTIONS 3
#define LISTED      12

void cap_tools_suggest(struct base_text *text, const struct cap_tools *tools, const char *name) {
    size_t shown = 0, count = tools ? tools->count : 0, max = strlen(name) / 3 + 1;
    for (size_t distance = 0; distance <= max && shown < SUGGESTIONS; distance++)
        for (size_t i = 0; i < count && shown < SUGGESTIONS; i++) {
            if (cap_name_distance(name, tools->tools[i].id, distance) != distance) continue;
            base_text_addf(text, "%s %s", shown ? " or" : "; did you mean", tools->tools[i].id);
            shown++;
        }
    if (shown) {
        base_text_addz(text, "?");
        return;
    }
    base_text_addz(text, count ? "; there are" : "; there are no tools");
    for (size_t i = 0; i < count && i < LISTED; i++)
        base_text_addf(text, "%s %s", i ? "," : "", tools->tools[i].id);
    if (count > LISTED) base_text_addf(text, " and %zu more", count - LISTED);
}
