/* stack_parts.c - see stack_parts.h. */
#include "rt/stack/stack_parts.h"

#include "rt/address/place_of_address.h"
#include "rt/stack/unwind.h"
#include "trace/place.h"

/* By thread, for its stack in the record: where each call's part lies. */
static struct rd_stack_extent extents[RD_TID_MAX][RD_STACK_MAX];

void rd_stack_parts_capture(const struct rd_record *rec, rd_tid tid) {
    rec->threads[tid].frames = (uint16_t)rd_stack_capture(rec->stacks[tid], RD_STACK_MAX, false, extents[tid]);
}

void rd_stack_parts_forget(const struct rd_record *rec, rd_tid tid) { rec->threads[tid].frames = 0; }

/* Returns whether the record has the part, or adds it. False: there is no room. */
static bool add(const struct rd_record *rec, const struct rd_stack_part *part) {
    uint32_t *count = &rec->out->parts;
    for (uint32_t i = 0; i < *count; i++)
        if (rec->parts[i].pc == part->pc && rec->parts[i].low == part->low && rec->parts[i].high == part->high)
            return true;
    if (*count == RD_STACK_PARTS_MAX)
        return false;
    rec->parts[(*count)++] = *part;
    return true;
}

void rd_stack_parts_note(const struct rd_record *rec, rd_place place) {
    unsigned region = rd_place_region(place);
    if (region < RD_PLACE_STACK || region >= RD_PLACE_STACK + RD_TID_MAX || !rec->parts)
        return;
    rd_tid owner = (rd_tid)(region - RD_PLACE_STACK);
    for (uint32_t i = 0; i < rec->threads[owner].frames; i++) {
        const struct rd_stack_extent *e = &extents[owner][i];
        struct rd_stack_part part = {
            .pc = rec->stacks[owner][i], .low = rd_place_of(e->low), .high = rd_place_of(e->high)};
        bool known = e->high && rd_place_region(part.low) == region && rd_place_region(part.high) == region;
        /* places in a stack descend with the address */
        if (known && place <= part.low && place > part.high) {
            add(rec, &part);
            return;
        }
    }
}
