/*
 * heap_known.c - findings of the heap that the user has suppressed (--suppress, lines heap:...). They do not end
 * the execution: a read of freed memory reads its contents, a second free does nothing. So other bugs of the
 * program are still found.
 *
 * A replay has no list of suppressions. Instead it knows the key of the finding that its schedule shows
 * (rd_config.heap_wanted): in an execution that was recorded with suppressions (heap_known) all findings of the
 * heap with other keys were suppressed.
 */
#include "rt/heap/heap.h"

#include "channel/channel.h"

/* True if one of the calls is in a function or file of the list. */
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

/* True if the user has suppressed code among the calls that led to the use, to the free or to the allocation. */
static bool is_suppressed(const struct rd_finding *f) {
    const struct rd_heap_fact *h = &f->heap;
    rd_place calls[RD_STACK_MAX];
    if (!rd_rt.channel->suppress_count)
        return false;
    if (is_listed(&f->pc, 1) || is_listed(&h->made_pc, 1) || is_listed(&h->freed_pc, 1))
        return true;
    uint32_t n = f->kind == RD_LEAK ? 0 : rd_stack_capture(calls, RD_STACK_MAX, false, NULL);
    return is_listed(calls, n) || is_listed(h->made, RD_HEAP_STACK) || is_listed(h->freed, RD_HEAP_STACK);
}

/* Adds the key to the suppressed findings of this execution. */
static void note(uint64_t key) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    RD_CHECK(o->known_count <= RD_KNOWN_MAX);
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
