/* profile.c - looking things up in a profile, and its table of blocks; see profile.h. */
#include "trace/profile.h"

#include <string.h>

/* Returns how many blocks begin at this place or before it. */
static uint32_t blocks_up_to(const struct rd_profile *p, rd_place place) {
    uint32_t low = 0, high = p->block_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->blocks[p->block_order[middle]].first > place)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct rd_block *rd_profile_block(const struct rd_profile *p, rd_place place) {
    /* removed blocks have size 0, and may be in between */
    for (uint32_t i = blocks_up_to(p, place); i > 0; i--) {
        const struct rd_block *b = &p->blocks[p->block_order[i - 1]];
        if (b->size)
            return place - b->first < b->size ? b : NULL;
    }
    return NULL;
}

/* Removes the blocks that begin within the new one, and the block before it if that reaches into it. */
static void remove_overlapped(struct rd_profile *p, const struct rd_block *fresh, uint32_t at) {
    for (uint32_t i = at; i > 0; i--) {
        struct rd_block *b = &p->blocks[p->block_order[i - 1]];
        if (!b->size)
            continue;
        if (fresh->first - b->first < b->size)
            b->size = 0;
        break;
    }
    for (uint32_t i = at; i < p->block_count; i++) {
        struct rd_block *b = &p->blocks[p->block_order[i]];
        if (b->first - fresh->first >= fresh->size)
            break;
        b->size = 0;
    }
}

void rd_profile_forget(struct rd_profile *p, rd_place first, uint64_t size) {
    remove_overlapped(p, &(struct rd_block){.first = first, .size = size}, blocks_up_to(p, first));
}

bool rd_profile_add_block(struct rd_profile *p, const struct rd_block *block) {
    uint32_t at = blocks_up_to(p, block->first);
    struct rd_block *same = at ? &p->blocks[p->block_order[at - 1]] : NULL;
    if (same && same->first == block->first) {
        struct rd_block fresh = *block;
        fresh.elements = same->elements; /* its variables stay */
        fresh.whole = same->whole;
        same->size = 0;
        remove_overlapped(p, block, at);
        *same = fresh;
        return true;
    }
    remove_overlapped(p, block, at);
    if (p->block_count == RD_BLOCKS_MAX) {
        p->lost |= RD_LOST_BLOCKS;
        return false;
    }
    p->blocks[p->block_count] = *block;
    memmove(&p->block_order[at + 1], &p->block_order[at], (p->block_count - at) * sizeof *p->block_order);
    p->block_order[at] = p->block_count++;
    return true;
}

const struct rd_global *rd_profile_global(const struct rd_profile *p, rd_place place) {
    uint32_t low = 0, high = p->global_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->globals[middle].first > place)
            high = middle;
        else
            low = middle + 1;
    }
    const struct rd_global *g = low ? &p->globals[low - 1] : NULL;
    return g && place - g->first < g->size ? g : NULL;
}

static const struct rd_var *exactly(const struct rd_profile *p, rd_place first) {
    uint32_t size = RD_COUNT(p->var_index), at = (uint32_t)rd_mix(first) & (size - 1);
    while (p->var_index[at] && p->vars[p->var_index[at] - 1].first != first)
        at = (at + 1) & (size - 1);
    return p->var_index[at] ? &p->vars[p->var_index[at] - 1] : NULL;
}

const struct rd_var *rd_profile_var(const struct rd_profile *p, rd_place place) {
    const struct rd_block *b = rd_profile_block(p, place);
    const struct rd_global *g = b ? NULL : rd_profile_global(p, place);
    if (b && b->whole)
        return exactly(p, b->first);
    return exactly(p, g && g->whole ? g->first : place);
}

const struct rd_site *rd_profile_site(const struct rd_profile *p, rd_place pc) {
    uint32_t size = RD_COUNT(p->site_index), at = (uint32_t)rd_mix(pc) & (size - 1);
    while (p->site_index[at] && p->sites[p->site_index[at] - 1].pc != pc)
        at = (at + 1) & (size - 1);
    return p->site_index[at] ? &p->sites[p->site_index[at] - 1] : NULL;
}

/* Copies `count` items, and clears the rest of the `had` items that `to` had. */
static void copy_items(void *to, const void *from, size_t size, uint32_t count, uint32_t had) {
    memcpy(to, from, count * size);
    if (had > count)
        memset((char *)to + count * size, 0, (had - count) * size);
}

void rd_profile_copy(struct rd_profile *to, const struct rd_profile *from) {
    copy_items(to->vars, from->vars, sizeof *to->vars, from->var_count, to->var_count);
    copy_items(to->sites, from->sites, sizeof *to->sites, from->site_count, to->site_count);
    copy_items(to->blocks, from->blocks, sizeof *to->blocks, from->block_count, to->block_count);
    copy_items(to->globals, from->globals, sizeof *to->globals, from->global_count, to->global_count);
    copy_items(to->block_order, from->block_order, sizeof *to->block_order, from->block_count, to->block_count);
    memcpy(to->var_index, from->var_index, sizeof to->var_index);
    memcpy(to->site_index, from->site_index, sizeof to->site_index);
    memcpy(to, from, offsetof(struct rd_profile, vars));
}

static bool is_var_sound(const struct rd_profile *p, const struct rd_var *v) {
    return v->block <= p->block_count && v->global <= p->global_count && v->lock_count <= RD_VAR_LOCKS;
}

static bool is_site_sound(const struct rd_profile *p, const struct rd_site *s) {
    for (unsigned i = 0; i < RD_SITE_VARS; i++)
        if (s->vars[i] > p->var_count)
            return false;
    return true;
}

bool rd_profile_is_sound(const struct rd_profile *p) {
    bool sound = p->var_count <= RD_VARS_MAX && p->site_count <= RD_SITES_MAX && p->block_count <= RD_BLOCKS_MAX &&
                 p->global_count <= RD_GLOBALS_MAX;
    for (uint32_t i = 0; sound && i < p->var_count; i++)
        sound = is_var_sound(p, &p->vars[i]);
    for (uint32_t i = 0; sound && i < p->site_count; i++)
        sound = is_site_sound(p, &p->sites[i]);
    for (uint32_t i = 0; sound && i < p->block_count; i++)
        sound = p->block_order[i] < p->block_count;
    return sound;
}
