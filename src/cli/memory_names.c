/* memory_names.c - see memory_names.h. */
#include "cli/memory_names.h"

#include "drive/make_schedule.h"
#include "trace/place.h"

/* Has the profile shared memory that only an execution with call stacks can name? */
static bool is_wanted(const struct rd_profile *p) {
    for (uint32_t i = 0; i < p->var_count; i++) {
        unsigned region = rd_place_region(p->vars[i].first);
        if (rd_var_contended(&p->vars[i]) && region >= RD_PLACE_HEAP && region < RD_PLACE_IO)
            return true;
    }
    return false;
}

/*
 * The schedule that begins the execution: it has no steps, so the default behaviour decides all of them, and every
 * access is a point, because names are recorded at points.
 */
const struct rd_report *rd_memory_names_learn(struct rd_memory_names *n, struct rd_session *s) {
    struct rd_error error;
    struct rd_schedule begin;
    *n = (struct rd_memory_names){0};
    if (!is_wanted(s->result.profile))
        return NULL;
    rd_schedule_make(&begin, s->target, &s->result, NULL);
    begin.points = RD_POINTS_ALL;
    begin.access_points = RD_ACCESSES_ALL;
    begin.step_count = begin.shared_count = begin.track_count = 0;
    begin.finding = (struct rd_finding){0};
    if (rd_replay_run(&n->replay, s->target, &begin, RD_BACKEND_VIRTUAL, s->execution_s_max, &error) != 0)
        return NULL;
    rd_schedule_make(&n->schedule, s->target, &n->replay.result, NULL);
    n->report = (struct rd_report){.schedule = &n->schedule,
                                   .symbols = rd_symbols_open(n->schedule.modules, n->schedule.module_count)};
    rd_sources_note(&n->schedule, n->report.symbols);
    return &n->report;
}

void rd_memory_names_close(struct rd_memory_names *n) {
    if (n->report.symbols)
        rd_symbols_close(n->report.symbols);
    rd_schedule_free_sources(&n->schedule);
    rd_replay_close(&n->replay);
}
