/* outcomes.c - see outcomes.h. */
#include "explore/outcomes.h"

#include "base/sort.h"
#include "base/text.h"

#include <string.h>

enum { QUOTED_MAX = 80 };

uint64_t rd_outcomes_output_key(const char *text, uint64_t size) {
    uint64_t h = rd_hash2(RD_OUTPUT, size);
    for (uint64_t at = 0; at < size && at < RD_OUTPUT_MAX; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text + at, RD_MIN(size - at, (uint64_t)8));
        h = rd_hash2(h, word);
    }
    return h;
}

/* ---- --expect-output ---- */

/* Appends the line that begins at this index, in quotes; at the end of the text, "nothing more". */
static void quote(struct rd_text *t, const char *text, uint64_t at, uint64_t size) {
    if (at >= size) {
        rd_text_str(t, "nothing more");
        return;
    }
    rd_text_char(t, '"');
    for (uint64_t i = at; i < size && text[i] != '\n'; i++) {
        if (i - at == QUOTED_MAX) {
            rd_text_str(t, "...");
            break;
        }
        rd_text_char(t, text[i] >= ' ' && text[i] < 127 ? text[i] : '?');
    }
    rd_text_char(t, '"');
}

/* Writes the message of a finding: the first line in which the output is not the expected one. */
static void first_difference(struct rd_finding *f, const char *wanted, uint64_t wanted_size, const char *is,
                             uint64_t size) {
    uint64_t at = 0, start = 0, line = 1;
    while (at < size && at < wanted_size && is[at] == wanted[at])
        if (is[at++] == '\n') {
            start = at;
            line++;
        }
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_str(&t, "line ");
    rd_text_dec(&t, (int64_t)line);
    rd_text_str(&t, " of the output: expected ");
    quote(&t, wanted, start, wanted_size);
    rd_text_str(&t, ", printed ");
    quote(&t, is, start, size);
    if ((at == size) != (at == wanted_size) && at > start) /* the lines differ only in the newline at the end */
        rd_text_str(&t, at == size ? " without the end of the line" : " with more after it");
}

void rd_outcomes_expect(struct rd_channel *c) {
    struct rd_outcome *o = &c->execution.outcome;
    const char *is = rd_channel_output(c), *wanted = rd_channel_expected(c);
    uint64_t kept = RD_MIN(c->execution.output_size, (uint64_t)RD_OUTPUT_MAX);
    if (!c->config.expect_output || o->verdict != RD_PASSED)
        return;
    if (c->execution.output_size == c->expected_size && memcmp(is, wanted, kept) == 0)
        return;
    o->verdict = RD_FOUND;
    o->finding = (struct rd_finding){.kind = RD_OUTPUT, .tid = o->exiting ? o->exit_tid : 0};
    o->finding.other_tid = RD_TID_NONE;
    o->finding.key = rd_outcomes_output_key(is, c->execution.output_size);
    first_difference(&o->finding, wanted, c->expected_size, is, kept);
}

/* ---- --outcomes ---- */

/* Orders observed values by name, then by thread; those of one name and thread stay as they were observed. */
static bool comes_before(const struct rd_observed *a, const struct rd_observed *b) {
    int names = strcmp(a->name, b->name);
    return names ? names < 0 : a->tid != b->tid ? a->tid < b->tid : a < b;
}

/* Writes the observed values, like "x=1 y=0,2". Returns the length of the text. */
static uint32_t observed_text(const struct rd_channel *c, char *to, size_t room) {
    const struct rd_observed *list[RD_OBSERVED_MAX];
    struct rd_text t;
    RD_CHECK(c->execution.observed_count <= RD_OBSERVED_MAX);
    for (uint32_t i = 0; i < c->execution.observed_count; i++)
        list[i] = &c->execution.observed[i];
    rd_sort(list, c->execution.observed_count, a, b, comes_before(*a, *b));
    rd_text_init(&t, to, room);
    for (uint32_t i = 0; i < c->execution.observed_count; i++) {
        bool more = i > 0 && strcmp(list[i]->name, list[i - 1]->name) == 0;
        rd_text_str(&t, more ? "," : i ? " " : "");
        if (!more) {
            rd_text_str(&t, list[i]->name);
            rd_text_char(&t, '=');
        }
        rd_text_dec(&t, list[i]->value);
    }
    return (uint32_t)t.used;
}

/* Appends the text to the texts of the result, as far as there is room. Returns the number of bytes. */
static uint32_t keep_text(struct rd_channel *c, const char *text, uint64_t size) {
    RD_CHECK(c->result.summary.texts_used <= RD_TEXTS_MAX);
    uint64_t room = RD_TEXTS_MAX - c->result.summary.texts_used;
    uint32_t n = (uint32_t)RD_MIN(RD_MIN(size, (uint64_t)RD_OUTPUT_KEPT), room);
    memcpy(rd_channel_texts(c) + c->result.summary.texts_used, text, n);
    c->result.summary.texts_used += n;
    return n;
}

/* Stores the schedule of the execution in the channel as that of an ending; count 0 if there is no room. */
static void keep_schedule(struct rd_channel *c, struct rd_found *f) {
    struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    *f = (struct rd_found){.execution = s->executions, .preemptions = o->preemptions, .threads = o->threads};
    if (o->verdict == RD_FOUND)
        f->finding = o->finding;
    if (s->store_used + o->steps > c->store_max ||
        s->tracks_used + c->execution.plan.track_count > RD_TRACKS_STORED)
        return;
    f->count = 1; /* the schedule is stored */
    f->steps = o->steps;
    f->store = s->store_used;
    f->access_points = c->execution.plan.access_points;
    f->sharing =
        c->execution.plan.access_points == RD_ACCESSES_ALL ? c->execution.sharing : (struct rd_sharing_use){0};
    f->yields = c->execution.plan.yields;
    f->track = s->tracks_used;
    f->track_count = c->execution.plan.track_count;
    memcpy(rd_channel_store(c) + f->store, rd_channel_record(c).steps, f->steps * sizeof(struct rd_step));
    memcpy(rd_channel_track_store(c) + f->track, rd_channel_track(c), f->track_count * sizeof(struct rd_track));
    s->store_used += f->steps;
    s->tracks_used += f->track_count;
}

static bool ends_by_itself(const struct rd_outcome *o) {
    return o->verdict != RD_FOUND || o->finding.kind == RD_OUTPUT || o->finding.kind == RD_EXIT_STATUS;
}

/* Counts an execution with an ending that is in the list. Executions of the search take the place of extra ones. */
static void count_again(struct rd_ending *e, bool extra) {
    if (e->extra && !extra)
        e->extra = e->count = 0;
    e->count += e->extra == extra;
}

static void note(struct rd_channel *c, bool extra) {
    struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    bool found = o->verdict == RD_FOUND, ended_by_itself = ends_by_itself(o);
    char observed[RD_OBSERVED_MAX * 24];
    uint32_t length = observed_text(c, observed, sizeof observed);
    int32_t status = found && o->finding.kind == RD_EXIT_STATUS ? o->finding.status : c->config.expect_status;
    uint64_t key =
        ended_by_itself
            ? rd_hash2(rd_outcomes_output_key(rd_channel_output(c), c->execution.output_size), (uint64_t)status)
            : rd_hash2(o->finding.kind, o->finding.key);
    key = rd_hash2(key, rd_outcomes_output_key(observed, length));
    struct rd_ending *list = rd_channel_endings(c);
    uint32_t i = 0;
    RD_CHECK(s->ending_count <= RD_ENDINGS_MAX);
    while (i < s->ending_count && list[i].key != key)
        i++;
    if (i < s->ending_count) {
        count_again(&list[i], extra);
        return;
    }
    if (i == RD_ENDINGS_MAX) {
        s->endings_lost++;
        return;
    }
    struct rd_ending *e = &list[s->ending_count++];
    *e = (struct rd_ending){
        .key = key, .count = 1, .status = status, .ended = ended_by_itself, .extra = extra, .text = s->texts_used};
    e->output_total = ended_by_itself ? c->execution.output_size : 0;
    e->output_size = keep_text(c, rd_channel_output(c), RD_MIN(e->output_total, (uint64_t)RD_OUTPUT_MAX));
    e->observed_size = keep_text(c, observed, length);
    keep_schedule(c, &e->found);
}

void rd_outcomes_note(struct rd_channel *c) {
    unsigned verdict = c->execution.outcome.verdict;
    if (c->config.outcomes && (verdict == RD_PASSED || verdict == RD_FOUND))
        note(c, false);
}

void rd_outcomes_note_extra(struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    if (c->config.outcomes && o->verdict == RD_FOUND && !ends_by_itself(o))
        note(c, true);
}
