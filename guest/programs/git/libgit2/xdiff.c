/*
 * xdiff.c: libgit2's diff_xdiff.c, with what else is wished for in its calls of xdiff.
 */
#include "xdiff_wishes.h"

#define xdl_diff xdl_diff_as_wished
#include "diff_xdiff.c"
#undef xdl_diff

struct xdiff_wishes xdiff_wishes;

int xdl_diff(mmfile_t *old, mmfile_t *new_, xpparam_t const *params, xdemitconf_t const *config, xdemitcb_t *callback);

int xdl_diff_as_wished(mmfile_t *old, mmfile_t *new_, xpparam_t const *params, xdemitconf_t const *config, xdemitcb_t *callback) {
    xpparam_t wished = *params;
    if (xdiff_wishes.histogram) wished.flags |= XDF_HISTOGRAM_DIFF;
    if (xdiff_wishes.cr_at_eol) wished.flags |= XDF_IGNORE_CR_AT_EOL;
    if (xdiff_wishes.anchor_count) wished.flags |= XDF_PATIENCE_DIFF;
    wished.anchors = xdiff_wishes.anchors;
    wished.anchors_nr = xdiff_wishes.anchor_count;
    wished.ignore_regex = (xdl_regex_t **)xdiff_wishes.ignored;
    wished.ignore_regex_nr = xdiff_wishes.ignored_count;
    return xdl_diff(old, new_, &wished, config, callback);
}
