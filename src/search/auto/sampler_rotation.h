/*
 * sampler_rotation.h - samplers that take turns. In the quick sweep their shares are fixed: the one that finds most
 * bugs of known programs has the largest, and every schedule with one delay is run. After the sweep, shares follow
 * the number of classes new to all that each sampler has found lately; none gets less than a tenth. Delay bounding
 * with one delay comes to an end, and is the claim if there is no other one.
 */
#ifndef RD_SEARCH_AUTO_SAMPLER_ROTATION_H
#define RD_SEARCH_AUTO_SAMPLER_ROTATION_H

#include "search/team/part.h"

enum { RD_ROTATION_PARTS = 7 };

struct rd_rotation {
    struct rd_part part[RD_ROTATION_PARTS];
    struct rd_turns turns;
    uint32_t share[RD_ROTATION_PARTS];
    uint32_t found[RD_ROTATION_PARTS], ran[RD_ROTATION_PARTS]; /* since the shares were last computed */
    uint64_t runs;
    bool sweeping;
    bool drawn;     /* plans must not rely on records */
    bool held;      /* threads cannot be preempted everywhere: samplers that assume it are left out */
    uint64_t *seen; /* classes, in a hash table in which a later one replaces an earlier one */
    uint32_t seen_mask;
    uint32_t now;
};

/* Opens the samplers as components from `number` on. `memory_max`: of all together; 0: no limit. */
void rd_rotation_open(struct rd_rotation *r, const struct rd_parts *all, uint32_t number, uint64_t memory_max);
/* Ends the sweep. */
void rd_rotation_go_on(struct rd_rotation *r);
/* Returns whether the program held threads back in this execution (raddle_atomic_begin). */
bool rd_rotation_holds(const struct rd_record *r);
/* Threads are held back at some places: samplers that assume otherwise are given up. */
void rd_rotation_hold(struct rd_rotation *r);
/* Only samplers go on whose plans do not rely on records. */
void rd_rotation_draw(struct rd_rotation *r);
void rd_rotation_next(struct rd_rotation *r, struct rd_draft *d);
void rd_rotation_feedback(struct rd_rotation *r, const struct rd_plan *plan, const struct rd_record *record);
/* Returns the component that comes to an end. */
const struct rd_part *rd_rotation_ends(const struct rd_rotation *r);
/*
 * Remembers the class of an execution of any component, and returns whether it is new, as far as classes are
 * remembered.
 */
bool rd_rotation_note(struct rd_rotation *r, const struct rd_record *record);
/*
 * Returns the estimated number of classes, which may be too small; 0: unknown. Sets *most if most of them were
 * seen.
 */
double rd_rotation_orders(const struct rd_rotation *r, bool *most);
/*
 * Writes what the samples say: `chance`, `missed` with its fields, `orders`, `fresh`; and if the claim proves
 * nothing, what delay bounding has proved.
 */
void rd_rotation_claim(const struct rd_rotation *r, struct rd_claim *c);

#endif
