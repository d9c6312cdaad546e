/* sample.c - see sample.h. */
#include "search/sample.h"

enum { FEWEST = 30 }; /* below a tenth: less is not worth a sentence */
enum { ORDERS_MAX = 1 << 20 };

enum { ORDER_BYTES = 128 }; /* of a map that has just grown, with the tables that it had before */

void rd_sampled_open(struct rd_sampled *s, struct rd_arena *a, uint64_t memory_max) {
    *s = (struct rd_sampled){.arena = a, .room = ORDERS_MAX};
    if (memory_max)
        s->room = RD_MIN(s->room, memory_max / ORDER_BYTES);
}

void rd_sampled_anew(struct rd_sampled *s) {
    s->drawn = s->orders = s->once = s->twice = 0;
    s->distribution++;
}

static void count_order(struct rd_sampled *s, const uint64_t order[2]) {
    uint64_t key = order[0] ^ rd_mix(order[1]);
    uint64_t *at = s->seen.count < s->room ? rd_map_put(&s->seen, s->arena, key) : rd_map_get(&s->seen, key);
    s->full |= !at;
    if (!at)
        return;
    if (*at >> 32 != s->distribution)
        *at = s->distribution << 32;
    uint32_t times = (uint32_t)*at + 1;
    *at += times < UINT32_MAX;
    s->orders += times == 1;
    s->once += times == 1;
    s->once -= times == 2;
    s->twice += times == 2;
    s->twice -= times == 3;
}

bool rd_sampled_add(struct rd_sampled *s, const struct rd_record *r) {
    s->failed |= r->out->verdict == RD_FOUND;
    if (r->out->verdict == RD_CUT)
        return false;
    s->drawn++;
    s->all++;
    count_order(s, r->out->order);
    return true;
}

double rd_sampled_missed(const struct rd_sampled *s, double found) {
    double all = 1, one = 1 - found;
    for (uint64_t n = s->drawn; n; n >>= 1) {
        all *= n & 1 ? one : 1;
        one *= one;
    }
    return all;
}

void rd_sampled_share(struct rd_text *t, double share) {
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
        c->orders = (double)s->orders + once * (once - 1) / (2 * (twice + 1));
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
