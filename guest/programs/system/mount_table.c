/*
 * mount_table.c: reads the table of mounted file systems.
 */
#include "mount_table.h"
#include "g_file.h"
#include "g_in.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blanks in names are written as \040. */
static char *decode(char *text) {
    char *to = text;
    for (const char *from = text; *from; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return text;
}

mount_entry *mount_table(size_t *count) {
    mount_entry *table = NULL;
    size_t room = 0;
    *count = 0;
    int fd = open("/proc/mounts", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        char *copy = g_copy_bytes(line.s, line.len), *save;
        char *source = strtok_r(copy, " ", &save), *target = strtok_r(NULL, " ", &save),
             *type = strtok_r(NULL, " ", &save), *options = strtok_r(NULL, " ", &save);
        if (!options) continue;
        if (*count == room) table = g_more(table, &room, sizeof *table);
        table[(*count)++] = (mount_entry){decode(source), decode(target), type, options};
    }
    g_reader_free(&in);
    close(fd);
    return table;
}

const mount_entry *mount_of_path(const mount_entry *table, size_t count, const char *path) {
    char *full = g_canonicalize(path, G_ALL_EXIST, false);
    const mount_entry *best = NULL;
    size_t best_len = 0;
    if (!full) return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(table[i].target);
        bool root = strcmp(table[i].target, "/") == 0;
        bool below = root || (strncmp(full, table[i].target, len) == 0 &&
                              (full[len] == '\0' || full[len] == '/'));
        if (!below || (best && len < best_len)) continue;
        best = &table[i];
        best_len = len;
    }
    free(full);
    return best;
}
