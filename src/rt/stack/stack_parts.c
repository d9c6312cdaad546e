/* stack_parts.c - see stack_parts.h. */
#include "rt/stack/stack_parts.h"

#include "rt/address/place_of_address.h"
#include "rt/stack/unwind.h"
#include "trace/place.h"

#include <string.h>

/* By thread, for its stack in the record: where each call's part lies. */
static struct rd_stack_extent extents[RD_TID_MAX][RD_STACK_MAX];

void rd_stack_parts_capture(const struct rd_record *rec, rd_tid tid) {
    rec->threads[tid].frames = (uint16_t)rd_stack_capture(rec->stacks[tid], RD_STACK_MAX, false, extents[tid]);
}

void rd_stack_parts_forget(const struct rd_record *rec, rd_tid tid) { rec->threads[tid].frames = 0; }

/* Adds the part to the record, unless it is there or there is no room. */
static void add(const struct rd_record *rec, const struct rd_stack_part *part) {
    uint32_t *count = &rec->out->parts;
    for (uint32_t i = 0; i < *count; i++)
        if (memcmp(&rec->parts[i], part, sizeof *part) == 0)
            return;
    if (*count < RD_STACK_PARTS_MAX)
        rec->parts[(*count)++] = *part;
}
static_assert(sizeof(struct rd_stack_part) == 4 * sizeof(rd_place), "no padding: compared as bytes");

void rd_stack_parts_note(const struct rd_record *rec, rd_place place) {
    unsigned region = rd_place_region(place);
    if (region < RD_PLACE_STACK || region >= RD_PLACE_STACK + RD_TID_MAX || !rec->parts)
        return;
    rd_tid owner = (rd_tid)(region - RD_PLACE_STACK);
    for (uint32_t i = 0; i < rec->threads[owner].frames; i++) {
        const struct rd_stack_extent *e = &extents[owner][i];
        struct rd_stack_part part = {
            .pc = rec->stacks[owner][i], .low = rd_place_of(e->low), .high = rd_place_of(e->high), .used = place};
        bool known = e->high && rd_place_region(part.low) == region && rd_place_region(part.high) == region;
        /* places in a stack descend with the address */
        if (known && place <= part.low && place > part.high) {
            add(rec, &part);
            return;
        }
    }
}
