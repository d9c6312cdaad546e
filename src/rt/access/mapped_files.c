/*
 * mapped_files.c - see mapped_files.h. A mapping stays in the table after it was unmapped: memory of the same file
 * that is mapped elsewhere keeps the addresses of the first mapping as its names, and so do the locks in it.
 */
#include "rt/access/mapped_files.h"

#include "rt/call/call.h"

enum { MAPPINGS = 64 };

bool rd_mapped_files_twice;

/* In the order in which the program has made them: the addresses of a file's first mapping are the names of its
 * memory. */
static struct shared_mapping {
    uint64_t at, size;         /* in memory */
    uint64_t identity, offset; /* the file or segment, and where in it the mapping begins */
    bool gone;                 /* it was unmapped */
} mappings[MAPPINGS];
static uint32_t count;

void rd_mapped_files_unseen(void) { rd_rt.engine.rec.out->unseen |= RD_UNSEEN_ALIAS; }

static bool overlaps(const struct shared_mapping *m, uint64_t at, uint64_t size) {
    return m->at < at + size && at < m->at + m->size;
}

/* The index of the mapping that contains the address; `count`: none does. */
static uint32_t mapping_of(uint64_t addr) {
    uint32_t i = 0;
    while (i < count && (mappings[i].gone || addr - mappings[i].at >= mappings[i].size))
        i++;
    return i;
}

void rd_mapped_files_mapped(uint64_t at, uint64_t size, uint64_t identity, uint64_t offset) {
    if (!identity)
        return;
    RD_CHECK(at + size > at);
    if (count == MAPPINGS) {
        rd_mapped_files_unseen();
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        rd_mapped_files_twice |= mappings[i].identity == identity;
        if (mappings[i].gone && mappings[i].identity != identity && overlaps(&mappings[i], at, size))
            rd_mapped_files_unseen(); /* its addresses may still be the names of memory of another file */
    }
    mappings[count++] = (struct shared_mapping){at, size, identity, offset, false};
}

/* Returns whether the file of this mapping is mapped elsewhere, too. */
static bool lives_on(const struct shared_mapping *m) {
    for (uint32_t i = 0; i < count; i++)
        if (&mappings[i] != m && !mappings[i].gone && mappings[i].identity == m->identity)
            return true;
    return false;
}

bool rd_mapped_files_unmapped(uint64_t at, uint64_t size) {
    bool lives = false;
    for (uint32_t i = 0; i < count; i++) {
        struct shared_mapping *m = &mappings[i];
        if (m->gone || !overlaps(m, at, size))
            continue;
        if (m->at < at || m->at + m->size > at + size)
            rd_mapped_files_unseen(); /* only a part of the mapping is unmapped; the table does not split mappings
                                       */
        m->gone = true;
        lives |= lives_on(m);
    }
    return lives;
}

void rd_mapped_files_moved(uint64_t from, uint64_t from_size, uint64_t to, uint64_t to_size) {
    uint32_t old = mapping_of(from);
    if (old == count)
        return;
    uint64_t identity = mappings[old].identity, offset = mappings[old].offset + (from - mappings[old].at);
    rd_mapped_files_unmapped(from, from_size);
    rd_mapped_files_mapped(to, to_size, identity, offset);
}

uint64_t rd_mapped_files_size(uint64_t at) {
    for (uint32_t i = 0; i < count; i++)
        if (!mappings[i].gone && mappings[i].at == at)
            return mappings[i].size;
    return 0;
}

uint64_t rd_mapped_files_first(uint64_t addr) {
    uint32_t own = mapping_of(addr);
    if (own == count)
        return addr;
    uint64_t in_file = mappings[own].offset + (addr - mappings[own].at);
    for (uint32_t i = 0; i < own; i++)
        if (mappings[i].identity == mappings[own].identity && in_file - mappings[i].offset < mappings[i].size)
            return mappings[i].at + (in_file - mappings[i].offset);
    return addr;
}

void rd_mapped_files_used(uint64_t identity) {
    for (uint32_t i = 0; i < count; i++)
        if (!mappings[i].gone && mappings[i].identity == identity)
            rd_mapped_files_unseen();
}
