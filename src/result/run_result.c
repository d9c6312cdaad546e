/*
 * run_result.c - see run_result.h. The driver has copied as many items of each array as the count in the copy says,
 * so every count is within its array. The functions here check indexes into these arrays, enumerators that index
 * tables, and texts.
 */
#include "result/run_result.h"

#include <string.h>

/* Does the text end within its room? */
static bool ends(const char *text, size_t room) { return memchr(text, 0, room) != NULL; }

static bool is_thread(rd_tid t) { return t < RD_TID_MAX || t == RD_TID_NONE; }

bool rd_finding_is_sound(const struct rd_finding *f) {
    return f->kind < RD_FINDING_KINDS && is_thread(f->tid) && is_thread(f->other_tid) &&
           f->circle_count <= RD_CIRCLE_MAX && ends(f->message, sizeof f->message) &&
           ends(f->file, sizeof f->file) && ends(f->function, sizeof f->function);
}

/* Do the explanation's numbers of steps (from 1; 0: none) lie within the schedule? */
static bool is_why_sound(const struct rd_why *w, uint32_t steps) {
    return w->critical <= steps && w->before <= steps && w->first <= steps && w->second <= steps &&
           is_thread(w->second_tid) && w->second_op < RD_OP_KINDS;
}

/* Do the finding's numbers of steps (from 1; 0: none) lie within the schedule? */
static bool are_steps_of(const struct rd_finding *f, uint32_t steps) {
    bool within = f->step <= steps && f->other_step <= steps;
    for (uint32_t i = 0; i < f->circle_count; i++)
        within &= f->circle[i] <= steps;
    return within;
}

bool rd_found_is_sound(const struct rd_found *f, uint64_t store_used, uint64_t tracks_used) {
    return rd_finding_is_sound(&f->finding) && f->steps <= store_used && f->store <= store_used - f->steps &&
           f->track_count <= RD_TRACKS_MAX && f->track_count <= tracks_used &&
           f->track <= tracks_used - f->track_count && f->wait_count <= RD_CIRCLE_MAX &&
           f->memory_count <= RD_FOUND_MEMORY && f->access_points < RD_ACCESSES_COUNT &&
           is_why_sound(&f->why, f->steps) && are_steps_of(&f->finding, f->steps);
}

/* Are the numbers of these steps within their enumerations? */
static bool are_steps(const struct rd_step *s, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (s[i].tid >= RD_TID_MAX || s[i].op >= RD_OP_KINDS)
            return false;
    return true;
}

static const char *check_findings(const struct rd_run_result *r) {
    const struct rd_summary *s = &r->summary;
    if (s->left_out_count > RD_LEFT_OUT_MAX)
        return "the suppressed findings";
    for (uint32_t i = 0; i < s->left_out_count; i++)
        if (s->left_out[i].kind >= RD_FINDING_KINDS || s->left_out[i].line >= RD_SUPPRESS_LINES)
            return "a suppressed finding";
    for (uint32_t i = 0; i < s->found_count; i++)
        if (r->found[i].finding.kind == RD_NO_FINDING ||
            !rd_found_is_sound(&r->found[i], s->store_used, s->tracks_used))
            return "a finding";
    if (r->early_failure.count && !rd_found_is_sound(&r->early_failure, s->store_used, s->tracks_used))
        return "the finding of an execution before the search";
    for (uint32_t i = 0; i < s->ending_count; i++) {
        const struct rd_ending *e = &r->endings[i];
        uint64_t size = (uint64_t)e->output_size + e->observed_size;
        if (!rd_found_is_sound(&e->found, s->store_used, s->tracks_used) || size > s->texts_used ||
            e->text > s->texts_used - size)
            return "the ending of an execution";
    }
    return are_steps(r->store, s->store_used) ? NULL : "the steps of a finding";
}

static const char *check_program(const struct rd_run_result *r) {
    for (uint32_t i = 0; i < r->module_count; i++)
        if (!ends(r->modules[i].path, sizeof r->modules[i].path) ||
            r->modules[i].build_id_size > sizeof r->modules[i].build_id)
            return "the name of a module";
    for (uint32_t i = 1; i < r->path_count; i++)
        if (r->paths[i].parent >= i)
            return "the tree of threads";
    if (r->summary.found_count && !r->path_count)
        return "the tree of threads";
    return NULL;
}

static bool are_threads(const struct rd_thread_info *t, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (t[i].frames > RD_STACK_MAX || t[i].state > RD_T_FINISHED || t[i].pending.kind >= RD_OP_KINDS ||
            !is_thread(t[i].holder) || !is_thread(t[i].parent) || !ends(t[i].name, sizeof t[i].name))
            return false;
    return true;
}

/* Is the step completely written? Its candidates must exist, but for a VALUE step, whose `ncand` counts ways. */
static bool is_step(const struct rd_run_result *r, const struct rd_step *s) {
    bool way = s->op < RD_OP_KINDS && rd_step_is_way(s);
    return are_steps(s, 1) && (way || (s->ncand <= r->outcome.cands && s->cand <= r->outcome.cands - s->ncand));
}

/* Cuts the execution before the first step that a killed process left half written. */
static void cut_steps(struct rd_run_result *r) {
    uint32_t whole = 0;
    for (uint32_t i = 0; i < r->outcome.cands; i++)
        if (r->record.cands[i] >= RD_TID_MAX)
            r->outcome.cands = i;
    while (whole < r->outcome.steps && is_step(r, &r->record.steps[whole]))
        whole++;
    r->outcome.steps = whole;
    r->outcome.prefix_used = RD_MIN(r->outcome.prefix_used, r->plan.prefix_count);
}

static const char *check_execution(struct rd_run_result *r) {
    const struct rd_outcome *o = &r->outcome;
    if (o->verdict >= RD_VERDICTS || o->threads > RD_TID_MAX || o->known_count > RD_KNOWN_MAX ||
        o->noted_count > RD_NOTED_MAX || !ends(o->message, sizeof o->message) ||
        !rd_finding_is_sound(&o->finding) || o->divergence.expected.op >= RD_OP_KINDS ||
        o->divergence.actual.kind >= RD_OP_KINDS)
        return "the outcome of an execution";
    if (r->plan.access_points >= RD_ACCESSES_COUNT || r->running >= RD_TID_MAX || r->stuck.how >= RD_TASK_STATES ||
        !ends(r->stuck.text, sizeof r->stuck.text))
        return "the state of an execution";
    for (uint32_t i = 0; i < r->annotation_count; i++)
        if (!ends(r->annotations[i].name, sizeof r->annotations[i].name))
            return "an annotation";
    cut_steps(r);
    return are_threads(r->record.threads, RD_TID_MAX) ? NULL : "the state of a thread";
}

const char *rd_run_result_check(struct rd_run_result *r) {
    const char *wrong = check_program(r);
    if (!wrong)
        wrong = check_findings(r);
    if (!wrong)
        wrong = check_execution(r);
    return wrong;
}

bool rd_run_result_has_sound(const struct rd_run_result *r, const struct rd_found *f) {
    return !check_program(r) && f->finding.kind != RD_NO_FINDING &&
           rd_found_is_sound(f, r->summary.store_used, r->summary.tracks_used) &&
           are_steps(r->store + f->store, f->steps);
}

struct rd_record rd_run_result_record(struct rd_run_result *r) {
    struct rd_record record = r->record;
    record.out = &r->outcome;
    record.profile = r->profile;
    record.annotations = r->annotations;
    record.annotation_count = r->annotation_count;
    record.cxx20 = &r->config.cxx20;
    record.modules = r->modules;
    record.module_count = r->module_count;
    return record;
}

/* Do threads of the one deadlock wait at all places of the code at which threads of the predicted one would? */
static bool is_at_the_places_of(const struct rd_found *predicted, const struct rd_found *deadlock) {
    bool taken[RD_CIRCLE_MAX] = {0};
    for (uint32_t i = 0; i < predicted->wait_count; i++) {
        uint32_t k = 0;
        while (k < deadlock->wait_count && (taken[k] || deadlock->waits[k] != predicted->waits[i]))
            k++;
        if (k == deadlock->wait_count)
            return false;
        taken[k] = true;
    }
    return predicted->wait_count > 0;
}

bool rd_found_is_superseded(const struct rd_found *f, const struct rd_run_result *r) {
    for (uint32_t i = 0; rd_is_unreliable(&f->finding) && i < r->summary.found_count; i++)
        if (f->finding.key == rd_race_key_unreliable(r->found[i].finding.key))
            return true;
    if (f->finding.kind != RD_PREDICTED_DEADLOCK)
        return false;
    for (uint32_t i = 0; i < r->summary.found_count; i++)
        if (r->found[i].finding.kind == RD_DEADLOCK && is_at_the_places_of(f, &r->found[i]))
            return true;
    return f->confirmed;
}
