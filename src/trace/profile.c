/* profile.c - looking things up in a profile; see profile.h. */
#include "trace/profile.h"

const struct rd_block *rd_profile_block(const struct rd_profile *p, rd_place place) {
    uint32_t low = 0, high = p->block_count; /* the first that begins after it */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->blocks[p->block_order[middle]].first > place)
            high = middle;
        else
            low = middle + 1;
    }
    const struct rd_block *b = low ? &p->blocks[p->block_order[low - 1]] : NULL;
    return b && place - b->first < b->size ? b : NULL;
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
