/* race_check.c - see race_check.h. */
#include "detect/race_check.h"

/* An access to one word, which later accesses can race with. */
struct race_check_entry {
    struct race_check_entry *next; /* an older access to the same word, or the next spare one */
    uint32_t epoch;
    rd_tid tid;
    struct rd_race_access access;
};

void rd_race_check_init(struct rd_race_check *c, struct rd_arena *a, uint32_t threads,
                        const struct rd_cxx20 *cxx20) {
    *c = (struct rd_race_check){0};
    rd_sync_init(&c->sync, a, threads, cxx20);
}

uint32_t rd_race_check_step(struct rd_race_check *c, const struct rd_step *step) {
    if (rd_step_is_way(step))
        return 0;
    uint32_t epoch = rd_sync_now(&c->sync, step->tid);
    rd_sync_step(&c->sync, step);
    return epoch;
}

/* Takes the element out of its list. */
static void drop(struct rd_race_check *c, struct race_check_entry **at) {
    struct race_check_entry *old = *at;
    *at = old->next;
    old->next = c->spare;
    c->spare = old;
}

static void add(struct rd_race_check *c, struct race_check_entry **list, const struct race_check_entry *entry) {
    struct race_check_entry *fresh = c->spare;
    if (fresh)
        c->spare = fresh->next;
    else
        fresh = rd_arena_alloc(c->sync.arena, sizeof *fresh);
    *fresh = *entry;
    fresh->next = *list;
    *list = fresh;
}

bool rd_race_check_access(struct rd_race_check *c, uint64_t word, rd_tid tid, uint32_t epoch,
                          const struct rd_race_access *access) {
    RD_ASSERT(epoch > 0 && access->mask && tid < c->sync.threads);
    uint64_t *slot = rd_map_put(&c->words, c->sync.arena, word);
    struct race_check_entry *list = (struct race_check_entry *)(uintptr_t)*slot;
    /* most accesses repeat the last one in the same epoch: they race with the same later accesses */
    if (!access->frees && list && list->tid == tid && list->epoch == epoch &&
        rd_race_is_covered(access, &list->access))
        return false;
    bool race = false;
    for (struct race_check_entry **at = &list; *at;) {
        const struct race_check_entry *old = *at;
        bool before = rd_sync_before(&c->sync, old->tid, old->epoch, tid);
        race |= !before && rd_race_conflict(&old->access, access);
        if (access->frees || (before && rd_race_is_covered(&old->access, access)))
            drop(c, at);
        else
            at = &(*at)->next;
    }
    add(c, &list, &(struct race_check_entry){.epoch = epoch, .tid = tid, .access = *access});
    *slot = (uintptr_t)list;
    return race;
}
