/* intern.h - gives equal strings of bytes equal numbers, so that a page has each text once. */
#ifndef RD_REPORT_HTML_INTERN_H
#define RD_REPORT_HTML_INTERN_H

#include "base/base.h"

struct rd_intern_item {
    uint64_t hash;
    size_t at;
    uint32_t size;
};

/* Zero before the first use. Numbers count from 0 in the order of first use. */
struct rd_intern {
    char *bytes;
    size_t used, room;
    struct rd_intern_item *item;
    uint32_t count, item_room;
    uint32_t *slot; /* number + 1; 0: empty */
    uint32_t slots;
};

uint32_t rd_intern(struct rd_intern *t, const void *bytes, uint32_t size);
uint32_t rd_intern_text(struct rd_intern *t, const char *text);
/* The bytes of an item. They are valid until the next rd_intern; a zero follows them. */
const void *rd_intern_get(const struct rd_intern *t, uint32_t number, uint32_t *size);
void rd_intern_free(struct rd_intern *t);

#endif
