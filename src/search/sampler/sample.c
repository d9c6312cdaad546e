/* sample.c - see sample.h. */
#include "search/sampler/sample.h"

#include <string.h>

enum { FEWEST = 30 }; /* with fewer executions the bound 3 / n is above a tenth: not worth a sentence */
enum { ORDERS_MAX = 1 << 20 };

enum { ORDER_BYTES = 128 }; /* of a map that has just grown, with the tables that it had before */

void rd_sampled_open(struct rd_sampled *s, struct rd_arena *a, uint64_t memory_max) {
    *s = (struct rd_sampled){.arena = a, .room = ORDERS_MAX};
    if (memory_max)
        s->room = RD_MIN(s->room, memory_max / ORDER_BYTES);
}

void rd_sampled_anew(struct rd_sampled *s) {
    s->drawn = s->classes = s->once = s->twice = 0;
    s->distribution++;
}

static void count_order(struct rd_sampled *s, uint64_t key, uint32_t times) {
    uint64_t *at = s->seen.count < s->room ? rd_map_put(&s->seen, s->arena, key) : rd_map_get(&s->seen, key);
    s->full |= !at;
    if (!at)
        return;
    if (*at >> 32 != s->distribution)
        *at = s->distribution << 32;
    uint32_t before = (uint32_t)*at, now = before + RD_MIN(times, UINT32_MAX - before);
    *at += now - before;
    s->classes += before == 0;
    s->once += (now == 1) - (uint64_t)(before == 1);
    s->twice += (now == 2) - (uint64_t)(before == 2);
    RD_CHECK(s->once + s->twice <= s->classes);
}

bool rd_sampled_add(struct rd_sampled *s, const struct rd_record *r) {
    s->failed |= r->out->verdict == RD_FOUND;
    if (r->out->verdict == RD_CUT)
        return false;
    s->drawn++;
    s->all++;
    count_order(s, r->out->class_hash[0] ^ rd_mix(r->out->class_hash[1]), 1);
    return true;
}

struct sample_tally {
    uint64_t drawn, all, classes;
    uint32_t failed, full;
};

/* Writes one class of the current distribution. Returns false if there is no room. */
static bool write_order(const struct rd_sampled *s, uint64_t key, uint64_t value, char *to, size_t room,
                        struct sample_tally *t) {
    struct rd_map_slot slot = {key, (uint32_t)value};
    size_t at = sizeof *t + t->classes * sizeof slot;
    if (value >> 32 != s->distribution || !(uint32_t)value)
        return true;
    if (at + sizeof slot > room)
        return false;
    memcpy(to + at, &slot, sizeof slot);
    t->classes++;
    return true;
}

size_t rd_sampled_tally(const struct rd_sampled *s, void *to, size_t room) {
    struct sample_tally t = {.drawn = s->drawn, .all = s->all, .failed = s->failed, .full = s->full};
    RD_CHECK(room >= sizeof t && s->drawn <= s->all);
    for (uint32_t i = 0; i < s->seen.room; i++)
        if (s->seen.slots[i].key)
            t.full |= !write_order(s, s->seen.slots[i].key, s->seen.slots[i].value, to, room, &t);
    if (s->seen.has_zero)
        t.full |= !write_order(s, 0, s->seen.zero_value, to, room, &t);
    memcpy(to, &t, sizeof t);
    return sizeof t + t.classes * sizeof(struct rd_map_slot);
}

void rd_sampled_merge(struct rd_sampled *s, const void *from, size_t size) {
    struct sample_tally t;
    struct rd_map_slot slot;
    memcpy(&t, from, sizeof t);
    RD_CHECK(size == sizeof t + t.classes * sizeof slot);
    s->drawn += t.drawn;
    s->all += t.all;
    s->failed |= t.failed;
    s->full |= t.full;
    for (uint64_t i = 0; i < t.classes; i++) {
        memcpy(&slot, (const char *)from + sizeof t + i * sizeof slot, sizeof slot);
        count_order(s, slot.key, (uint32_t)slot.value);
    }
}

void rd_sampled_pass(struct rd_sampled *s, const void *from) {
    struct sample_tally t;
    memcpy(&t, from, sizeof t);
    s->all += t.all;
    s->failed |= t.failed;
}

size_t rd_sampled_tally_of(const struct rd_sampled *s, uint64_t distribution, void *to, size_t room) {
    RD_CHECK(room > sizeof distribution);
    memcpy(to, &distribution, sizeof distribution);
    return sizeof distribution + rd_sampled_tally(s, (char *)to + sizeof distribution, room - sizeof distribution);
}

void rd_sampled_merge_of(struct rd_sampled *s, uint64_t distribution, const void *from, size_t size) {
    uint64_t other;
    RD_CHECK(size >= sizeof other + sizeof(struct sample_tally));
    memcpy(&other, from, sizeof other);
    if (other == distribution)
        rd_sampled_merge(s, (const char *)from + sizeof other, size - sizeof other);
    else
        rd_sampled_pass(s, (const char *)from + sizeof other);
}

double rd_sampled_missed(const struct rd_sampled *s, double found) {
    double all = 1, one = 1 - found;
    RD_CHECK(found >= 0 && found <= 1);
    for (uint64_t n = s->drawn; n; n >>= 1) {
        all *= n & 1 ? one : 1;
        one *= one;
    }
    return all;
}

void rd_sampled_share(struct rd_text *t, double share) {
    RD_CHECK(share >= 0 && share <= 1);
    uint32_t parts = 100, digits = 2;
    while (share * parts < 10 && digits < 9) {
        parts *= 10;
        digits++;
    }
    uint32_t whole = (uint32_t)(share * parts);
    whole += whole < share * parts;
    rd_text_dec(t, whole / parts);
    rd_text_char(t, '.');
    for (uint32_t p = parts / 10; p; p /= 10)
        rd_text_char(t, (char)('0' + whole / p % 10));
}

bool rd_sampled_too_few(const struct rd_sampled *s, struct rd_text *t, uint32_t depth, double missed) {
    if (missed <= 0.5 || s->drawn < FEWEST || s->failed)
        return false;
    rd_text_dec(t, (int64_t)s->drawn);
    rd_text_str(t, " executions are too few to tell of bugs of depth ");
    rd_text_dec(t, depth);
    return true;
}

void rd_sampled_claim(const struct rd_sampled *s, struct rd_text *t, struct rd_claim *c) {
    double once = (double)s->once, twice = (double)s->twice;
    c->likely = 1;
    rd_text_copy(c->phase, sizeof c->phase, "sampling");
    if (s->drawn < FEWEST)
        return;
    if (!s->full) {
        c->fresh = once / (double)s->drawn;
        c->classes = (double)s->classes + once * (once - 1) / (2 * (twice + 1));
    }
    if (s->failed)
        return;
    rd_text_str(t, t->used ? "; an" : "an");
    rd_text_str(t, " execution of this strategy fails with a probability below ");
    rd_sampled_share(t, 3 / (double)s->drawn);
    rd_text_str(t, " (confidence 95 %: none of ");
    rd_text_dec(t, (int64_t)s->drawn);
    rd_text_str(t, s->drawn < s->all ? " did since the last estimate)" : " did)");
}
