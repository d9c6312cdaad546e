/*
 * sampler_rotation.h - samplers that take turns. In the quick sweep their shares are fixed: the sampler that finds
 * most bugs of the benchmark programs has the largest share. After the sweep, the share of a sampler follows the
 * number of new classes that it has found lately, and is at least a tenth. Delay bounding with at most one delay
 * is among them; it comes to an end, and gives the claim if there is no other one.
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
    bool drawn; /* only samplers take part whose plans do not rely on records */
    /* threads are held back at some places: samplers whose claims do not allow that are left out */
    bool held;
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
/* Notes that threads are held back at some places: samplers whose claims do not allow that are given up. */
void rd_rotation_hold(struct rd_rotation *r);
/* From now on only samplers take part whose plans do not rely on records. */
void rd_rotation_draw(struct rd_rotation *r);
void rd_rotation_next(struct rd_rotation *r, struct rd_draft *d);
void rd_rotation_feedback(struct rd_rotation *r, const struct rd_plan *plan, const struct rd_record *record);
/* The last execution, of a sampler, was a divergence: there is no feedback. */
void rd_rotation_diverged(struct rd_rotation *r);
/* Returns the component that comes to an end: delay bounding. */
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
 * Writes the claims of the samplers: `chance`, `missed` with its fields, `classes`, `fresh`; and if c has no
 * proved sentence, that of delay bounding.
 */
void rd_rotation_claim(const struct rd_rotation *r, struct rd_claim *c);

#endif
