/*
 * rank_permutations.h - orders of n threads and of the c fragments that changes of priority add: how many are
 * needed so that every order of any t threads and the c fragments is among them, and which they are.
 */
#ifndef RD_SEARCH_RANK_RANK_PERMUTATIONS_H
#define RD_SEARCH_RANK_RANK_PERMUTATIONS_H

#include "base/base.h"

enum rd_permutation_kind {
    RD_PERMUTATION_PAIR,   /* one permutation and its reverse: they have all orders of any two threads */
    RD_PERMUTATION_ALL,    /* all of them */
    RD_PERMUTATION_RANDOM, /* drawn independently: they have all orders with the wanted probability */
};

struct rd_permutations {
    uint32_t threads, fragments;
    uint64_t seed, count;
    enum rd_permutation_kind kind;
};

/*
 * Returns how many permutations of `of` elements must be drawn so that with a probability of at least 1 - missed
 * every order of any `ordered` of them is among them: the smallest P with k! C(of, k) (1 - 1/k!)^P <= missed.
 * (RankChecker, lemma 4.1, whose printed bound lacks the factorial.) pre: missed > 0, 1 <= ordered <= of.
 */
uint64_t rd_permutations_needed(uint32_t of, uint32_t ordered, double missed);
/* Returns the permutations that are needed for such an `ordered` and `missed`; missed = 0: all permutations. */
struct rd_permutations rd_permutations_of(uint32_t threads, uint32_t fragments, uint32_t ordered, double missed,
                                          uint64_t seed);
/* Writes permutation k: the priority of each thread, then of each fragment. A higher priority goes first. */
void rd_permutations_at(const struct rd_permutations *p, uint64_t k, uint16_t *priority);

#endif
