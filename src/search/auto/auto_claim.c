/* auto_claim.c - the claim of the default strategy, alone and in a team. */
#include "search/auto/auto_state.h"

#include "base/text.h"

#include <string.h>

/* In a team another worker may have finished the proof, and a sample that was being drawn then may refute it. */
static void claim_proved(const struct rd_auto *p, struct rd_claim *c) {
    *c = rd_part_claim(p->proved ? p->proved : &p->proof);
    if (p->team && !p->plain && !c->voids[0] && rd_refutation_refutes(&p->refutation))
        rd_text_copy(c->voids, sizeof c->voids, "a sample showed what none of the executions of the proof did");
}

void rd_auto_claim(const void *state, struct rd_claim *c) {
    const struct rd_auto *p = state;
    if (rd_auto_has_diverged(p)) {
        *c = rd_claim_none();
        rd_rotation_claim(&p->samplers, c);
        return;
    }
    if (p->proved || (p->team && rd_team_done(p->team))) {
        claim_proved(p, c);
        return;
    }
    struct rd_claim bounds = p->given_up[RD_AUTO_BOUNDS] ? p->kept : rd_part_claim(&p->bounds);
    struct rd_claim proof = p->given_up[RD_AUTO_PROOF] ? rd_claim_none() : rd_part_claim(&p->proof);
    *c = rd_auto_bounds_lost(p, &bounds) ? p->kept : bounds;
    c->incomplete = c->complete = 0;
    bool tells = !p->team || p->team->me == 0; /* the first worker gives the estimate of the team */
    c->done = tells ? proof.done : 0;
    c->estimate = tells ? proof.estimate : 0;
    c->or_more = tells && proof.or_more;
    if (c->voids[0])
        *c = rd_claim_none();
    rd_rotation_claim(&p->samplers, c);
    if (p->sweeping)
        rd_text_copy(c->phase, sizeof c->phase, "a sweep of samplers, and a proof");
    else if (p->prediction == RD_BUDGET_ESTIMATE_FITS)
        rd_text_copy(c->phase, sizeof c->phase, proof.phase);
}

/* ---- teams ---- */

static struct rd_part *part_at(struct rd_auto *p, uint32_t i) {
    return i == RD_AUTO_PROOF    ? &p->proof
           : i == RD_AUTO_BOUNDS ? &p->bounds
                                 : &p->samplers.part[i - RD_AUTO_SAMPLERS];
}

enum { PARTS = RD_AUTO_SAMPLERS + RD_ROTATION_PARTS };

size_t rd_auto_tally(const void *state, void *to, size_t room) {
    struct rd_auto *p = (struct rd_auto *)state;
    struct rd_part *list[PARTS];
    uint64_t plain = p->plain;
    for (uint32_t i = 0; i < PARTS; i++)
        list[i] = part_at(p, i);
    memcpy(to, &plain, sizeof plain);
    return sizeof plain + rd_parts_tally(list, PARTS, (char *)to + sizeof plain, room - sizeof plain);
}

/* The tally of a proof that has begun again since does not count. */
void rd_auto_merge(void *state, const void *from, size_t size) {
    struct rd_auto *p = state;
    struct rd_part *list[PARTS];
    uint64_t plain;
    RD_CHECK(size >= sizeof plain);
    memcpy(&plain, from, sizeof plain);
    RD_CHECK(plain <= 1);
    if (plain && !p->plain)
        rd_auto_go_plain(p);
    for (uint32_t i = 0; i < PARTS; i++)
        list[i] = i >= RD_AUTO_SAMPLERS || (plain != 0) == p->plain ? part_at(p, i) : NULL;
    rd_parts_merge(list, PARTS, (const char *)from + sizeof plain, size - sizeof plain);
}
