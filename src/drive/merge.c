/*
 * merge.c - adds the findings of one result to another (take_result.h). Findings with the same key are the same bug
 * and are stored once.
 */
#include "drive/take_result.h"

#include <stdlib.h>
#include <string.h>

/* The finding with this key in the result; NULL: there is none. */
static struct rd_found *find_key(const struct rd_run_result *r, uint64_t key) {
    for (uint32_t i = 0; i < r->summary.found_count; i++)
        if (r->found[i].finding.key == key)
            return &r->found[i];
    return NULL;
}

/* Copies `more` items behind the first `used` items of an array, which grows. Returns the array. */
static void *append(void *array, uint64_t used, const void *from, uint64_t more, size_t each) {
    char *grown = realloc(array, (used + more + 1) * each);
    if (!grown)
        abort();
    if (more)
        memcpy(grown + used * each, from, more * each);
    return grown;
}

/* Appends the schedule of a finding; returns the finding with the place of the copy. */
static struct rd_found copy_schedule(struct rd_run_result *to, const struct rd_run_result *from,
                                     const struct rd_found *f) {
    struct rd_summary *s = &to->summary;
    struct rd_found copy = *f;
    copy.store = s->store_used;
    copy.track = s->tracks_used;
    to->store = append(to->store, s->store_used, from->store + f->store, f->steps, sizeof *to->store);
    to->tracks = append(to->tracks, s->tracks_used, from->tracks + f->track, f->track_count, sizeof *to->tracks);
    s->store_used += f->steps;
    s->tracks_used += f->track_count;
    return copy;
}

/* Stores a new finding with its steps and its tracked variables. */
static void store(struct rd_run_result *to, const struct rd_run_result *from, const struct rd_found *f) {
    struct rd_summary *s = &to->summary;
    RD_CHECK(rd_found_is_sound(f, from->summary.store_used, from->summary.tracks_used));
    if (s->found_count == RD_FOUND_MAX) {
        s->unstored++;
        return;
    }
    struct rd_found copy = copy_schedule(to, from, f);
    to->found = append(to->found, s->found_count, &copy, 1, sizeof *to->found);
    s->found_count++;
}

void rd_run_result_add_finding(struct rd_run_result *to, const struct rd_run_result *from,
                               const struct rd_found *f) {
    struct rd_found *same = find_key(to, f->finding.key);
    if (!same) {
        store(to, from, f);
        return;
    }
    if (rd_found_is_too_long(same, f->steps)) {
        struct rd_found before = *same;
        *same = copy_schedule(to, from, f);
        rd_found_keep_counts(same, &before);
    }
    same->count += f->count;
    same->confirmed |= f->confirmed;
    for (uint32_t i = 0; i < f->memory_count && same->memory_count < RD_FOUND_MEMORY; i++)
        same->memory[same->memory_count++] = f->memory[i]; /* the report names each once */
}

void rd_run_result_add_paths(struct rd_run_result *to, const struct rd_run_result *from) {
    if (from->path_count <= to->path_count)
        return;
    to->paths = append(to->paths, 0, from->paths, from->path_count, sizeof *to->paths);
    to->path_count = from->path_count;
}

void rd_run_result_add_findings(struct rd_run_result *to, const struct rd_run_result *from) {
    for (uint32_t i = 0; i < from->summary.found_count; i++)
        rd_run_result_add_finding(to, from, &from->found[i]);
    rd_run_result_add_paths(to, from);
}
