/* sarif_result.c - one finding as a result of SARIF: its locations, the stacks of the threads, its identity. */
#include "report/ci/sarif.h"

#include "report/ci/source_root.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 48, STACKS_MAX = 64 };

/* Writes the place of a file. Line 0: not known. */
static void write_physical(struct rd_sarif *s, const struct rd_report *r, const char *path, int line) {
    char file[PATH_MAX], uri[PATH_MAX * 3 + 8] = "file://";
    const char *cwd = r->schedule->cwd ? r->schedule->cwd : "/";
    bool inside = rd_source_path(s->root, cwd, path, file);
    size_t scheme = inside ? 0 : strlen(uri);
    rd_source_uri(file, uri + scheme, sizeof uri - scheme);
    rd_json_open(&s->j, "physicalLocation", '{');
    rd_json_open(&s->j, "artifactLocation", '{');
    rd_json_string(&s->j, "uri", uri);
    if (inside)
        rd_json_string(&s->j, "uriBaseId", "%SRCROOT%");
    rd_json_close(&s->j, '}');
    if (line > 0) {
        rd_json_open(&s->j, "region", '{');
        rd_json_number(&s->j, "startLine", (uint64_t)line);
        rd_json_close(&s->j, '}');
    }
    rd_json_close(&s->j, '}');
}

/* Writes a location from its parts. path NULL: the file is not known. */
static void write_location(struct rd_sarif *s, const char *key, const struct rd_report *r, const char *path,
                           int line, const char *function, const char *text, uint32_t id) {
    rd_json_open(&s->j, key, '{');
    if (id)
        rd_json_number(&s->j, "id", id);
    if (path && path[0])
        write_physical(s, r, path, line);
    if (function && function[0] && strcmp(function, "??") != 0) {
        rd_json_open(&s->j, "logicalLocations", '[');
        rd_json_open(&s->j, NULL, '{');
        rd_json_string(&s->j, "fullyQualifiedName", function);
        rd_json_string(&s->j, "kind", "function");
        rd_json_close(&s->j, '}');
        rd_json_close(&s->j, ']');
    }
    if (text)
        rd_sarif_message(s, "message", text);
    rd_json_close(&s->j, '}');
}

void rd_sarif_location(struct rd_sarif *s, const char *key, const struct rd_report *r, const struct rd_frame *f,
                       const char *text, uint32_t id) {
    const char *path = f && f->file ? f->file : f ? f->module : r->schedule->program;
    write_location(s, key, r, path, f && f->file ? f->line : 0, f ? f->function : NULL, text, id);
}

void rd_sarif_where(struct rd_sarif *s, const char *key, const struct rd_report *r, const char *text) {
    struct rd_where w;
    rd_facts_where(r, &w);
    const char *path = w.path[0] ? w.path : w.file[0] ? w.file : r->schedule->program;
    write_location(s, key, r, path, w.line, w.function, text, 0);
}

/* Writes one of the related locations, if its frame is known. */
static void write_related(struct rd_sarif *s, const struct rd_report *r, const struct rd_frame *f, const char *text,
                          uint32_t *id) {
    if (f)
        rd_sarif_location(s, NULL, r, f, text, ++*id);
}

/* The two accesses of a race. False: it is none, or they are not known. */
static bool write_race(struct rd_sarif *s, const struct rd_report *r, uint32_t *id) {
    uint32_t step[2];
    char data[RD_PHRASE], text[RD_PHRASE + 128], thread[64];
    if (!rd_race_steps(r, &step[0], &step[1]))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct rd_step *at = &r->schedule->steps[step[i]];
        rd_place place = r->schedule->finding.data ? r->schedule->finding.data : at->place;
        rd_words_data(r, place, data, sizeof data);
        rd_words_thread(r, at->tid, thread, sizeof thread);
        snprintf(text, sizeof text, "%s %s %s (step %u)", thread, rd_race_verb(r, step[i]), data, step[i] + 1);
        write_related(s, r, rd_facts_step_frame(r, step[i]), text, id);
    }
    return true;
}

/* Where each thread of a deadlock or livelock is blocked. */
static void write_blocked(struct rd_sarif *s, const struct rd_report *r, uint32_t *id) {
    char phrase[RD_PHRASE], text[RD_PHRASE + 96], thread[64];
    for (uint32_t i = 0; i < r->schedule->thread_count && *id < STACKS_MAX; i++) {
        if (!rd_facts_blocked(r, (rd_tid)i))
            continue;
        rd_words_thread(r, (rd_tid)i, thread, sizeof thread);
        rd_phrase_pending(r, &r->schedule->threads[i].pending, phrase, sizeof phrase);
        snprintf(text, sizeof text, "%s is blocked: %s", thread, phrase);
        write_related(s, r, rd_facts_pending_frame(r, (rd_tid)i), text, id);
    }
}

static void write_related_locations(struct rd_sarif *s, const struct rd_report *r) {
    char text[RD_LOCATION + 256], thread[64];
    uint32_t id = 0;
    rd_json_open(&s->j, "relatedLocations", '[');
    if (rd_is_stuck(r->schedule->finding.kind)) {
        write_blocked(s, r, &id);
    } else if (!write_race(s, r, &id) && rd_facts_other_frame(r)) {
        rd_words_thread(r, r->schedule->finding.other_tid, thread, sizeof thread);
        snprintf(text, sizeof text, "because of %s", thread);
        write_related(s, r, rd_facts_other_frame(r), text, &id);
    }
    for (int freed = 0; freed < 2; freed++) {
        const struct rd_heap_fact *h = &r->schedule->finding.heap;
        const struct rd_frame *f = h->block ? rd_facts_block(r, freed) : NULL;
        rd_words_thread(r, freed ? h->freed_tid : h->made_tid, thread, sizeof thread);
        snprintf(text, sizeof text, "%s %s the block", thread, freed ? "freed" : "allocated");
        write_related(s, r, f, text, &id);
    }
    rd_json_close(&s->j, ']');
}

static void write_stack(struct rd_sarif *s, const struct rd_report *r, rd_tid tid) {
    static struct rd_frame frames[FRAMES_MAX];
    char thread[64];
    uint32_t n = rd_facts_stack(r, tid, frames, FRAMES_MAX);
    if (n == 0)
        return;
    rd_words_thread(r, tid, thread, sizeof thread);
    rd_json_open(&s->j, NULL, '{');
    rd_sarif_message(s, "message", thread);
    rd_json_open(&s->j, "frames", '[');
    for (uint32_t i = 0; i < n; i++) {
        rd_json_open(&s->j, NULL, '{');
        rd_sarif_location(s, "location", r, &frames[i], NULL, 0);
        if (frames[i].module)
            rd_json_string(&s->j, "module", frames[i].module);
        rd_json_number(&s->j, "threadId", tid);
        rd_json_close(&s->j, '}');
    }
    rd_json_close(&s->j, ']');
    rd_json_close(&s->j, '}');
}

/* The sentence, what decides the execution, and how to see it again. The caller frees it. */
static char *message_of(const struct rd_report *r) {
    char headline[700], decided[400], command[RD_COMMAND], *text = NULL;
    rd_facts_headline(r, headline, sizeof headline);
    rd_why_decided(r, decided, sizeof decided);
    rd_words_command(r, "replay", command);
    if (asprintf(&text, "%s.%s%s%s%s", headline, decided[0] ? "\n" : "", decided, command[0] ? "\nReplay: " : "",
                 command) < 0)
        abort();
    return text;
}

void rd_sarif_result(struct rd_sarif *s, const struct rd_report *r) {
    struct rd_json *j = &s->j;
    const struct rd_finding *f = &r->schedule->finding;
    char id[RD_IDENTITY], *message = message_of(r);
    rd_facts_identity(r, id);
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "ruleId", rd_finding_name(f->kind));
    rd_json_number(j, "ruleIndex", rd_sarif_rule(f->kind));
    rd_json_string(j, "kind", "fail");
    rd_json_string(j, "level", r->warning ? "warning" : "error");
    rd_sarif_message(s, "message", message);
    rd_json_open(j, "locations", '[');
    rd_sarif_where(s, NULL, r, NULL);
    rd_json_close(j, ']');
    write_related_locations(s, r);
    rd_sarif_code_flows(s, r);
    rd_json_open(j, "stacks", '[');
    for (uint32_t i = 0; i < r->schedule->thread_count && i < STACKS_MAX; i++)
        write_stack(s, r, (rd_tid)i);
    rd_json_close(j, ']');
    rd_json_open(j, "partialFingerprints", '{');
    rd_json_string(j, "raddleFinding/v1", id);
    rd_json_close(j, '}');
    rd_json_open(j, "properties", '{');
    rd_json_string(j, "schedule", r->schedule_path);
    rd_json_number(j, "execution", r->execution);
    rd_json_number(j, "preemptions", rd_schedule_preemptions(r->schedule));
    rd_json_close(j, '}');
    rd_json_close(j, '}');
    free(message);
}
