/*
 * allocation_names.c - names of heap blocks: the statement that allocated the block, and a number if the statement
 * allocated several. Blocks are numbered in the order of their places, thread by thread. A thread allocates in that
 * order, so a name does not depend on the schedule.
 */
#include "symbols/image.h"
#include "trace/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rd_allocations {
    const struct rd_profile *profile;
    const char **statement; /* by block */
    uint32_t *number;       /* by block: how many blocks the same statement had allocated before */
};

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "malloc at list.c:42", "new at list.cc:7"; the function where the line is not known. */
static void describe(struct rd_symbols *s, const struct rd_block *b, char *to, size_t room) {
    uint32_t count = 0;
    while (count < RD_STEP_STACK && b->calls[count])
        count++;
    const struct rd_frame *inner, *user = rd_symbols_user_frame(s, b->calls, count, false);
    bool fresh = b->by_new;
    fresh |= count && rd_symbols_frames(s, b->calls[0], false, &inner) &&
             strncmp(inner->function, "operator new", 12) == 0;
    const char *how = fresh ? "new" : "malloc";
    if (user && user->file && user->line)
        snprintf(to, room, "%s at %s:%d", how, file_name(user->file), user->line);
    else if (user && strcmp(user->function, "??") != 0)
        snprintf(to, room, "%s in %s", how, user->function);
    else
        snprintf(to, room, "%s of T%u", how, b->tid);
}

struct rd_allocations *rd_allocations_open(struct rd_symbols *s, struct rd_arena *a, const struct rd_profile *p) {
    struct rd_allocations *n = rd_arena_zero(a, sizeof *n);
    struct rd_map texts = {0},
                  known = {0}; /* hash of a statement -> its blocks so far; hash of a stack -> its statement */
    n->profile = p;
    n->statement = rd_arena_zero(a, RD_MAX(p->block_count, 1u) * sizeof *n->statement);
    n->number = rd_arena_zero(a, RD_MAX(p->block_count, 1u) * sizeof *n->number);
    for (uint32_t i = 0; i < p->block_count; i++) {
        uint32_t k = p->block_order[i];
        const struct rd_block *b = &p->blocks[k];
        uint64_t text = *rd_map_put(&known, a, b->stack);
        if (!text) {
            char at[256];
            describe(s, b, at, sizeof at);
            text = (uint64_t)(uintptr_t)rd_arena_text(a, at);
            *rd_map_put(&known, a, b->stack) = text;
        }
        n->statement[k] = (const char *)(uintptr_t)text;
        if (!b->size)
            continue; /* the block does not exist in this course of the program */
        uint64_t hash = 0;
        for (const char *c = n->statement[k]; *c; c++)
            hash = rd_hash2(hash, (uint8_t)*c);
        n->number[k] = (uint32_t)(*rd_map_put(&texts, a, hash))++;
    }
    return n;
}

/*
 * Does `name` name block k: by its statement and number, by its statement alone, or with the offset of a byte in
 * it? *offset is that offset, or -1.
 */
static bool is_named(const struct rd_allocations *n, uint32_t k, const char *name, int64_t *offset) {
    size_t length = strlen(n->statement[k]);
    unsigned number = 0;
    char *end = (char *)name + length;
    *offset = -1;
    if (strncmp(name, n->statement[k], length) != 0)
        return false;
    bool one = strncmp(end, " #", 2) == 0;
    if (one)
        number = (unsigned)strtoul(end + 2, &end, 10);
    if (strncmp(end, " +", 2) == 0) {
        *offset = (int64_t)strtoull(end + 2, &end, 10);
        one = true;
    }
    return *end == 0 && (!one || number == n->number[k]);
}

uint32_t rd_allocations_named(const struct rd_allocations *n, const char *name, struct rd_range *to, uint32_t max) {
    const struct rd_profile *p = n ? n->profile : NULL;
    uint32_t count = 0;
    bool beside = false; /* the block before has the name, too */
    for (uint32_t i = 0; p && i < p->block_count; i++) {
        const struct rd_block *b = &p->blocks[p->block_order[i]];
        int64_t offset;
        if (!b->size)
            continue;
        bool is = is_named(n, p->block_order[i], name, &offset) && offset < (int64_t)b->size;
        rd_place first = offset < 0 ? b->first : b->first + (uint64_t)offset;
        rd_place last = offset < 0 ? b->first + b->size - 1 : first;
        if (is && beside && rd_place_region(to[count - 1].first) == rd_place_region(first))
            to[count - 1].last = last;
        else if (is && count < max)
            to[count++] = (struct rd_range){.first = first, .last = last};
        else if (is)
            return max;
        beside = is;
    }
    return count;
}

bool rd_allocations_name(const struct rd_allocations *n, rd_place place, bool whole, char *to, size_t room) {
    const struct rd_block *b = n ? rd_profile_block(n->profile, place) : NULL;
    if (!b)
        return false;
    uint32_t k = (uint32_t)(b - n->profile->blocks);
    uint64_t offset = place - b->first;
    int used = snprintf(to, room, "%s", n->statement[k]);
    if (n->number[k] && used >= 0 && (size_t)used < room)
        used += snprintf(to + used, room - (size_t)used, " #%u", n->number[k]);
    if (offset && !whole && used >= 0 && (size_t)used < room)
        snprintf(to + used, room - (size_t)used, " +%" PRIu64, offset);
    return true;
}
