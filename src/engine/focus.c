/*
 * focus.c - see focus.h. The configuration has one table for the ranges of all lists; those that are not of a focus
 * list (method=, var= and trust= of strategies) are skipped.
 */
#include "engine/focus.h"

void rd_engine_focus(struct rd_engine *e, const struct rd_range *ranges, uint32_t count) {
    e->focus = ranges;
    e->focus_count = count;
}

static bool touches(const struct rd_range *r, rd_place place, uint32_t size) {
    return place && place <= r->last && place + RD_MAX(size, 1u) > r->first;
}

static bool in_focus(const struct rd_engine *e, const struct rd_op *op) {
    for (uint32_t i = 0; i < e->focus_count; i++) {
        const struct rd_range *r = &e->focus[i];
        if (r->list == RD_NAMES_FOCUS_VAR && (touches(r, op->place, op->size) || touches(r, op->place2, 1)))
            return true;
        if (r->list == RD_NAMES_FOCUS_FUNCTION && op->pc >= r->first && op->pc <= r->last)
            return true;
    }
    return false;
}

void rd_focus_done(struct rd_engine *e, const struct rd_op *op) {
    e->at_focus = e->focus && in_focus(e, op);
    e->rec.out->focused |= e->at_focus;
}

uint32_t rd_focus_atomic(struct rd_engine *e, uint32_t n) {
    RD_CHECK(n > 0);
    if (n < 2 || !e->world.threads[e->current].atomic || !rd_model_ready(&e->world, e->current))
        return n;
    for (uint32_t i = 0; i < n; i++) {
        if (e->enabled[i] != e->current)
            continue;
        e->enabled[0] = e->current;
        e->listed = false;
        e->rec.out->atomic = 1;
        return 1;
    }
    return n;
}

uint32_t rd_focus_keep(struct rd_engine *e, uint32_t n) {
    RD_CHECK(n > 0);
    if (!e->focus || e->at_focus)
        return n;
    bool stays = false;
    for (uint32_t i = 0; i < n; i++)
        stays |= e->enabled[i] == e->current;
    if (!stays || !rd_model_ready(&e->world, e->current) || in_focus(e, &e->world.threads[e->current].pending))
        return n;
    e->enabled[0] = e->current;
    e->listed = false;
    return 1;
}
