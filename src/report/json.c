/*
 * json.c - see json.h. What the program and its file names contain is not under our control, so every string is
 * checked byte by byte: the output is valid JSON and valid UTF-8 whatever they hold.
 */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FRAMES_MAX = 128, VARIABLES_MAX = 16 };

/* Length of the UTF-8 sequence at p, 0: it is none. */
static unsigned utf8_length(const unsigned char *p) {
    unsigned n = *p < 0x80                 ? 1
                 : *p >= 0xc2 && *p < 0xe0 ? 2
                 : *p >= 0xe0 && *p < 0xf0 ? 3
                 : *p >= 0xf0 && *p < 0xf5 ? 4
                                           : 0;
    for (unsigned i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool too_long = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool no_character = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
    return n > 1 && (too_long || no_character) ? 0 : n;
}

/* pre: a zero follows the last byte. */
static void quoted_bytes(FILE *out, const char *text, size_t size) {
    const unsigned char *end = (const unsigned char *)text + size;
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; p < end;) {
        unsigned n = utf8_length(p);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p == '\t')
            fputs("\\t", out);
        else if (*p < 0x20 || *p == 0x7f)
            fprintf(out, "\\u%04x", *p);
        else
            fwrite(p, 1, n, out);
        p += n ? n : 1;
    }
    fputc('"', out);
}

static void quoted(FILE *out, const char *text) { quoted_bytes(out, text, strlen(text)); }

static void item(struct rd_json *j, const char *key) {
    if (j->any)
        fputc(',', j->out);
    if (j->depth)
        fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
    j->any = true;
    if (key) {
        quoted(j->out, key);
        fputs(": ", j->out);
    }
}

void rd_json_open(struct rd_json *j, const char *key, char bracket) {
    item(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->any = false;
}

void rd_json_close(struct rd_json *j, char bracket) {
    j->depth--;
    if (j->any)
        fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
    fputc(bracket, j->out);
    j->any = true;
    if (j->depth == 0)
        fputc('\n', j->out);
}

void rd_json_string(struct rd_json *j, const char *key, const char *value) {
    item(j, key);
    if (value)
        quoted(j->out, value);
    else
        fputs("null", j->out);
}

/* What a program has printed may have zeroes in it. */
static void output_of(struct rd_json *j, const char *key, const char *text, size_t size) {
    item(j, key);
    if (text)
        quoted_bytes(j->out, text, size);
    else
        fputs("null", j->out);
}

void rd_json_number(struct rd_json *j, const char *key, uint64_t value) {
    item(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void rd_json_real(struct rd_json *j, const char *key, double value, int digits) {
    item(j, key);
    fprintf(j->out, "%.*f", digits, isfinite(value) ? value : 0.0); /* JSON has no infinity */
}

void rd_json_bool(struct rd_json *j, const char *key, bool value) {
    item(j, key);
    fputs(value ? "true" : "false", j->out);
}

static void write_threads(struct rd_json *j, const struct rd_report *r) {
    bool used[RD_TID_MAX];
    rd_facts_used(r, used);
    rd_json_open(j, "threads", '[');
    for (uint32_t i = 0; i < r->schedule->thread_count; i++) {
        const struct rd_thread_info *t = &r->schedule->threads[i];
        char name[64], phrase[RD_PHRASE];
        if (!used[i])
            continue;
        rd_words_thread(r, (rd_tid)i, name, sizeof name);
        rd_phrase_pending(r, &t->pending, phrase, sizeof phrase);
        bool waits = t->state == RD_T_READY && t->pending.kind != RD_OP_NONE;
        rd_json_open(j, NULL, '{');
        rd_json_number(j, "id", i);
        rd_json_string(j, "name", name);
        rd_json_string(j, "state",
                       t->state == RD_T_FINISHED ? "finished"
                       : t->state == RD_T_UNUSED ? "unknown"
                       : !waits                  ? rd_words_running(r, (rd_tid)i)
                       : t->enabled              ? "ready"
                                                 : "blocked");
        rd_json_string(j, "operation", waits ? phrase : NULL);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

static void write_variables(struct rd_json *j, const struct rd_report *r) {
    rd_place places[VARIABLES_MAX];
    uint32_t n = rd_facts_variables(r, places, VARIABLES_MAX);
    rd_json_open(j, "variables", '[');
    for (uint32_t i = 0; i < n; i++) {
        char name[RD_PHRASE];
        rd_symbols_data(r->symbols, places[i], name, sizeof name);
        rd_json_string(j, NULL, name);
    }
    rd_json_close(j, ']');
}

static void write_stack(struct rd_json *j, const struct rd_report *r, rd_tid tid) {
    static struct rd_frame frames[FRAMES_MAX];
    uint32_t n = rd_facts_stack(r, tid, frames, FRAMES_MAX);
    if (n == 0)
        return;
    rd_json_open(j, NULL, '{');
    rd_json_number(j, "thread", tid);
    rd_json_open(j, "frames", '[');
    for (uint32_t i = 0; i < n; i++) {
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "function", frames[i].function);
        rd_json_string(j, "file", frames[i].file);
        rd_json_number(j, "line", (uint64_t)RD_MAX(frames[i].line, 0));
        rd_json_string(j, "module", frames[i].module);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
    rd_json_close(j, '}');
}

/* Only where there are two places. */
static void write_other(struct rd_json *j, const struct rd_report *r) {
    const struct rd_frame *other = rd_facts_other(r);
    if (!other)
        return;
    rd_json_open(j, "because_of", '{');
    rd_json_number(j, "thread", r->schedule->finding.other_tid);
    rd_json_string(j, "file", other->file ? rd_words_path(r, other->file) : NULL);
    rd_json_number(j, "line", (uint64_t)RD_MAX(other->line, 0));
    rd_json_string(j, "function", other->function);
    rd_json_close(j, '}');
}

static void write_block_end(struct rd_json *j, const struct rd_report *r, bool freed) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    const struct rd_frame *f = rd_facts_block(r, freed);
    if (!f)
        return;
    rd_json_open(j, freed ? "freed" : "allocated", '{');
    rd_json_number(j, "thread", freed ? h->freed_tid : h->made_tid);
    rd_json_string(j, "file", f->file ? rd_words_path(r, f->file) : NULL);
    rd_json_number(j, "line", (uint64_t)RD_MAX(f->line, 0));
    rd_json_string(j, "function", f->function);
    rd_json_close(j, '}');
}

/* The block of the heap that it is about, if any. */
static void write_block(struct rd_json *j, const struct rd_report *r) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    if (!h->block)
        return;
    rd_json_open(j, "block", '{');
    rd_json_number(j, "size", h->size);
    rd_json_real(j, "offset", (double)h->offset, 0);
    if (h->count)
        rd_json_number(j, "count", h->count);
    write_block_end(j, r, false);
    write_block_end(j, r, true);
    rd_json_close(j, '}');
}

/* Only of a race that is a warning: the functions that may have ordered the two accesses. */
static void write_between(struct rd_json *j, const struct rd_report *r) {
    uint32_t at[2];
    char name[2][RD_PHRASE];
    char *const *functions = NULL;
    bool calls = rd_race_unseen(r, at, name);
    uint32_t count = calls ? 0 : rd_race_inline(r, &functions);
    if (!calls && !count)
        return;
    rd_json_open(j, "unseen", '[');
    if (calls)
        rd_json_string(j, NULL, name[0]);
    if (calls && strcmp(name[0], name[1]) != 0)
        rd_json_string(j, NULL, name[1]);
    for (uint32_t i = 0; i < count; i++)
        rd_json_string(j, NULL, functions[i]);
    rd_json_close(j, ']');
}

static void write_finding(struct rd_json *j, const struct rd_report *r) {
    struct rd_where w;
    char message[600];
    rd_facts_where(r, &w);
    rd_facts_message(r, message, sizeof message);
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "kind", rd_finding_name(r->schedule->finding.kind));
    rd_json_string(j, "message", message);
    rd_json_string(j, "file", w.file[0] ? w.file : NULL);
    rd_json_number(j, "line", (uint64_t)RD_MAX(w.line, 0));
    rd_json_string(j, "function", w.function[0] ? w.function : NULL);
    write_other(j, r);
    write_between(j, r);
    write_block(j, r);
    rd_json_number(j, "execution", r->execution);
    rd_json_number(j, "preemptions", rd_schedule_preemptions(r->schedule));
    rd_json_why(j, r);
    write_threads(j, r);
    write_variables(j, r);
    rd_json_string(j, "schedule", r->schedule_path);
    rd_json_open(j, "stacks", '[');
    for (uint32_t i = 0; i < r->schedule->thread_count; i++)
        write_stack(j, r, (rd_tid)i);
    rd_json_close(j, ']');
    rd_json_close(j, '}');
}

static void write_list(struct rd_json *j, const char *key, const char (*list)[RD_REASON], uint32_t count) {
    rd_json_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        rd_json_string(j, NULL, list[i]);
    rd_json_close(j, ']');
}

/* A bound that everything was covered up to; null: there is none. */
static void write_bound(struct rd_json *j, const struct rd_run *run, const char *key, int32_t value) {
    if (value < 0 || run->void_count || run->focused) /* not everything up to it was covered */
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

/* What is only probable. */
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

/* What was not seen: in one line, and each part. */
static void write_unseen(struct rd_json *j, const struct rd_unseen_code *b) {
    char words[RD_UNSEEN_CODE_WORDS];
    rd_unseen_code_words(b, words, sizeof words);
    rd_json_bool(j, "instrumented", !b->everything);
    rd_json_string(j, "not_seen", rd_unseen_code_none(b) ? NULL : words);
    rd_json_open(j, "unseen_code", '[');
    for (uint32_t i = 0; i < b->count; i++) {
        const struct rd_unseen_code_code *code = &b->code[i];
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
        output_of(j, "output", o->ended ? o->output : NULL, o->output_size);
        rd_json_number(j, "output_bytes", o->output_total);
        if (o->ended)
            rd_json_number(j, "status", (uint64_t)o->status);
        rd_json_string(j, "finding", o->finding);
        rd_json_string(j, "schedule", o->schedule);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

void rd_json_summary(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count) {
    struct rd_json j = {.out = out};
    const struct rd_summary *s = run->summary;
    char digest[20];
    rd_json_open(&j, NULL, '{');
    rd_json_string(&j, "raddle", run->version);
    rd_json_string(&j, "program", run->program);
    rd_json_string(&j, "strategy", run->strategy);
    rd_json_string(&j, "focus", run->focus && run->focus[0] ? run->focus : NULL);
    rd_json_string(&j, "isolation", run->isolation);
    snprintf(digest, sizeof digest, "%016" PRIx64, s->digest);
    rd_json_string(&j, "digest", run->workers > 1 ? NULL : digest); /* it depends on the order of executions */
    rd_json_string(&j, "points", run->points);
    rd_json_number(&j, "workers", RD_MAX(run->workers, 1u));
    rd_json_number(&j, "executions", s->executions);
    rd_json_number(&j, "cut", s->cut);
    rd_json_number(&j, "dropped", s->dropped);
    rd_json_number(&j, "suppressed", s->suppressed);
    rd_json_number(&j, "distinct_orders", s->orders);
    rd_json_number(&j, "steps", s->steps);
    write_preemptions(&j, s);
    if (s->selective) /* only where code was switched off */
        write_selective(&j, s);
    if (run->outcomes) /* only with --outcomes */
        write_outcomes(&j, run);
    rd_json_bool(&j, "complete", run->complete);
    rd_json_bool(&j, "finished", run->finished);
    if (run->assumes[0]) /* only where the claim depends on it */
        rd_json_string(&j, "assumes", run->assumes);
    rd_json_string(&j, "guarantee", run->guarantee);
    if (run->next[0]) /* only where it was not finished */
        rd_json_string(&j, "next", run->next);
    write_bounds(&j, run);
    rd_json_opaque(&j, run);
    write_unseen(&j, &run->blind);
    rd_json_open(&j, "uncontrolled", '[');
    for (uint32_t i = 0; i < run->uncontrolled_count; i++)
        rd_json_string(&j, NULL, run->uncontrolled[i]);
    rd_json_close(&j, ']');
    rd_json_real(&j, "elapsed_s", run->elapsed_s, 6);
    if (run->workers > 1)
        rd_json_real(&j, "idle_s", (double)s->idle_ns * 1e-9, 6);
    rd_json_real(&j, "executions_per_s", run->elapsed_s > 0 ? (double)s->executions / run->elapsed_s : 0, 1);
    rd_json_number(&j, "threads_max", s->threads_max);
    rd_json_number(&j, "search_bytes", s->memory);
    if (run->error) /* only where there was trouble */
        rd_json_string(&j, "error", run->error);
    rd_json_number(&j, "confirming", s->confirming);
    rd_json_number(&j, "minimising", s->minimising);
    rd_json_real(&j, "minimise_s", (double)s->minimise_ns * 1e-9, 6);
    rd_json_number(&j, "probes", s->probes);
    rd_json_open(&j, "warnings", '[');
    for (uint32_t i = 0; i < count; i++)
        if (findings[i].warning)
            write_finding(&j, &findings[i]);
    rd_json_close(&j, ']');
    rd_json_open(&j, "findings", '[');
    for (uint32_t i = 0; i < count; i++)
        if (!findings[i].warning)
            write_finding(&j, &findings[i]);
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
}
