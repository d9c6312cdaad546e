/* shared.c - see shared.h. */
#include "rt/shared.h"

#include "rt/call.h"

enum { MAPPINGS = 64 };

bool rd_shared_twice;

static struct {
    uint64_t at, size, identity, offset;
} mappings[MAPPINGS]; /* size 0: gone. The first one of a file has its names */
static uint32_t count;

static void unseen(void) { rd_rt.engine.rec.out->unseen |= RD_UNSEEN_ALIAS; }

void rd_shared_mapped(uint64_t at, uint64_t size, uint64_t identity, uint64_t offset) {
    if (!identity)
        return;
    uint32_t to = 0;
    while (to < count && mappings[to].size)
        to++;
    if (to == MAPPINGS) {
        unseen();
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        rd_shared_twice |= mappings[i].size && mappings[i].identity == identity;
    count = RD_MAX(count, to + 1);
    mappings[to].at = at;
    mappings[to].size = size;
    mappings[to].identity = identity;
    mappings[to].offset = offset;
}

void rd_shared_unmapped(uint64_t at, uint64_t size) {
    for (uint32_t i = 0; i < count; i++)
        if (mappings[i].size && mappings[i].at < at + size && at < mappings[i].at + mappings[i].size) {
            if (mappings[i].at < at || mappings[i].at + mappings[i].size > at + size)
                unseen(); /* a part of it */
            mappings[i].size = 0;
        }
}

void rd_shared_moved(uint64_t from, uint64_t from_size, uint64_t to, uint64_t to_size) {
    if (!from_size) {
        unseen();
        return;
    }
    uint32_t old = 0;
    while (old < count && from - mappings[old].at >= mappings[old].size)
        old++;
    if (old == count)
        return;
    uint64_t identity = mappings[old].identity, offset = mappings[old].offset + (from - mappings[old].at);
    rd_shared_unmapped(from, from_size);
    rd_shared_mapped(to, to_size, identity, offset);
}

void rd_shared_detached(uint64_t at) {
    for (uint32_t i = 0; i < count; i++)
        if (mappings[i].at == at)
            mappings[i].size = 0;
}

uint64_t rd_shared_first(uint64_t addr) {
    uint32_t own = 0;
    while (own < count && addr - mappings[own].at >= mappings[own].size)
        own++;
    if (own == count)
        return addr;
    uint64_t in_file = mappings[own].offset + (addr - mappings[own].at);
    for (uint32_t i = 0; i < own; i++)
        if (mappings[i].identity == mappings[own].identity && in_file - mappings[i].offset < mappings[i].size)
            return mappings[i].at + (in_file - mappings[i].offset);
    return addr;
}

void rd_shared_used(uint64_t identity) {
    for (uint32_t i = 0; i < count; i++)
        if (mappings[i].size && mappings[i].identity == identity)
            unseen();
}
