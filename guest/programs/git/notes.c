/*
 * notes.c: trees of notes; see notes.h.
 */
#include "notes.h"

#include <ctype.h>

extern int wildmatch(const char *pattern, const char *text, unsigned flags);

char *notes_ref(const char *name) {
    g_text ref = {0};
    if (!name) {
        const char *own = getenv("GIT_NOTES_REF");
        char *setting = own && *own ? g_copy_string(own) : config_string("core.notesref");
        return setting ? setting : g_copy_string("refs/notes/commits");
    }
    if (strncmp(name, "refs/notes/", 11) == 0) return g_copy_string(name);
    g_text_addf(&ref, "%s%s", strncmp(name, "notes/", 6) == 0 ? "refs/" : "refs/notes/", name);
    return ref.s;
}

static int by_object(const void *a, const void *b) {
    return git_oid_cmp(&((const note_entry *)a)->object, &((const note_entry *)b)->object);
}

static bool is_hex(const char *text) {
    return *text && strspn(text, "0123456789abcdef") == strlen(text);
}

/* `hex` are the digits of the folders above. */
static void read_tree(note_tree *t, git_tree *tree, const char *path, const char *hex) {
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *e = git_tree_entry_byindex(tree, i);
        const char *name = git_tree_entry_name(e);
        char digits[OID_HEX + 1] = "";
        g_text whole = {0};
        git_tree *inner;
        bool fits = is_hex(name) && strlen(hex) + strlen(name) <= OID_HEX;
        if (fits) snprintf(digits, sizeof digits, "%s%s", hex, name);
        g_text_addf(&whole, "%s%s%s", path, *path ? "/" : "", name);
        if (git_tree_entry_type(e) == GIT_OBJECT_BLOB && strlen(digits) == OID_HEX) {
            if (t->count == t->cap) t->entries = g_more(t->entries, &t->cap, sizeof *t->entries);
            note_entry *n = &t->entries[t->count++];
            check(git_oid_fromstr(&n->object, digits));
            n->note = *git_tree_entry_id(e);
        } else if (fits && strlen(name) == 2 && git_tree_entry_type(e) == GIT_OBJECT_TREE &&
                   git_tree_lookup(&inner, repo, git_tree_entry_id(e)) == 0) {
            read_tree(t, inner, whole.s, digits);
            git_tree_free(inner);
        } else {
            if (t->other_count == t->other_cap) t->others = g_more(t->others, &t->other_cap, sizeof *t->others);
            t->others[t->other_count++] =
                (struct note_other){whole.s, *git_tree_entry_id(e), git_tree_entry_filemode(e)};
        }
    }
}

note_tree *notes_read(const char *ref) {
    note_tree *t = g_zalloc(sizeof *t);
    git_oid id;
    git_tree *tree = git_reference_name_to_id(&id, repo, ref) == 0 ? tree_named(ref) : NULL;
    t->ref = g_copy_string(ref);
    if (tree) read_tree(t, tree, "", "");
    git_tree_free(tree);
    if (t->count) qsort(t->entries, t->count, sizeof *t->entries, by_object);
    return t;
}

note_entry *notes_find(note_tree *t, const git_oid *object) {
    note_entry wanted = {.object = *object};
    return t->count ? bsearch(&wanted, t->entries, t->count, sizeof *t->entries, by_object) : NULL;
}

void notes_set(note_tree *t, const git_oid *object, const git_oid *note) {
    note_entry *there = notes_find(t, object);
    if (there && note) {
        there->note = *note;
    } else if (there) {
        size_t at = (size_t)(there - t->entries);
        memmove(there, there + 1, (--t->count - at) * sizeof *there);
    } else if (note) {
        if (t->count == t->cap) t->entries = g_more(t->entries, &t->cap, sizeof *t->entries);
        t->entries[t->count++] = (note_entry){*object, *note};
        qsort(t->entries, t->count, sizeof *t->entries, by_object);
    }
}

static unsigned digit(const git_oid *id, unsigned n) {
    return n % 2 ? id->id[n / 2] & 15 : id->id[n / 2] >> 4;
}

static void add_blob(git_index *index, const char *path, const git_oid *id, git_filemode_t mode) {
    git_index_entry e = {.mode = mode, .id = *id, .path = path};
    check(git_index_add(index, &e));
}

/* Folders of two digits where all sixteen first digits have several notes, as git makes them. */
static void place(git_index *index, const note_entry *entries, size_t count, unsigned n, unsigned folders) {
    size_t ends[17] = {0}, at = 0;
    bool full = true;
    for (unsigned d = 0; d < 16; d++) {
        size_t first = at;
        while (at < count && digit(&entries[at].object, n) == d) at++;
        full &= at - first > 1;
        ends[d + 1] = at;
    }
    if (n % 2 == 0 && n <= 2 * folders && full) folders++;
    for (unsigned d = 0; d < 16; d++) {
        size_t here = ends[d + 1] - ends[d];
        if (here > 1) {
            place(index, entries + ends[d], here, n + 1, folders);
        } else if (here) {
            const char *hex = full_id(&entries[ends[d]].object);
            g_text path = {0};
            for (unsigned k = 0; k < folders; k++) g_text_addf(&path, "%.2s/", hex + 2 * (size_t)k);
            g_text_adds(&path, hex + 2 * (size_t)folders);
            add_blob(index, path.s, &entries[ends[d]].note, GIT_FILEMODE_BLOB);
            g_text_free(&path);
        }
    }
}

void notes_write(note_tree *t, const char *message) {
    git_index *index;
    git_oid tree_id, id, parent_id;
    git_tree *tree;
    git_commit *parent = NULL;
    g_text text = {0}, log = {0};
    check(git_index_new(&index));
    place(index, t->entries, t->count, 0, 0);
    for (size_t i = 0; i < t->other_count; i++) {
        const struct note_other *o = &t->others[i];
        git_tree *folder;
        if (o->mode != GIT_FILEMODE_TREE) add_blob(index, o->path, &o->id, o->mode);
        else if (git_tree_lookup(&folder, repo, &o->id) == 0)
            die("%s holds a folder that is none of notes: %s", t->ref, o->path);
    }
    check(git_index_write_tree_to(&tree_id, index, repo));
    check(git_tree_lookup(&tree, repo, &tree_id));
    if (git_reference_name_to_id(&parent_id, repo, t->ref) == 0) parent = commit_of(&parent_id);
    g_text_addf(&text, "%s\n", message);
    g_text_addf(&log, "notes: %s", message);
    const git_commit *parents[] = {parent};
    check(git_commit_create(&id, repo, NULL, author_now(), committer_now(), NULL, text.s, tree, parent != NULL, parents));
    update_ref(t->ref, &id, log.s);
    git_index_free(index);
    g_text_free(&text);
    g_text_free(&log);
}

/* ---- for log and show */

static note_tree *shown[32];
static size_t shown_count;

static void show_ref(const char *ref) {
    for (size_t i = 0; i < shown_count; i++)
        if (strcmp(shown[i]->ref, ref) == 0) return;
    if (shown_count < sizeof shown / sizeof *shown) shown[shown_count++] = notes_read(ref);
}

static int show_matching(const char *name, void *glob) {
    if (wildmatch(glob, name, 0) == 0) show_ref(name);
    return 0;
}

static void show_globs(const char *globs, char between) {
    char *copy = g_copy_string(globs), *end;
    for (char *glob = copy; glob && *glob; glob = end ? end + 1 : NULL) {
        if ((end = strchr(glob, between)) != NULL) *end = '\0';
        git_reference_foreach_name(repo, show_matching, glob);
    }
    free(copy);
}

void notes_hide(void) { shown_count = 0; }

void notes_show(const char *name) {
    const char *globs = getenv("GIT_NOTES_DISPLAY_REF");
    if (name) {
        show_ref(notes_ref(name));
        return;
    }
    show_ref(notes_ref(NULL));
    char *setting = globs ? NULL : config_string("notes.displayref");
    if (globs) show_globs(globs, ':');
    else if (setting) show_globs(setting, '\n');
}

static void add_text(g_text *out, const char *text, size_t len, bool raw) {
    while (len) {
        const char *end = memchr(text, '\n', len);
        size_t line = end ? (size_t)(end - text) : len;
        g_text_addf(out, "%s%.*s\n", raw ? "" : "    ", (int)line, text);
        line += end != NULL;
        text += line;
        len -= line;
    }
}

void notes_add(g_text *out, const git_oid *object, bool raw) {
    for (size_t i = 0; i < shown_count; i++) {
        note_entry *n = notes_find(shown[i], object);
        git_blob *blob;
        const char *ref = shown[i]->ref;
        if (!n || git_blob_lookup(&blob, repo, &n->note) < 0) continue;
        if (!raw && strcmp(ref, "refs/notes/commits") == 0) g_text_adds(out, "\nNotes:\n");
        else if (!raw) g_text_addf(out, "\nNotes (%s):\n", strncmp(ref, "refs/notes/", 11) == 0 ? ref + 11 : ref);
        add_text(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob), raw);
        git_blob_free(blob);
    }
}
