/*
 * pack_list.h: what lies in a pack, for verify-pack -v.
 */
#ifndef PACK_LIST_H
#define PACK_LIST_H

#include "git.h"

/* Prints the objects of a pack (`objects`) and how long their chains of differences are, by its index of
 * version 2. false: the two do not fit together. */
bool list_pack(const char *pack, size_t pack_len, const char *index, size_t index_len, bool objects);

#endif
