/*
 * shrink.c - looks for the smallest program that still fails in the same way: switches options off, and removes
 * threads and then instructions one at a time, until no removal is possible.
 */
#include "fuzz.h"

#include <string.h>

static bool names_thread(const struct sim_instr *i) {
    return i->kind == SIM_SPAWN || i->kind == SIM_JOIN || i->kind == SIM_TRYJOIN || i->kind == SIM_CANCEL ||
           i->kind == SIM_SEND;
}

static void drop_instr(struct sim_program *p, uint32_t t, uint32_t i) {
    memmove(&p->code[t][i], &p->code[t][i + 1], (p->length[t] - i - 1) * sizeof p->code[t][0]);
    p->length[t]--;
}

/* Removes the thread and the instructions that refer to it; later threads move up. */
static void drop_thread(struct sim_program *p, uint32_t gone) {
    for (uint32_t t = gone; t + 1 < p->threads; t++) {
        memcpy(p->code[t], p->code[t + 1], sizeof p->code[t]);
        p->length[t] = p->length[t + 1];
    }
    p->threads--;
    for (uint32_t t = 0; t < p->threads; t++) {
        for (uint32_t i = 0; i < p->length[t];) {
            struct sim_instr *at = &p->code[t][i];
            if (names_thread(at) && at->object == gone) {
                drop_instr(p, t, i);
                continue;
            }
            at->object -= names_thread(at) && at->object > gone;
            i++;
        }
    }
}

static bool jumps(const struct sim_instr *i) {
    return i->kind == SIM_GOTO || i->kind == SIM_IF || i->kind == SIM_IF_ZERO;
}

/* Whether every jump has its label, and every loop waits: otherwise the simulator would never end. */
static bool sound(const struct sim_program *p) {
    for (uint32_t t = 0; t < p->threads; t++) {
        for (uint32_t i = 0; i < p->length[t]; i++) {
            if (!jumps(&p->code[t][i]))
                continue;
            uint32_t l = 0;
            while (l < p->length[t] &&
                   (p->code[t][l].kind != SIM_LABEL || p->code[t][l].object != p->code[t][i].object))
                l++;
            bool waits = l > i;
            for (uint32_t k = l; k < i; k++)
                waits |= p->code[t][k].kind == SIM_WAIT && !p->code[t][k].until;
            if (l == p->length[t] || !waits)
                return false;
        }
    }
    if (!p->main)
        return p->threads > 0;
    /* a main thread that creates no thread is no program */
    return p->length[0] > 0 && p->code[0][0].kind == SIM_SPAWN;
}

/* Whether every variable's lock is held at each access. Branches do not leave critical sections. */
static bool keeps_discipline(const struct fuzz_case *c) {
    for (uint32_t t = 0; t < c->program.threads; t++) {
        uint32_t held = 0;
        for (uint32_t i = 0; i < c->program.length[t]; i++) {
            const struct sim_instr *at = &c->program.code[t][i];
            uint32_t x = at->object + (at->kind == SIM_FREE ? (uint32_t)SIM_BLOCK_VAR : 0);
            if ((at->kind <= SIM_RMW || at->kind == SIM_FREE) && !(held >> x % c->mutexes & 1))
                return false;
            held |= at->kind == SIM_LOCK ? 1u << at->object : 0;
            held &= at->kind == SIM_UNLOCK ? ~(1u << at->object) : ~0u;
        }
    }
    return true;
}

static bool still(const struct fuzz_config *g, const struct fuzz_case *c, struct fuzz_failure *f) {
    static struct fuzz_failure now[FUZZ_FAILURES];
    struct fuzz_counts none = {0};
    if (!sound(&c->program) || (c->disciplined && !keeps_discipline(c)))
        return false;
    for (uint32_t n = fuzz_try(g, c, f, &none, now); n > 0; n--) {
        if (now[n - 1].kind != f->kind || now[n - 1].strategy != f->strategy)
            continue;
        *f = now[n - 1];
        return true;
    }
    return false;
}

static bool keep(const struct fuzz_config *g, struct fuzz_case *c, const struct fuzz_case *smaller,
                 struct fuzz_failure *f) {
    if (!still(g, smaller, f))
        return false;
    *c = *smaller;
    return true;
}

static bool simpler_options(const struct fuzz_config *g, struct fuzz_case *c, struct fuzz_failure *f) {
    bool progress = false;
    for (unsigned i = 0; i < 6; i++) {
        struct fuzz_case n = *c;
        if (i == 0)
            n.options.timeouts = 0;
        else if (i == 1)
            n.options.spurious = 0;
        else if (i == 2)
            n.options.asserts_go_on = true;
        else if (i == 3)
            n.options.signal_fifo = false;
        else if (i == 4)
            n.program.start_steps = false;
        else
            n.program.sems[0] = n.program.sems[1] = 0;
        if (memcmp(&n, c, sizeof n) != 0)
            progress |= keep(g, c, &n, f);
    }
    return progress;
}

void fuzz_shrink(const struct fuzz_config *g, struct fuzz_case *c, struct fuzz_failure *f) {
    bool progress = true;
    while (progress) {
        progress = simpler_options(g, c, f);
        for (uint32_t t = 0; t < c->program.threads; t++) {
            struct fuzz_case n = *c;
            if (t == 0 && n.program.main)
                continue;
            drop_thread(&n.program, t);
            progress |= keep(g, c, &n, f);
        }
        for (uint32_t t = 0; t < c->program.threads; t++) {
            for (uint32_t i = 0; i < c->program.length[t];) {
                struct fuzz_case n = *c;
                drop_instr(&n.program, t, i);
                if (keep(g, c, &n, f))
                    progress = true;
                else
                    i++;
            }
        }
        /* A branch can only be removed together with its label. */
        for (uint32_t t = 0; t < c->program.threads; t++) {
            for (uint32_t l = 0; l < SIM_LABELS; l++) {
                struct fuzz_case n = *c;
                uint32_t before = n.program.length[t];
                for (uint32_t i = 0; i < n.program.length[t];) {
                    const struct sim_instr *at = &n.program.code[t][i];
                    if ((jumps(at) || at->kind == SIM_LABEL) && at->object == l)
                        drop_instr(&n.program, t, i);
                    else
                        i++;
                }
                if (n.program.length[t] < before)
                    progress |= keep(g, c, &n, f);
            }
        }
    }
}
