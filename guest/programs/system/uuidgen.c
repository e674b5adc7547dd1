/*
 * uuidgen.c: creates UUIDs. Time-based ones (-t) are refused: there is no hardware address.
 *
 * help uuidgen:
 *   Usage:
 *    uuidgen [options]
 *
 *   Create a new UUID value.
 *
 *   Options:
 *    -r, --random          generate random-based uuid
 *    -n, --namespace <ns>  generate hash-based uuid in this namespace: @dns, @url, @oid, @x500 or a
 *                            UUID
 *    -N, --name <name>     generate hash-based uuid from this name
 *    -m, --md5             generate md5 hash
 *    -s, --sha1            generate sha1 hash
 *    -x, --hex             interpret name as hex string
 *        --help            display this help
 *        --version         display version
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "lib/hash/hash.h"
#include "lib/hex/hex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint8_t first; /* 6ba7b810-9dad-11d1-80b4-00c04fd430c8 and its neighbours */
} namespaces[] = {{"@dns", 0x10}, {"@url", 0x11}, {"@oid", 0x12}, {"@x500", 0x14}};

static bool read_uuid(const char *text, uint8_t out[16]) {
    size_t count = 0;
    for (const char *s = text; *s; s++) {
        int value = pf_hex(*s);
        if (*s == '-') continue;
        if (value < 0 || count == 32) return false;
        out[count / 2] = (uint8_t)(count % 2 ? out[count / 2] | value : value << 4);
        count++;
    }
    return count == 32 && strlen(text) == 36;
}

static void read_namespace(const char *text, uint8_t out[16]) {
    static const uint8_t base[16] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
                                     0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        if (strcmp(text, namespaces[i].name) != 0) continue;
        memcpy(out, base, 16);
        out[3] = namespaces[i].first;
        return;
    }
    if (!read_uuid(text, out)) g_die(1, "invalid uuid for namespace: '%s'", text);
}

static void put(const uint8_t *id) {
    for (int i = 0; i < 16; i++)
        g_outf(i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
    g_outc('\n');
}

static const g_long longs[] = {{"random", 'r', G_NONE},        {"time", 't', G_NONE},
                               {"namespace", 'n', G_REQUIRED}, {"name", 'N', G_REQUIRED},
                               {"md5", 'm', G_NONE},           {"sha1", 's', G_NONE},
                               {"hex", 'x', G_NONE},           {0}};

int uuidgen_main(int argc, char **argv) {
    const char *space = NULL, *name = NULL;
    int kind = 'r';
    bool hex = false;
    g_options o = g_options_of(argc, argv, "rtn:N:msxhV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'n': space = o.arg; break;
        case 'N': name = o.arg; break;
        case 'x': hex = true; break;
        case 't': g_die(1, "time-based UUIDs are not supported");
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        default: kind = option;
        }
    uint8_t id[PF_HASH_MAX];
    if (kind == 'r') {
        if (space || name) g_die(1, "--namespace and --name need --md5 or --sha1");
        if (getentropy(id, 16) < 0) g_die_errno(1, errno, "getting random bytes");
    } else {
        if (!space) g_die(1, "--%s requires --namespace argument", kind == 'm' ? "md5" : "sha1");
        if (!name) g_die(1, "--%s requires --name argument", kind == 'm' ? "md5" : "sha1");
        pf_hash h;
        char *bytes = g_copy_string(name);
        size_t len = strlen(name);
        if (hex) {
            if (len % 2) g_die(1, "not a valid hex string");
            for (size_t i = 0; i < len; i += 2) {
                if (pf_hex(name[i]) < 0 || pf_hex(name[i + 1]) < 0)
                    g_die(1, "not a valid hex string");
                bytes[i / 2] = (char)(pf_hex(name[i]) << 4 | pf_hex(name[i + 1]));
            }
            len /= 2;
        }
        read_namespace(space, id);
        pf_hash_init(&h, kind == 'm' ? PF_HASH_MD5 : PF_HASH_SHA1);
        pf_hash_update(&h, id, 16);
        pf_hash_update(&h, bytes, len);
        pf_hash_final(&h, id);
        free(bytes);
    }
    id[6] = (uint8_t)((id[6] & 0x0f) | (kind == 'm' ? 0x30 : kind == 's' ? 0x50 : 0x40));
    id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
    put(id);
    return 0;
}
