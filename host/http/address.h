/*
 * host/http/address.h: the kinds of places that IP addresses name.
 *
 * Called before a connection is made. Addresses that are not on the public Internet are refused
 * unless they were granted, by the name of their class or by a network: "loopback", "10.0.0.0/8".
 */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address of IPv6; one of IPv4 as ::ffff:a.b.c.d. */
struct http_address {
    uint8_t bytes[16];
};

/* Reads 192.0.2.1, 2001:db8::1 (without [], with or without %zone); false: it is none. */
bool http_address_read(struct http_address *out, const char *text, size_t len);
/* As ::ffff:a.b.c.d, the form that all of IPv4 have here. */
struct http_address http_address_of_ipv4(const uint8_t bytes[4]);

/* "public", "loopback", "private", "link-local", "metadata", "shared" (carriers), "multicast" or
 * "reserved". An address that stands for one of IPv4 (mapped, compatible, 6to4, NAT64) is what that
 * is. */
const char *http_address_class(const struct http_address *address);

struct http_network {
    struct http_address address;
    unsigned bits;     /* of 128; an IPv4 network has 96 more than written */
    const char *class; /* or that, and the rest is not used */
};
/* A class or a network; false: it is neither. */
bool http_network_read(struct http_network *out, const char *text, size_t len);
/* Is an address in it? One that stands for an IPv4 address is looked up as both. */
bool http_network_has(const struct http_network *network, const struct http_address *address);

#endif
