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

enum { NO_LINE = -1, BY_KEY = UINT16_MAX };

/* The kinds of a finding of the heap, as suppressions name them. */
static uint32_t kinds_of(const struct rd_finding *f) {
    return f->kind == RD_MISUSE ? RD_SUPPRESSED_HEAP_MISUSE : 1u << f->kind;
}

/* The line that names a function or file among the calls for these kinds of findings; NO_LINE: there is none. */
static int listed(uint32_t kinds, const rd_place *calls, uint32_t count) {
    struct rd_channel *c = rd_rt.channel;
    const struct rd_suppressed *r = rd_channel_suppress(c);
    for (uint32_t i = 0; i < count && calls[i]; i++)
        for (uint64_t k = 0; k < c->suppress_count; k++)
            if (r[k].by == RD_SUPPRESSED_CODE && r[k].kinds & kinds && calls[i] >= r[k].first &&
                calls[i] <= r[k].last)
                return r[k].line;
    return NO_LINE;
}

bool rd_heap_knows(void) {
    struct rd_channel *c = rd_rt.channel;
    const uint32_t heap = 1u << RD_USE_AFTER_FREE | 1u << RD_DOUBLE_FREE | 1u << RD_HEAP_OVERFLOW | 1u << RD_LEAK |
                          RD_SUPPRESSED_HEAP_MISUSE;
    for (uint64_t k = 0; k < c->suppress_count; k++)
        if (rd_channel_suppress(c)[k].kinds & heap)
            return true;
    return false;
}

/* The line by which the user knows code among the calls that led to the use, to the free or to the allocation. */
static int known_line(const struct rd_finding *f) {
    const struct rd_heap_fact *h = &f->heap;
    struct rd_channel *c = rd_rt.channel;
    rd_place calls[RD_STACK_MAX];
    uint32_t kinds = kinds_of(f);
    if (!c->suppress_count)
        return NO_LINE;
    for (uint64_t k = 0; k < c->suppress_count; k++)
        if (rd_channel_suppress(c)[k].by == RD_SUPPRESSED_KEY && rd_channel_suppress(c)[k].first == f->key)
            return BY_KEY;
    const rd_place *one[] = {&f->pc, &h->made_pc, &h->freed_pc};
    int line = NO_LINE;
    for (uint32_t i = 0; i < RD_COUNT(one) && line == NO_LINE; i++)
        line = listed(kinds, one[i], 1);
    if (line == NO_LINE && f->kind != RD_LEAK)
        line = listed(kinds, calls, rd_stack_capture(calls, RD_STACK_MAX, false, NULL));
    if (line == NO_LINE)
        line = listed(kinds, h->made, RD_HEAP_STACK);
    return line == NO_LINE ? listed(kinds, h->freed, RD_HEAP_STACK) : line;
}

/* Adds the finding to the suppressed findings of this execution. */
static void note(const struct rd_finding *f, int line) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    RD_CHECK(o->known_count <= RD_KNOWN_MAX);
    for (uint32_t i = 0; i < o->known_count; i++)
        if (o->known[i].key == f->key)
            return;
    if (o->known_count < RD_KNOWN_MAX)
        o->known[o->known_count++] =
            (struct rd_known_error){.key = f->key, .pc = f->pc, .line = (uint16_t)line, .kind = (uint16_t)f->kind};
}

bool rd_heap_is_known(const struct rd_finding *f) {
    const struct rd_config *c = &rd_rt.channel->config;
    int line = c->heap_known ? f->key != c->heap_wanted ? BY_KEY : NO_LINE : known_line(f);
    if (line != NO_LINE)
        note(f, line);
    return line != NO_LINE;
}
