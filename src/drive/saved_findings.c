/*
 * saved_findings.c - findings that outlive the search that made them: see restart.h. Nothing in the channel of a
 * worker that died can be relied on, so everything is looked at before it is used, and then only what a replay
 * shows is kept.
 */
#include "drive/restart.h"
#include "drive/worker_team.h"

#include <string.h>

/* Is it something that can be run at all? */
static bool is_whole(const struct rd_channel *c, const struct rd_found *f) {
    return f->finding.kind > RD_NO_FINDING && f->finding.kind < RD_FINDING_KINDS && f->steps <= c->store_max &&
           f->store <= c->store_max - f->steps && f->track_count <= RD_TRACKS_STORED &&
           f->track <= RD_TRACKS_STORED - f->track_count && f->track_count <= RD_TRACKS_MAX;
}

static bool has_tables(const struct rd_channel *c) {
    bool fine = c->execution.path_count > 0 && c->execution.path_count <= RD_TID_MAX &&
                c->execution.module_count <= RD_MODULES_MAX;
    for (uint32_t i = 1; i < c->execution.path_count && fine; i++)
        fine = c->execution.paths[i].parent < i;
    return fine;
}

static bool ends(const char *text, size_t room) { return memchr(text, 0, room) != NULL; }

static bool has_texts(const struct rd_finding *f) {
    return ends(f->message, sizeof f->message) && ends(f->file, sizeof f->file) &&
           ends(f->function, sizeof f->function);
}

/*
 * Does its schedule show it in a process that has nothing to do with the search? Where there is no time to see it
 * is kept all the same: that it was not run again is told with it.
 */
static bool shows_again(const struct rd_session *s, struct rd_channel *c, const struct rd_found *f) {
    struct rd_error error;
    struct rd_worker w;
    struct rd_schedule schedule;
    rd_session_schedule(&schedule, s->target, c, f);
    if (!rd_session_may_replay())
        return true;
    if (rd_session_replay(&w, s->target, &schedule, RD_BACKEND_VIRTUAL, s->execution_s_max, &error) != 0)
        return false;
    const struct rd_outcome *o = &w.channel->execution.outcome;
    bool shows = o->verdict == RD_FOUND && o->finding.kind == f->finding.kind && o->finding.key == f->finding.key;
    shows |= o->verdict == RD_GIVEN_UP;
    rd_worker_close(&w);
    return shows;
}

void rd_saved_findings_keep(struct rd_saved_findings *p, const struct rd_session *s, struct rd_worker *w) {
    struct rd_channel *c = w->channel;
    struct rd_error error;
    if (!rd_worker_is_whole(w) || !has_tables(c))
        return;
    for (uint32_t i = 0; i < RD_MIN(c->result.summary.found_count, (uint32_t)RD_FOUND_MAX); i++) {
        struct rd_found f = c->result.found[i];
        if (!is_whole(c, &f) || !has_texts(&f.finding) || !shows_again(s, c, &f))
            continue;
        if (!p->is_open && rd_session_open(s, &p->kept, &error) != 0)
            return;
        p->is_open = true;
        rd_merge_finding(p->kept.channel, c, &f);
        rd_merge_paths(p->kept.channel, c);
    }
}

void rd_saved_findings_numbers(const struct rd_saved_findings *p, struct rd_channel *c) {
    if (p->is_open)
        rd_merge_paths(c, p->kept.channel);
}

void rd_saved_findings_recall(struct rd_saved_findings *p, struct rd_channel *c) {
    if (!p->is_open)
        return;
    uint32_t before = c->result.summary.found_count;
    rd_merge_findings(c, p->kept.channel);
    c->result.summary.findings += c->result.summary.found_count - before;
    rd_worker_close(&p->kept);
    p->is_open = false;
}
