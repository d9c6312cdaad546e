/*
 * sampler_rotation.h - samplers that take turns. In a quick sweep their shares are fixed: what finds most bugs of
 * known programs comes most often, and every schedule with one delay is among it. After that they go by what each
 * has found lately: orders of events that are new to all. None gets less than a tenth. Those with one delay come to
 * an end, and then that is a claim, where there is no other.
 */
#ifndef RD_SEARCH_AUTO_SAMPLER_ROTATION_H
#define RD_SEARCH_AUTO_SAMPLER_ROTATION_H

#include "search/team/part.h"

enum { RD_ROTATION_PARTS = 7 };

struct rd_rotation {
    struct rd_part part[RD_ROTATION_PARTS];
    struct rd_turns turns;
    uint32_t share[RD_ROTATION_PARTS];
    uint32_t found[RD_ROTATION_PARTS], ran[RD_ROTATION_PARTS]; /* lately */
    uint64_t runs;
    bool sweeping;
    bool drawn;     /* plans cannot rely on what was recorded */
    bool held;      /* threads cannot be preempted everywhere: what needs that is left out */
    uint64_t *seen; /* orders of events, by their hash; the later one stays */
    uint32_t seen_mask;
    uint32_t now;
};

/* `memory_max`: of all of them together; 0: no limit. Their numbers as parts begin with `number`. */
void rd_rotation_open(struct rd_rotation *r, const struct rd_parts *all, uint32_t number, uint64_t memory_max);
/* The sweep is over. */
void rd_rotation_go_on(struct rd_rotation *r);
/* Does the program hold threads back in this execution (raddle_atomic_begin)? */
bool rd_rotation_holds(const struct rd_record *r);
/* Some threads are held back at places: strategies that do not know that give up. */
void rd_rotation_hold(struct rd_rotation *r);
/* Plans cannot rely on what was recorded: only those go on that draw everything. */
void rd_rotation_draw(struct rd_rotation *r);
void rd_rotation_next(struct rd_rotation *r, struct rd_draft *d);
void rd_rotation_feedback(struct rd_rotation *r, const struct rd_plan *plan, const struct rd_record *record);
/* The one of them that comes to an end. */
const struct rd_part *rd_rotation_ends(const struct rd_rotation *r);
/* An execution, whoever has run it: is its order of events new, as far as it is remembered? */
bool rd_rotation_note(struct rd_rotation *r, const struct rd_record *record);
/* How many orders of events there are, or more, by what was drawn; 0: not known. `most`: most of them were seen. */
double rd_rotation_orders(const struct rd_rotation *r, bool *most);
/*
 * The probabilities that the samples give: `chance`, `missed` and what goes with them, `orders`, `fresh`; and where
 * nothing is proved, what those with few delays have proved.
 */
void rd_rotation_claim(const struct rd_rotation *r, struct rd_claim *c);

#endif
