/*
 * sampler.h - the base of all samplers: searches that draw executions at random. It numbers the executions (in a
 * team by tickets: team/team.h), derives the seed of each execution from its number, keeps the statistics of the
 * sample (sample.h), and implements `claim`, `tally` and `merge` by them.
 *
 * A sampler without parameters of its own is a `next` that calls rd_sampler_plan, and a row with the functions of
 * this file (pos.c). A sampler with more state has a struct rd_sampler as its first member (urw.c). A sampler that
 * learns from executions sets `distribution`, because executions that workers have drawn from different
 * distributions must not be counted together. A sampler whose claim needs more than the statistics writes a tally
 * of its own, followed by that of the base (pctvb.c).
 */
#ifndef RD_SEARCH_SAMPLER_SAMPLER_H
#define RD_SEARCH_SAMPLER_SAMPLER_H

#include "search/sampler/sample.h"
#include "search/search.h"

#define RD_SAMPLES_ONLY "schedules were sampled; nothing is proved"

struct rd_sampler {
    uint64_t seed;
    uint64_t planned;           /* executions that this worker has planned */
    const struct rd_team *team; /* NULL: alone */
    struct rd_sampled sampled;
    /* Returns a hash of all that the distribution depends on; NULL: the distribution never changes. */
    uint64_t (*distribution)(const void *state);
};

/* Opens the base in `s`. `memory_max`: bytes that the statistics may use; 0: no limit. */
void rd_sampler_open(struct rd_sampler *s, struct rd_arena *a, const struct rd_params *params, uint64_t memory_max);
/*
 * Returns the number of the execution that is planned next: in a team its ticket, else the number of executions
 * before it.
 */
uint64_t rd_sampler_number(const struct rd_sampler *s);
/* Begins the plan of the next execution, with this picker and a seed that follows from its number. */
void rd_sampler_plan(struct rd_sampler *s, struct rd_draft *d, uint32_t picker);

/* Slots of struct rd_search, for states that begin with a struct rd_sampler. */
/* for a state that is a struct rd_sampler only */
void *rd_sampler_open_plain(struct rd_arena *a, const struct rd_params *params);
void rd_sampler_feedback(void *state, const struct rd_plan *plan, const struct rd_record *r);
void rd_sampler_claim(const void *state, struct rd_claim *c);
size_t rd_sampler_tally(const void *state, void *to, size_t room);
void rd_sampler_merge(void *state, const void *tally, size_t size);
extern const struct rd_search_team_ops rd_sampler_team_ops;

#endif
