/* heap_facts.c - the block of the heap that a finding is about: which threads allocated and freed it, and where. */
#include "report/report.h"

#include <string.h>

const struct rd_frame *rd_facts_block(const struct rd_report *r, bool freed) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    rd_place pc = freed ? h->freed_pc : h->made_pc;
    if (!h->block || !pc)
        return NULL;
    const struct rd_frame *at = rd_symbols_at(r->symbols, pc, false);
    const struct rd_frame *f = rd_symbols_user_frame(r->symbols, freed ? h->freed : h->made, RD_HEAP_STACK, false);
    bool by_user = f && f->kind == RD_FRAME_USER;
    return (at && at->kind == RD_FRAME_USER) || !by_user ? at : f;
}

void rd_words_block(const struct rd_report *r, bool freed, char *to, size_t room) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    const struct rd_frame *f = rd_facts_block(r, freed);
    char thread[64], place[RD_LOCATION];
    if (!f) {
        snprintf(to, room, "%s", "");
        return;
    }
    rd_words_thread(r, freed ? h->freed_tid : h->made_tid, thread, sizeof thread);
    rd_words_frame(r, f, true, place, sizeof place);
    bool named = strcmp(f->function, "??") != 0 && f->file;
    snprintf(to, room, "%s by %s%s%s at %s", freed ? "freed" : "allocated", thread, named ? " in " : "",
             named ? f->function : "", place[0] ? place : "?");
}
