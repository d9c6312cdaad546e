/* heap_text.c - the heap block of a finding: its size, and the threads and calls that allocated and freed it. */
#include "report/text/report_text.h"

#include <inttypes.h>
#include <string.h>

/* The callers of the function that allocated or freed the block. */
static void print_calls(FILE *out, const struct rd_report *r, const rd_place *stack, const struct rd_look *look) {
    char place[RD_LOCATION];
    unsigned shown = 0;
    for (uint32_t i = 0; i < RD_HEAP_STACK && stack[i]; i++) {
        const struct rd_frame *f;
        uint32_t n = rd_symbols_frames(r->symbols, stack[i], false, &f);
        for (uint32_t k = 0; k < n; k++) {
            if (f[k].kind != RD_FRAME_USER)
                continue;
            rd_words_frame(r, &f[k], true, place, sizeof place);
            if (shown++) /* the first frame is in the line before */
                fprintf(out, "%s      called in %s at %s%s\n", rd_paint(look, RD_DIM), f[k].function, place,
                        rd_paint(look, RD_UNPAINTED));
        }
    }
}

static void print_end(FILE *out, const struct rd_report *r, bool freed, const struct rd_look *look) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    char text[RD_LOCATION + 256];
    rd_words_block(r, freed, text, sizeof text);
    if (!text[0])
        return;
    fprintf(out, "  %s\n", text);
    print_calls(out, r, freed ? h->freed : h->made, look);
}

void rd_print_block(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    const struct rd_finding *f = &r->schedule->finding;
    const struct rd_heap_fact *h = &f->heap;
    char block[RD_PHRASE], part[RD_PHRASE];
    if (!h->block)
        return;
    const struct rd_used_block *known = rd_block_of(r, h->block);
    const struct rd_type *type = known ? rd_block_part_type(r, h->block + (uint64_t)h->offset) : NULL;
    rd_words_object(r, h->block, block, sizeof block);
    rd_words_data(r, h->block + (uint64_t)h->offset, part, sizeof part);
    if (f->kind == RD_LEAK)
        fprintf(out, "  the first is %s", block);
    else if (f->kind == RD_DOUBLE_FREE)
        fprintf(out, "  the block is %s", block);
    else if (type && h->offset >= 0 && (uint64_t)h->offset < h->size)
        fprintf(out, "  it is %s, at byte %" PRId64 " of %s", part, h->offset, block);
    else
        fprintf(out, "  at byte %" PRId64 " of %s", h->offset, block);
    fprintf(out, ", %" PRIu64 " byte%s\n", h->size, h->size == 1 ? "" : "s");
    print_end(out, r, false, look);
    print_end(out, r, true, look);
}
