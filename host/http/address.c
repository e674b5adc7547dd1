/*
 * host/http/address.c: see address.h.
 */
#include "address.h"

#include "url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* IPv4 and IPv6 alike; the first that fits decides. From the registries of special purpose
 * addresses (RFC 6890), and where clouds keep what their machines may know. */
static const struct {
    const char *network, *class;
} special[] = {
    {"169.254.169.254/32", "metadata"},
    {"169.254.170.2/32", "metadata"},
    {"169.254.170.23/32", "metadata"},
    {"100.100.100.200/32", "metadata"},
    {"168.63.129.16/32", "metadata"},
    {"192.0.0.192/32", "metadata"},
    {"fd00:ec2::/32", "metadata"},
    {"fd20:ce::254/128", "metadata"},
    {"127.0.0.0/8", "loopback"},
    {"::1/128", "loopback"},
    {"10.0.0.0/8", "private"},
    {"172.16.0.0/12", "private"},
    {"192.168.0.0/16", "private"},
    {"fc00::/7", "private"},
    {"fec0::/10", "private"},
    {"169.254.0.0/16", "link-local"},
    {"fe80::/10", "link-local"},
    {"100.64.0.0/10", "shared"},
    {"224.0.0.0/4", "multicast"},
    {"ff00::/8", "multicast"},
    {"0.0.0.0/8", "reserved"},
    {"192.0.0.0/24", "reserved"},
    {"192.0.2.0/24", "reserved"},
    {"192.88.99.0/24", "reserved"},
    {"198.18.0.0/15", "reserved"},
    {"198.51.100.0/24", "reserved"},
    {"203.0.113.0/24", "reserved"},
    {"240.0.0.0/4", "reserved"},
    {"::/128", "reserved"},
    {"64:ff9b:1::/48", "reserved"},
    {"100::/64", "reserved"},
    {"2001::/23", "reserved"}, /* with Teredo, which hides an address of IPv4 */
    {"2001:db8::/32", "reserved"},
    {"3fff::/20", "reserved"},
    {"5f00::/16", "reserved"},
};

struct http_address http_address_of_ipv4(const uint8_t bytes[4]) {
    struct http_address a = {{0}};
    a.bytes[10] = a.bytes[11] = 0xff;
    memcpy(a.bytes + 12, bytes, 4);
    return a;
}

static bool read_family(struct http_address *out, const char *text, size_t len, bool *ipv4) {
    char copy[INET6_ADDRSTRLEN + 1];
    uint8_t four[4];
    if (len >= sizeof copy) return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    *ipv4 = inet_pton(AF_INET, copy, four) == 1;
    if (*ipv4) *out = http_address_of_ipv4(four);
    return *ipv4 || inet_pton(AF_INET6, copy, out->bytes) == 1;
}

bool http_address_read(struct http_address *out, const char *text, size_t len) {
    const char *zone = memchr(text, '%', len);
    bool ipv4;
    return read_family(out, text, zone ? (size_t)(zone - text) : len, &ipv4);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits) {
    if (memcmp(a, b, bits / 8) != 0) return false;
    unsigned rest = bits % 8;
    return rest == 0 || ((a[bits / 8] ^ b[bits / 8]) >> (8 - rest)) == 0;
}

static bool read_network(struct http_network *out, const char *text, size_t len) {
    const char *slash = memchr(text, '/', len);
    size_t end = slash ? (size_t)(slash - text) : len;
    bool ipv4;
    out->class = NULL;
    if (!read_family(&out->address, text, end, &ipv4)) return false;
    out->bits = 128;
    if (!slash) return true;
    unsigned bits = 0;
    if (len - end < 2 || len - end > 4) return false;
    for (size_t i = end + 1; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        bits = bits * 10 + (unsigned)(text[i] - '0');
    }
    out->bits = ipv4 ? bits + 96 : bits;
    return bits <= (ipv4 ? 32 : 128);
}

/* The address of IPv4 that one of IPv6 stands for. */
static struct http_address unwrap(const struct http_address *a) {
    static const uint8_t zeros[12] = {0}, nat64[12] = {0, 0x64, 0xff, 0x9b};
    bool low = a->bytes[12] || a->bytes[13] || a->bytes[14] || a->bytes[15] > 1; /* not :: or ::1 */
    if (a->bytes[0] == 0x20 && a->bytes[1] == 0x02) return http_address_of_ipv4(a->bytes + 2);
    if (memcmp(a->bytes, nat64, 12) == 0) return http_address_of_ipv4(a->bytes + 12);
    if (memcmp(a->bytes, zeros, 12) == 0 && low) return http_address_of_ipv4(a->bytes + 12);
    return *a;
}

const char *http_address_class(const struct http_address *address) {
    struct http_address a = unwrap(address);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        struct http_network network;
        read_network(&network, special[i].network, strlen(special[i].network));
        if (same_bits(a.bytes, network.address.bytes, network.bits)) return special[i].class;
    }
    /* Of IPv6 only 2000::/3 is given out; the rest leads, at best, through some translation. */
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    bool ipv4 = memcmp(a.bytes, mapped, 12) == 0;
    return ipv4 || a.bytes[0] >> 5 == 1 ? "public" : "reserved";
}

bool http_network_read(struct http_network *out, const char *text, size_t len) {
    static const char *const classes[] = {"loopback", "private", "link-local", "metadata",
                                          "shared", "multicast", "reserved"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i]) == len && memcmp(classes[i], text, len) == 0) {
            out->class = classes[i];
            return true;
        }
    return read_network(out, text, len);
}

bool http_network_has(const struct http_network *network, const struct http_address *address) {
    if (network->class) return strcmp(network->class, http_address_class(address)) == 0;
    struct http_address a = unwrap(address);
    return same_bits(network->address.bytes, a.bytes, network->bits) ||
           same_bits(network->address.bytes, address->bytes, network->bits);
}
