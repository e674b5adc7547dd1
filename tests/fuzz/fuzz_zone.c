/*
 * A zone: a TZif file, or anything else as the text of a rule. What a clock shows at a moment is
 * what it shows at the moment that is found for it; and an offset is known for every moment.
 */
#include "fuzz.h"
#include "lib/zone/zone.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct pf_zone *zone_of_file(const uint8_t *data, size_t size) {
    char path[64];
    int fd = memfd_create("zone", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct pf_zone *zone = pf_zone_new(path);
    close(fd);
    return zone;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int64_t moments[] = {INT64_MIN / 4, -4000000000, -1, 0, 68169600, 951782399, 951782400,
                                      1710054000, 1710054001, 1730613600, 2147483648, INT64_MAX / 4};
    char text[200];
    bool file = size >= 4 && memcmp(data, "TZif", 4) == 0;
    if (!file && (size >= sizeof text || (size > 0 && data[0] == '/'))) return 0;
    if (!file && size > 0) memcpy(text, data, size);
    text[file ? 0 : size] = '\0';
    struct pf_zone *zone = file ? zone_of_file(data, size) : pf_zone_new(text);
    MUST(zone);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        const struct pf_zone_kind *kind = pf_zone_at(zone, moments[i]);
        MUST(kind && memchr(kind->name, '\0', sizeof kind->name));
        int64_t civil = moments[i] + kind->offset, found;
        if (pf_zone_moment(zone, civil, -1, &found))
            MUST(found + pf_zone_at(zone, found)->offset == civil);
        pf_zone_moment(zone, civil, 0, &found);
        pf_zone_moment(zone, civil, 1, &found);
    }
    pf_zone_free(zone);
    return 0;
}
