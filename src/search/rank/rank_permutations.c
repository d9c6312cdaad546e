/* rank_permutations.c - see rank_permutations.h. */
#include "search/rank/rank_permutations.h"

#include "base/rng.h"

static double power(double base, uint64_t n) {
    double all = 1;
    for (; n; n >>= 1) {
        all *= n & 1 ? base : 1;
        base *= base;
    }
    return all;
}

uint64_t rd_permutations_needed(uint32_t of, uint32_t ordered, double missed) {
    RD_CHECK(missed > 0 && ordered >= 1 && ordered <= of);
    double orders = 1, all = 1; /* orders of one choice of `ordered` elements; of all choices together */
    for (uint32_t i = 0; i < ordered; i++) {
        orders *= i + 1;
        all *= of - i;
    }
    double other = 1 - 1 / orders; /* the probability that a permutation has another order than a given one */
    uint64_t low = 0, high = 1;
    while (all * power(other, high) > missed) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (all * power(other, middle) > missed)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Returns the number of permutations; UINT64_MAX: more than fit. */
static uint64_t factorial(uint32_t n) {
    uint64_t all = 1;
    for (uint32_t i = 2; i <= n; i++) {
        if (all > UINT64_MAX / i)
            return UINT64_MAX;
        all *= i;
    }
    return all;
}

struct rd_permutations rd_permutations_of(uint32_t threads, uint32_t fragments, uint32_t ordered, double missed,
                                          uint64_t seed) {
    struct rd_permutations p = {.threads = threads, .fragments = fragments, .seed = rd_hash2(seed, fragments)};
    uint32_t of = threads + fragments, k = RD_MIN(ordered, threads) + fragments;
    uint64_t all = factorial(of);
    p.kind = RD_PERMUTATION_ALL;
    p.count = all;
    if (missed > 0 && fragments == 0 && k <= 2 && all > 2) {
        p.kind = RD_PERMUTATION_PAIR;
        p.count = 2;
    } else if (missed > 0 && of > 0 && rd_permutations_needed(of, k, missed) < all) {
        p.kind = RD_PERMUTATION_RANDOM;
        p.count = rd_permutations_needed(of, k, missed);
    }
    RD_CHECK(p.count > 0);
    return p;
}

/*
 * Writes permutation k in lexical order, the last one first: then the main thread begins with the highest priority.
 */
static void lexical(uint64_t k, uint32_t of, uint16_t *to) {
    for (uint32_t i = of; i-- > 0; k /= of - i) /* the digits of k in the factorial number system */
        to[i] = (uint16_t)(k % (of - i));
    for (uint32_t i = of; i-- > 0;) /* a digit counts the smaller elements behind it */
        for (uint32_t j = i + 1; j < of; j++)
            to[j] += to[j] >= to[i];
    for (uint32_t i = 0; i < of; i++)
        to[i] = (uint16_t)(of - 1 - to[i]);
}

/* Returns whether the list has each number below `of` once. */
static bool is_permutation(const uint16_t *list, uint32_t of) {
    for (uint32_t i = 0; i < of; i++) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < of; k++)
            times += list[k] == i;
        if (times != 1)
            return false;
    }
    return true;
}

void rd_permutations_at(const struct rd_permutations *p, uint64_t k, uint16_t *priority) {
    uint32_t of = p->threads + p->fragments;
    RD_CHECK(k < p->count);
    if (p->kind == RD_PERMUTATION_ALL) {
        lexical(k, of, priority);
        RD_ASSERT(is_permutation(priority, of));
        return;
    }
    for (uint32_t i = 0; i < of; i++)
        priority[i] = (uint16_t)(p->kind == RD_PERMUTATION_PAIR && k == 0 ? of - 1 - i : i);
    if (p->kind == RD_PERMUTATION_PAIR)
        return;
    struct rd_rng rng;
    rd_rng_seed(&rng, rd_hash2(p->seed, k));
    for (uint32_t i = of; i > 1; i--) {
        uint32_t j = rd_rng_below(&rng, i);
        uint16_t held = priority[i - 1];
        priority[i - 1] = priority[j];
        priority[j] = held;
    }
    RD_ASSERT(is_permutation(priority, of));
}
