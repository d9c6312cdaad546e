/*
 * heap_known.c - what is wrong with the heap and known to the user (--suppress, lines heap:…). The execution goes
 * on as if nothing was wrong: a read of freed memory finds what is there, a second free does nothing. So what else
 * is wrong in the program is still found.
 *
 * A replay has no such list: in a recorded execution all but the finding itself, if that is one of the heap, must
 * have been known.
 */
#include "rt/heap/heap.h"

#include "channel/channel.h"

static bool is_listed(const rd_place *calls, uint32_t count) {
    struct rd_channel *c = rd_rt.channel;
    const struct rd_range *r = rd_channel_suppress(c);
    for (uint32_t i = 0; i < count && calls[i]; i++)
        for (uint64_t k = 0; k < c->suppress_count; k++)
            if (r[k].list == RD_NAMES_SUPPRESS_HEAP && calls[i] >= r[k].first && calls[i] <= r[k].last)
                return true;
    return false;
}

bool rd_heap_knows(void) {
    struct rd_channel *c = rd_rt.channel;
    for (uint64_t k = 0; k < c->suppress_count; k++)
        if (rd_channel_suppress(c)[k].list == RD_NAMES_SUPPRESS_HEAP)
            return true;
    return false;
}

/* By the calls that led to the use, to the free and to the allocation. */
static bool is_suppressed(const struct rd_finding *f) {
    const struct rd_heap_fact *h = &f->heap;
    rd_place calls[RD_STACK_MAX];
    if (!rd_rt.channel->suppress_count)
        return false;
    if (is_listed(&f->pc, 1) || is_listed(&h->made_pc, 1) || is_listed(&h->freed_pc, 1))
        return true;
    uint32_t n = f->kind == RD_LEAK ? 0 : rd_stack_capture(calls, RD_STACK_MAX, false);
    return is_listed(calls, n) || is_listed(h->made, RD_HEAP_STACK) || is_listed(h->freed, RD_HEAP_STACK);
}

static void note(uint64_t key) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    for (uint32_t i = 0; i < o->known_count; i++)
        if (o->known[i] == key)
            return;
    if (o->known_count < RD_KNOWN_MAX)
        o->known[o->known_count++] = key;
}

bool rd_heap_is_known(const struct rd_finding *f) {
    const struct rd_config *c = &rd_rt.channel->config;
    bool known = c->heap_known ? f->key != c->heap_wanted : is_suppressed(f);
    if (known)
        note(f->key);
    return known;
}
