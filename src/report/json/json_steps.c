/*
 * json_steps.c - see json_steps.h. Only the commands in gdb of the same version of Raddle read this document, so it
 * is not documented elsewhere. A step is a list and not an object: an execution can have very many.
 */
#include "report/json/json_steps.h"

#include "report/json/json_writer.h"
#include "report/text/report_text.h"

#include <stdlib.h>

static void write_finding(struct rd_json *j, const struct rd_report *r) {
    char message[600];
    rd_facts_message(r, message, sizeof message);
    rd_json_open(j, "finding", '{');
    rd_json_string(j, "kind", rd_words_kind(r->schedule->finding.kind));
    rd_json_string(j, "message", message);
    rd_json_number(j, "thread", r->schedule->finding.tid);
    rd_json_close(j, '}');
}

static void write_threads(struct rd_json *j, const struct rd_report *r) {
    bool used[RD_TID_MAX];
    rd_facts_threads_used(r, used);
    rd_json_open(j, "threads", '[');
    for (uint32_t i = 0; i < r->schedule->thread_count; i++) {
        const struct rd_thread_info *t = &r->schedule->threads[i];
        char name[64], phrase[RD_PHRASE], object[RD_PHRASE] = "";
        if (!used[i])
            continue;
        rd_words_thread(r, (rd_tid)i, name, sizeof name);
        rd_phrase_pending(r, &t->pending, phrase, sizeof phrase);
        bool waits = t->state == RD_T_READY && t->pending.kind != RD_OP_NONE;
        if (waits && t->pending.place)
            rd_words_data(r, t->pending.place, object, sizeof object);
        rd_json_open(j, NULL, '{');
        rd_json_number(j, "id", i);
        rd_json_string(j, "name", name);
        rd_json_string(j, "pending", waits ? phrase : NULL);
        rd_json_string(j, "object", object);
        rd_json_number(j, "place", waits ? t->pending.place : 0);
        rd_json_bool(j, "blocked", rd_facts_blocked(r, (rd_tid)i));
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

/* The paragraph "why" as the report prints it. */
static void write_why(struct rd_json *j, const struct rd_report *r) {
    struct rd_look look = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    rd_print_why(out, r, &look);
    if (fclose(out) != 0)
        abort();
    rd_json_string(j, "why", text);
    free(text);
}

/* [thread, is a way of the step before, operation, source position, name of the object, place, size] */
static void write_step(struct rd_json *j, const struct rd_report *r, struct rd_waits *waits, uint32_t step) {
    const struct rd_step *s = &r->schedule->steps[step];
    char phrase[RD_PHRASE], at[RD_LOCATION], name[RD_PHRASE] = "";
    rd_phrase_step(r, waits, step, phrase, sizeof phrase);
    rd_words_frame(r, rd_facts_step_frame(r, step), true, at, sizeof at);
    if (s->place)
        rd_words_data(r, s->place, name, sizeof name);
    rd_json_open(j, NULL, '[');
    rd_json_number(j, NULL, s->tid);
    rd_json_bool(j, NULL, rd_step_is_way(s));
    rd_json_string(j, NULL, phrase);
    rd_json_string(j, NULL, at);
    rd_json_string(j, NULL, name);
    rd_json_number(j, NULL, s->place);
    rd_json_number(j, NULL, s->size);
    rd_json_number(j, NULL, s->flags & RD_STEP_VALUE2 ? s->value : 0);
    rd_json_close(j, ']');
}

void rd_json_steps(FILE *out, const struct rd_report *r) {
    struct rd_json j = {.out = out};
    struct rd_waits *waits = calloc(1, sizeof *waits);
    if (!waits)
        abort();
    rd_json_open(&j, NULL, '{');
    write_finding(&j, r);
    write_threads(&j, r);
    write_why(&j, r);
    rd_json_open(&j, "steps", '[');
    for (uint32_t i = 0; i < r->schedule->step_count; i++)
        write_step(&j, r, waits, i);
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
    fputc('\n', out);
    free(waits);
}
