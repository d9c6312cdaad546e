/*
 * rank_perm.h - orders of n threads and the c fragments that changes of priority add: how many are needed so that
 * every order of any t threads and the c fragments is among them, and which.
 */
#ifndef RD_RANK_PERM_H
#define RD_RANK_PERM_H

#include "base/base.h"

enum rd_perm_kind {
    RD_PERM_PAIR,   /* one and its reverse: all orders of any two threads, certainly */
    RD_PERM_ALL,    /* every one of them */
    RD_PERM_RANDOM, /* drawn independently: enough with the wanted probability */
};

struct rd_perms {
    uint32_t threads, fragments;
    uint64_t seed, count;
    enum rd_perm_kind kind;
};

/*
 * How many permutations of `of` elements must be drawn so that with a probability of at least 1 - missed every
 * order of any `ordered` of them is among them: the smallest P with k! C(of, k) (1 - 1/k!)^P <= missed.
 * (RankChecker, lemma 4.1, whose printed bound lacks the factorial.) missed > 0, ordered <= of.
 */
uint64_t rd_perms_needed(uint32_t of, uint32_t ordered, double missed);
/* missed = 0: all of them. */
struct rd_perms rd_perms_of(uint32_t threads, uint32_t fragments, uint32_t ordered, double missed, uint64_t seed);
/* Number k of them: the priority of each thread, then of each fragment; what is higher goes first. */
void rd_perms_at(const struct rd_perms *p, uint64_t k, uint16_t *priority);

#endif
