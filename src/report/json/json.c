/* json.c - the output format JSON: the result of a run or the variables of a program, each as one object. */
#include "report/format.h"
#include "report/json/json_finding.h"

#include <inttypes.h>
#include <string.h>

/* The version of both documents: docs/json.md says when it changes. */
enum { RD_JSON_FORMAT = 1 };

static void write_opaque(struct rd_json *j, const struct rd_run *run) {
    rd_json_open(j, "opaque", '[');
    for (uint32_t i = 0; i < run->opaque_count; i++) {
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "function", run->opaque[i].function);
        rd_json_string(j, "library", run->opaque[i].library);
        rd_json_number(j, "calls", run->opaque[i].calls);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

static void write_list(struct rd_json *j, const char *key, const char (*list)[RD_REASON], uint32_t count) {
    rd_json_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        rd_json_string(j, NULL, list[i]);
    rd_json_close(j, ']');
}

/* A bound up to which every execution was covered; null: there is none. */
static void write_bound(struct rd_json *j, const struct rd_run *run, const char *key, int32_t value) {
    if (value < 0 || run->void_count || run->focused) /* not every execution up to it was covered */
        rd_json_string(j, key, NULL);
    else
        rd_json_number(j, key, (uint64_t)value);
}

static void write_known(struct rd_json *j, const char *key, double value, int digits) {
    if (value > 0)
        rd_json_real(j, key, value, digits);
    else
        rd_json_string(j, key, NULL);
}

/* The estimates of a sampler. */
static void write_sampled(struct rd_json *j, const struct rd_run *run) {
    const struct rd_claim *c = &run->summary->claim;
    bool orders = c->classes > 0 && !run->void_count, missed = c->missed > 0 && !run->void_count;
    write_known(j, "orders", orders ? c->classes : 0, 1);
    if (orders)
        rd_json_real(j, "new_order", c->fresh, 9);
    else
        rd_json_string(j, "new_order", NULL);
    if (!missed) {
        rd_json_string(j, "missed", NULL);
        return;
    }
    rd_json_open(j, "missed", '{');
    for (uint32_t d = 1; d <= RD_MAX(c->missed_depth, 3u); d++) {
        char key[16];
        snprintf(key, sizeof key, "%u", d);
        write_known(j, key, d <= c->missed_depth ? c->missed : 0, 12);
    }
    rd_json_number(j, "threads", c->missed_threads);
    rd_json_number(j, "points", c->missed_points);
    rd_json_close(j, '}');
}

static void write_bounds(struct rd_json *j, const struct rd_run *run) {
    const struct rd_claim *c = &run->summary->claim;
    rd_json_open(j, "bounds", '{');
    rd_json_string(j, "strategy", run->strategy);
    write_bound(j, run, "preemptions", c->preemptions);
    write_bound(j, run, "delays", c->delays);
    write_bound(j, run, "depth", c->depth);
    rd_json_bool(j, "complete", run->all && run->complete);
    write_known(j, "done", c->done, 6);
    write_known(j, "estimate", c->estimate, 0);
    bool says = c->proved[0] && !run->void_count;
    rd_json_string(j, "proved", says && !c->likely ? run->proved : NULL);
    bool chance = c->chance[0] && !run->void_count && !run->findings;
    rd_json_string(j, "likely", says && c->likely && !run->findings ? run->proved : chance ? c->chance : NULL);
    write_sampled(j, run);
    write_list(j, "conditions", run->conditions, run->condition_count);
    write_list(j, "void", run->voids, run->void_count);
    rd_json_close(j, '}');
}

/* The unseen code: in one line, and as a list. */
static void write_unseen(struct rd_json *j, const struct rd_unseen_code *b) {
    char words[RD_UNSEEN_CODE_WORDS];
    rd_unseen_code_words(b, words, sizeof words);
    rd_json_bool(j, "instrumented", !b->everything);
    rd_json_string(j, "not_seen", rd_unseen_code_none(b) ? NULL : words);
    rd_json_open(j, "unseen_code", '[');
    for (uint32_t i = 0; i < b->count; i++) {
        const struct rd_unseen_part *code = &b->code[i];
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "module", code->module);
        rd_json_string(j, "unit", code->unit[0] ? code->unit : NULL);
        rd_json_string(j, "function", code->function[0] ? code->function : NULL);
        rd_json_string(j, "reason", rd_unseen_code_reason(code->why));
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

static void write_selective(struct rd_json *j, const struct rd_summary *s) {
    rd_json_open(j, "selective", '{');
    rd_json_number(j, "executions", s->selective);
    rd_json_number(j, "checked", s->selective_checked);
    rd_json_number(j, "off", s->sites_off);
    rd_json_number(j, "fixed", s->sites_fixed);
    rd_json_number(j, "missed", s->sites_missed);
    rd_json_number(j, "unwatched", s->unwatched);
    rd_json_close(j, '}');
}

/* The counters that have a key of their own (result/counters.def). */
static void write_counters(struct rd_json *j, const struct rd_summary *s) {
    for (uint32_t i = 0; i < rd_summary_counter_count(); i++) {
        struct rd_counter_row row = rd_summary_counter(s, i);
        if (row.json[0])
            rd_json_number(j, row.json, row.value);
    }
}

/* The lines of --suppress, and the comments in the source that were used. */
static void write_suppressions(struct rd_json *j, const struct rd_run *run) {
    rd_json_open(j, "suppressions", '[');
    for (uint32_t i = 0; i < run->suppression_count; i++) {
        const struct rd_suppression_shown *s = &run->suppressions[i];
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "where", s->where);
        rd_json_string(j, "text", s->text);
        rd_json_number(j, "findings", s->findings);
        rd_json_bool(j, "applies", !s->meaningless);
        rd_json_open(j, "matches", '[');
        for (uint32_t k = 0; k < run->suppressed_count; k++)
            if (run->suppressed[k].by == i)
                rd_json_string(j, NULL, run->suppressed[k].text);
        rd_json_close(j, ']');
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

/* Written only by searches over a tree of executions. */
static void write_tree(struct rd_json *j, const struct rd_claim *c) {
    if (!c->nodes_max)
        return;
    rd_json_number(j, "tree_nodes_peak", c->nodes_max);
    rd_json_number(j, "tree_bytes_peak", c->tree_bytes_max);
}

static void write_preemptions(struct rd_json *j, const struct rd_summary *s) {
    rd_json_open(j, "preemptions", '[');
    for (uint32_t i = 0; s->executions && i <= s->preemptions_max && i < RD_PREEMPTION_COUNTS; i++)
        rd_json_number(j, NULL, s->preemptions[i]);
    rd_json_close(j, ']');
}

static void write_outcomes(struct rd_json *j, const struct rd_run *run) {
    rd_json_bool(j, "outcomes_all", run->outcomes_all);
    rd_json_open(j, "outcomes", '[');
    for (uint32_t i = 0; i < run->outcome_count; i++) {
        const struct rd_outcome_shown *o = &run->outcomes[i];
        rd_json_open(j, NULL, '{');
        rd_json_number(j, "count", o->count);
        rd_json_string(j, "observed", o->observed);
        rd_json_bytes(j, "output", o->ended ? o->output : NULL, o->output_size);
        rd_json_number(j, "output_bytes", o->output_total);
        if (o->ended)
            rd_json_number(j, "status", (uint64_t)o->status);
        rd_json_string(j, "finding", o->finding);
        rd_json_bool(j, "extra", o->extra);
        rd_json_string(j, "schedule", o->schedule);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

/* Writes a list of words that ends with NULL. */
static void write_words(struct rd_json *j, const char *key, const char *const *words) {
    rd_json_open(j, key, '[');
    for (; words && *words; words++)
        rd_json_string(j, NULL, *words);
    rd_json_close(j, ']');
}

/* The variables of the environment on which a run depends beside its options: those that a replay line names. */
static void write_environment(struct rd_json *j) {
    extern char **environ;
    char name[128];
    rd_json_open(j, "environment", '{');
    for (char **e = environ; *e; e++) {
        size_t n = strcspn(*e, "=");
        bool matters = strncmp(*e, "OMP_", 4) == 0 || strncmp(*e, "RADDLE_", 7) == 0;
        if (!matters || !(*e)[n] || n >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, *e);
        rd_json_string(j, name, *e + n + 1);
    }
    rd_json_close(j, '}');
}

/* What was run: enough to run it again. */
static void write_command(struct rd_json *j, const struct rd_run *run) {
    char hex[2 * RD_RUN_BUILD_ID + 1] = "";
    for (uint32_t i = 0; i < run->build_id_size; i++)
        snprintf(hex + 2 * i, 3, "%02x", run->build_id[i]);
    rd_json_string(j, "build_id", hex[0] ? hex : NULL);
    write_words(j, "arguments", run->args && run->args[0] ? run->args + 1 : NULL);
    write_words(j, "command", run->command);
    rd_json_number(j, "seed", run->seed);
    rd_json_number(j, "exit_status", (uint64_t)run->status);
    write_environment(j);
}

static void write_run(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                      const struct rd_look *look) {
    (void)look;
    struct rd_json j = {.out = out};
    const struct rd_summary *s = run->summary;
    char digest[20];
    rd_json_open(&j, NULL, '{');
    rd_json_number(&j, "format", RD_JSON_FORMAT);
    rd_json_string(&j, "raddle", run->version);
    rd_json_string(&j, "program", run->program);
    write_command(&j, run);
    rd_json_string(&j, "strategy", run->strategy);
    rd_json_string(&j, "focus", run->focus && run->focus[0] ? run->focus : NULL);
    rd_json_string(&j, "isolation", run->isolation);
    snprintf(digest, sizeof digest, "%016" PRIx64, s->digest);
    rd_json_string(&j, "digest", run->workers > 1 ? NULL : digest); /* with several it depends on timing */
    rd_json_string(&j, "points", run->points);
    rd_json_number(&j, "workers", RD_MAX(run->workers, 1u));
    write_counters(&j, s);
    write_tree(&j, &s->claim);
    write_preemptions(&j, s);
    if (s->selective) /* written only if code was switched off */
        write_selective(&j, s);
    if (run->outcomes) /* written only with --outcomes */
        write_outcomes(&j, run);
    rd_json_bool(&j, "complete", run->complete);
    rd_json_bool(&j, "finished", run->finished);
    if (run->assumes[0]) /* written only if the claim depends on assumptions */
        rd_json_string(&j, "assumes", run->assumes);
    rd_json_string(&j, "guarantee", run->guarantee);
    if (run->next[0]) /* written only if there is a recommendation */
        rd_json_string(&j, "next", run->next);
    write_bounds(&j, run);
    write_opaque(&j, run);
    write_unseen(&j, &run->blind);
    write_suppressions(&j, run);
    rd_json_open(&j, "uncontrolled", '[');
    for (uint32_t i = 0; i < run->uncontrolled_count; i++)
        rd_json_string(&j, NULL, run->uncontrolled[i]);
    rd_json_close(&j, ']');
    rd_json_real(&j, "elapsed_s", run->elapsed_s, 6);
    if (run->workers > 1)
        rd_json_real(&j, "idle_s", (double)s->idle_ns * 1e-9, 6);
    rd_json_real(&j, "executions_per_s", run->elapsed_s > 0 ? (double)s->executions / run->elapsed_s : 0, 1);
    if (run->error) /* written only after trouble */
        rd_json_string(&j, "error", run->error);
    rd_json_real(&j, "minimise_s", (double)s->minimise_ns * 1e-9, 6);
    rd_json_open(&j, "warnings", '[');
    for (uint32_t i = 0; i < count; i++)
        if (findings[i].warning)
            rd_json_finding(&j, &findings[i]);
    rd_json_close(&j, ']');
    rd_json_open(&j, "findings", '[');
    for (uint32_t i = 0; i < count; i++)
        if (!findings[i].warning)
            rd_json_finding(&j, &findings[i]);
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
}

static void write_variables(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look) {
    (void)look;
    struct rd_json j = {.out = out};
    struct rd_variable_rows r = rd_variable_rows_collect(u);
    rd_variable_rows_sort(&r, RD_SORT_CONCERN);
    rd_json_open(&j, NULL, '{');
    rd_json_number(&j, "format", RD_JSON_FORMAT);
    rd_json_string(&j, "program", u->program);
    rd_json_number(&j, "executions", u->profile->executions);
    rd_json_number(&j, "accesses", u->profile->accesses);
    rd_json_bool(&j, "instrumented", u->instrumented);
    rd_json_bool(&j, "all_counted", !(u->profile->lost & RD_LOST_VARS));
    rd_json_open(&j, "variables", '[');
    for (uint32_t i = 0; i < r.count; i++) {
        const struct rd_var *v = r.at[i].var;
        rd_json_open(&j, NULL, '{');
        rd_json_string(&j, "name", r.at[i].name);
        rd_json_string(&j, "part", r.at[i].part);
        rd_json_number(&j, "reads", v->reads);
        rd_json_number(&j, "writes", v->writes);
        rd_json_number(&j, "threads", v->threads);
        rd_json_bool(&j, "shared", v->flags & RD_VAR_SHARED);
        rd_json_bool(&j, "written_while_shared", v->flags & RD_VAR_WRITTEN);
        rd_json_string(&j, "kind", rd_variable_kind(v));
        rd_json_open(&j, "locks", '[');
        for (uint32_t k = 0; k < v->lock_count; k++) {
            char name[RD_VARIABLE_NAME];
            rd_variable_name(u, v->locks[k], name);
            rd_json_string(&j, NULL, name);
        }
        rd_json_close(&j, ']');
        rd_json_close(&j, '}');
    }
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
    rd_variable_rows_free(&r);
}

const struct rd_format rd_format_json = {
    .name = "json",
    .help = {[RD_DOCUMENT_RUN] = "write a summary as JSON; '-' is standard output (nothing else goes there then)",
             [RD_DOCUMENT_VARIABLES] = "every variable as JSON"},
    .run = write_run,
    .variables = write_variables,
};
