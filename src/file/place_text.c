/*
 * place_text.c - places as text, in schedule files and reports. A text does not depend on the process, so it can be
 * stored and compared. Each place has one text, and only that is accepted when a file is read.
 */
#include "file/schedule.h"

#include "base/text.h"
#include "trace/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* PREFIX NUMBER SIGN 0xOFFSET */
static void numbered(struct rd_text *t, const char *prefix, unsigned number, const char *sign, uint64_t offset) {
    rd_text_str(t, prefix);
    rd_text_dec(t, number);
    rd_text_str(t, sign);
    rd_text_hex(t, offset);
}

void rd_place_text(rd_place place, char to[RD_PLACE_TEXT]) {
    unsigned region = rd_place_region(place);
    uint64_t offset = rd_place_offset(place);
    int module = rd_place_module(place);
    struct rd_text t;
    rd_text_init(&t, to, RD_PLACE_TEXT);
    if (place == 0) {
        rd_text_str(&t, "-");
    } else if (module >= 0) {
        numbered(&t, "m", (unsigned)module, "+", offset);
    } else if (region >= RD_PLACE_OTHER || region == 0) {
        rd_text_str(&t, "other");
        rd_text_dec(&t, (int64_t)offset);
    } else if (region >= RD_PLACE_IO) {
        numbered(&t, "io", region - RD_PLACE_IO, "+", offset);
    } else if (region >= RD_PLACE_STACK) {
        numbered(&t, "stack", region - RD_PLACE_STACK, "-", offset);
    } else {
        numbered(&t, "heap", region - RD_PLACE_HEAP, "+", offset);
    }
}

/* Reads "PREFIX NUMBER SIGN 0xOFFSET" with a number below `limit`. */
static bool parse_place(const char *text, const char *prefix, char sign, unsigned region, unsigned limit,
                        rd_place *place) {
    size_t n = strlen(prefix);
    if (strncmp(text, prefix, n) != 0 || text[n] < '0' || text[n] > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long number = strtoul(text + n, &end, 10);
    if (errno || number >= limit || end[0] != sign || end[1] != '0' || end[2] != 'x')
        return false;
    const char *digits = end + 3;
    size_t count = strspn(digits, "0123456789abcdef");
    if (count == 0 || count > 12 || digits[count] != 0)
        return false;
    *place = rd_place_make(region + (unsigned)number, strtoull(digits, NULL, 16));
    return true;
}

bool rd_place_parse(const char *text, rd_place *place) {
    if (strcmp(text, "-") == 0) {
        *place = 0;
        return true;
    }
    if (strncmp(text, "other", 5) == 0) {
        size_t count = strspn(text + 5, "0123456789");
        if (count == 0 || count > 14 || text[5 + count] != 0)
            return false;
        *place = rd_place_make(RD_PLACE_OTHER, strtoull(text + 5, NULL, 10));
        return true;
    }
    return parse_place(text, "m", '+', RD_PLACE_MODULE, RD_MODULES_MAX, place) ||
           parse_place(text, "heap", '+', RD_PLACE_HEAP, RD_TID_MAX, place) ||
           parse_place(text, "stack", '-', RD_PLACE_STACK, RD_TID_MAX, place) ||
           parse_place(text, "io", '+', RD_PLACE_IO, RD_IO_KINDS, place);
}
