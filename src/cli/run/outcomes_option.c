/* outcomes_option.c - see outcomes_option.h. */
#include "cli/run/outcomes_option.h"

#include "cli/options.h"
#include "cli/run/make_folder.h"
#include "cli/run/schedule_name.h"
#include "drive/make_schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rd_outcomes_option_expect(struct rd_session *s, const char *file) {
    static char text[RD_OUTPUT_MAX + 1];
    FILE *in = fopen(file, "re");
    if (!in)
        return rd_trouble("cannot open '%s': %s", file, strerror(errno)), false;
    size_t n = fread(text, 1, sizeof text, in);
    bool failed = ferror(in);
    fclose(in);
    if (failed)
        return rd_trouble("cannot read '%s'", file), false;
    if (n > RD_OUTPUT_MAX)
        return rd_trouble("'%s' is too long: only outputs of up to 1 MiB are compared", file), false;
    s->expected = text;
    s->expected_size = n;
    s->config.expect_output = s->config.separate = 1;
    return true;
}

static char *copy_of(const char *text, size_t size) {
    char *copy = calloc(1, size + 1);
    if (!copy)
        abort();
    memcpy(copy, text, size);
    return copy;
}

/*
 * Stores the schedule of one outcome in the directory. Returns its path, which the caller owns; NULL after a
 * message.
 */
static char *store(struct rd_session *s, const struct rd_ending *e, const char *dir) {
    struct rd_error error;
    struct rd_schedule schedule;
    char name[RD_SCHEDULE_NAME], *path;
    rd_schedule_make(&schedule, s->target, &s->result, &e->found);
    rd_schedule_name_ending(&schedule, e, s->result.texts + e->text, name);
    if (asprintf(&path, "%s/%s", dir, name) < 0)
        abort();
    struct rd_symbols *symbols = rd_symbols_open(schedule.modules, schedule.module_count);
    rd_sources_note(&schedule, symbols);
    int failed = rd_make_folder_and_store(&schedule, dir, path, &error);
    rd_schedule_free_sources(&schedule);
    rd_symbols_close(symbols);
    if (!failed)
        return path;
    rd_trouble("%s", error.text);
    free(path);
    return NULL;
}

int rd_outcomes_option_store(struct rd_session *s, const char *dir, bool exhaustive, struct rd_run *run) {
    const struct rd_summary *sum = &s->result.summary;
    static struct rd_outcome_shown list[RD_ENDINGS_MAX];
    int status = 0;
    run->outcomes = list;
    run->outcome_count = sum->ending_count;
    run->outcomes_lost = sum->endings_lost;
    run->outcomes_unordered = sum->played & RD_PLAYED_WRITE;
    run->outcomes_seen = run->finished && exhaustive && !sum->endings_lost && !run->outcomes_unordered;
    run->outcomes_all = run->outcomes_seen && run->complete;
    for (uint32_t i = 0; i < sum->ending_count; i++) {
        const struct rd_ending *e = &s->result.endings[i];
        const char *text = s->result.texts + e->text;
        struct rd_outcome_shown *o = &list[i];
        *o =
            (struct rd_outcome_shown){.count = e->count, .status = e->status, .ended = e->ended, .extra = e->extra};
        o->output = copy_of(text, e->output_size);
        o->output_size = e->output_size;
        o->output_total = e->output_total;
        o->observed = copy_of(text + e->output_size, e->observed_size);
        o->finding = e->found.finding.kind ? rd_finding_name(e->found.finding.kind) : NULL;
        if (e->found.count == 0) /* there was no room for its schedule */
            continue;
        o->schedule = store(s, e, dir);
        status |= o->schedule ? 0 : RD_EXIT_TROUBLE;
    }
    return status;
}
