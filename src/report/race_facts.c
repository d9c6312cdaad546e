/*
 * race_facts.c - what the record tells of a data race: the two accesses, and the unseen code that may order them.
 */
#include "report/report.h"

#include "trace/place.h"

#include <string.h>

bool rd_race_steps(const struct rd_report *r, uint32_t *first, uint32_t *second) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    if (f->kind != RD_DATA_RACE || f->step == 0 || f->other_step == 0 || f->step > s->step_count ||
        f->other_step >= f->step)
        return false;
    *first = f->other_step - 1;
    *second = f->step - 1;
    return true;
}

const char *rd_race_verb(const struct rd_report *r, uint32_t step) {
    const struct rd_step *s = &r->schedule->steps[step];
    const struct rd_finding *f = &r->schedule->finding;
    if (s->op == RD_OP_FREE)
        return "frees";
    if (f->data && rd_access_mode_has_extents(s->order))
        return f->data_writes & (step + 1 == f->step ? RD_RACE_SECOND_WRITES : RD_RACE_FIRST_WRITES) ? "writes"
                                                                                                     : "reads";
    if (rd_op_flags(s->op) & RD_F_STORES)
        return "writes";
    if (!(rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES)))
        return "uses";
    bool writes = (rd_op_flags(s->op) & RD_F_WRITES) && !(s->op == RD_OP_ATOMIC_CAS && s->result);
    return writes ? "writes" : "reads";
}

void rd_race_message(const struct rd_report *r, char *to, size_t room) {
    const struct rd_step *steps = r->schedule->steps;
    uint32_t a, b;
    char variable[RD_PHRASE];
    if (!rd_race_steps(r, &a, &b)) {
        snprintf(to, room, "%s", r->schedule->finding.message);
        return;
    }
    rd_place data = r->schedule->finding.data;
    if (steps[a].op == RD_OP_FREE || steps[b].op == RD_OP_FREE)
        rd_words_object(r, steps[steps[a].op == RD_OP_FREE ? a : b].place, variable, sizeof variable);
    else
        rd_words_data(r, data ? data : steps[b].place, variable, sizeof variable);
    bool same = strcmp(rd_race_verb(r, a), rd_race_verb(r, b)) == 0;
    snprintf(to, room, "T%u %s %s, T%u %s it%s, and nothing%s orders the two", steps[b].tid, rd_race_verb(r, b),
             variable, steps[a].tid, rd_race_verb(r, a), same ? ", too" : "",
             rd_is_unreliable(&r->schedule->finding) ? " that is seen" : "");
}

void rd_words_callee(const struct rd_report *r, rd_place function, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    int module = rd_place_module(function);
    const struct rd_frame *f = module >= 0 ? rd_symbols_at(r->symbols, function, true) : NULL;
    const char *path = module >= 0 && module < (int)s->module_count ? s->modules[module].path : "";
    const char *slash = strrchr(path, '/');
    bool known = f && f->function && strcmp(f->function, "??") != 0;
    snprintf(to, room, "%s%s%s", known ? f->function : "a function", *path ? " of " : "", slash ? slash + 1 : path);
}

/* Was the operation called by unseen code of a library, which the program's code has called before? */
static bool is_foreign(const struct rd_report *r, const struct rd_step *s) {
    int module = rd_place_module(s->pc);
    return module > 0 && module < (int)r->schedule->module_count && s->op != RD_OP_CALL &&
           !(rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES)) &&
           !rd_module_is_known(r->schedule->modules[module].path);
}

bool rd_race_unseen(const struct rd_report *r, uint32_t step[2], char name[2][RD_PHRASE]) {
    const struct rd_step *steps = r->schedule->steps;
    uint32_t a, b;
    bool found[2] = {false, false};
    if (!rd_is_unreliable(&r->schedule->finding) || !rd_race_steps(r, &a, &b))
        return false;
    for (uint32_t i = 0; i <= b;
         i++) { /* the call by the thread of the later access may come before the earlier access */
        bool unseen = rd_step_is_unseen(&steps[i]) || is_foreign(r, &steps[i]);
        if (unseen && i >= a && steps[i].tid == steps[a].tid && !found[0])
            step[0] = i, found[0] = true;
        if (unseen && steps[i].tid == steps[b].tid)
            step[1] = i, found[1] = true;
    }
    for (unsigned i = 0; i < 2 && found[i]; i++) {
        const struct rd_step *s = &steps[step[i]];
        rd_words_callee(r, rd_step_is_unseen(s) ? s->place : s->pc, name[i], RD_PHRASE);
    }
    return found[0] && found[1];
}

uint32_t rd_race_inline(const struct rd_report *r, char *const **names) {
    return rd_is_unreliable(&r->schedule->finding) ? rd_symbols_inline_atomics(r->symbols, names) : 0;
}
