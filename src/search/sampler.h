/*
 * sampler.h - the base of all samplers: searches that draw executions at random. It numbers the executions, alone
 * or by the tickets of a team (team/team.h), derives the seed of each from its number, keeps the statistics of the
 * sample (sample.h), and answers for them in the claim and to the team.
 *
 * A sampler without parameters of its own is a `next` that calls rd_sampler_plan, and a row that names the
 * functions of this file. A sampler with more state has a struct rd_sampler as the first member of its state; one
 * whose distribution depends on what it has learned from executions sets `distribution`, because executions that
 * workers have drawn from different distributions must not be counted together.
 */
#ifndef RD_SEARCH_SAMPLER_H
#define RD_SEARCH_SAMPLER_H

#include "search/sample.h"
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

/* Opens the base in `s`. `memory_max` is what the statistics may use, in bytes; 0: no limit. */
void rd_sampler_open(struct rd_sampler *s, struct rd_arena *a, const struct rd_params *params, uint64_t memory_max);
/* Returns the number of the execution that is planned next: its ticket in a team, else how many came before. */
uint64_t rd_sampler_number(const struct rd_sampler *s);
/* Begins the plan of the next execution, with this picker and a seed that follows from its number. */
void rd_sampler_plan(struct rd_sampler *s, struct rd_draft *d, uint32_t picker);

/* Slots of struct rd_search, for states that begin with a struct rd_sampler. */
void *rd_sampler_open_plain(struct rd_arena *a, const struct rd_params *params); /* a state that is nothing more */
void rd_sampler_feedback(void *state, const struct rd_plan *plan, const struct rd_record *r);
void rd_sampler_claim(const void *state, struct rd_claim *c);
extern const struct rd_search_team_ops rd_sampler_team_ops;

#endif
