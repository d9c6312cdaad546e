/*
 * block_words.c - names of blocks of the heap: by the type of what the program keeps there, "node#2.next", or,
 * where that is not known, "block#3+8". Blocks of one name are numbered in the order of their places, thread by
 * thread. A name is short because it stands in columns; rd_words_block_origin says where the block comes from.
 */
#include "report/report.h"
#include "trace/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_NAME = 48 };

/* Reads the line of source of a frame for rd_symbols_block_type. */
struct source_line {
    char *to;
    size_t room;
};

static void keep_line(void *ctx, int number, const char *text) {
    const struct source_line *l = ctx;
    (void)number;
    snprintf(l->to, l->room, "%s", text);
}

static bool read_line(void *ctx, const struct rd_frame *f, char *to, size_t room) {
    struct source_line l = {to, room};
    return f->file && f->line && rd_source_around(ctx, f->file, f->line, 0, 0, keep_line, &l);
}

static const struct rd_type *type_of(const struct rd_report *r, const struct rd_used_block *b) {
    return rd_symbols_block_type(r->symbols, b, read_line, (void *)r);
}

/* The name of the type in one word: "node" of "struct node", "Entry" of "cache::Entry<int>". */
static void short_name(const struct rd_report *r, const struct rd_used_block *b, char to[SHORT_NAME]) {
    static const char *const words[] = {"struct ", "union ", "enum "};
    const struct rd_type *t = type_of(r, b);
    const char *name = t ? rd_symbols_type_name(t) : "block", *start;
    for (unsigned i = 0; i < RD_COUNT(words); i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            name += strlen(words[i]);
    start = name;
    for (const char *p = name; *p && *p != '<'; p++)
        if (p[0] == ':' && p[1] == ':')
            start = p + 2;
    size_t n = 0, length = strlen(start);
    unsigned depth = 0;
    if (length > 4 && strcmp(start + length - 4, " int") == 0) /* "long int" */
        length -= 4;
    for (const char *p = start; p < start + length && n + 1 < SHORT_NAME; p++) {
        depth += *p == '<';
        if (!depth && !(*p == ' ' && p[1] == '*'))
            to[n++] = *p == ' ' ? '_' : *p;
        depth -= *p == '>' && depth;
    }
    to[n] = 0;
}

const struct rd_used_block *rd_block_of(const struct rd_report *r, rd_place place) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_used_block *found = NULL;
    for (uint32_t i = 0; i < s->block_count; i++) {
        const struct rd_used_block *b = &s->blocks[i];
        if (place - b->first >= RD_MAX(b->size, (uint64_t)1) || rd_place_region(place) != rd_place_region(b->first))
            continue;
        if (found)
            return NULL; /* the memory was used for two blocks, one after the other */
        found = b;
    }
    return found;
}

/* The number of the block among those with its short name, from 1. */
static unsigned number_of(const struct rd_report *r, const struct rd_used_block *b, const char *name) {
    const struct rd_schedule *s = r->schedule;
    unsigned n = 1;
    for (uint32_t i = 0; i < s->block_count; i++) {
        char other[SHORT_NAME];
        if (s->blocks[i].first >= b->first)
            continue;
        short_name(r, &s->blocks[i], other);
        n += strcmp(other, name) == 0;
    }
    return n;
}

void rd_words_block_name(const struct rd_report *r, const struct rd_used_block *b, char *to, size_t room) {
    char name[SHORT_NAME];
    short_name(r, b, name);
    snprintf(to, room, "%s#%u", name, number_of(r, b, name));
}

bool rd_words_in_block(const struct rd_report *r, rd_place place, char *to, size_t room) {
    const struct rd_used_block *b = rd_block_of(r, place);
    char path[128] = "", name[SHORT_NAME + 16];
    if (!b)
        return false;
    const struct rd_type *t = type_of(r, b);
    uint64_t offset = place - b->first;
    rd_words_block_name(r, b, name, sizeof name);
    if (t)
        rd_symbols_type_path(r->symbols, t, offset, path, sizeof path);
    else if (offset)
        snprintf(path, sizeof path, "+%" PRIu64, offset);
    snprintf(to, room, "%s%s", name, path);
    return true;
}

const struct rd_type *rd_block_part_type(const struct rd_report *r, rd_place place) {
    const struct rd_used_block *b = rd_block_of(r, place);
    const struct rd_type *t = b ? type_of(r, b) : NULL;
    char path[128];
    return t ? rd_symbols_type_path(r->symbols, t, place - b->first, path, sizeof path) : NULL;
}

void rd_words_block_origin(const struct rd_report *r, const struct rd_used_block *b, char *to, size_t room) {
    const struct rd_type *t = type_of(r, b);
    uint32_t count = 0;
    while (count < RD_HEAP_STACK && b->calls[count])
        count++;
    const struct rd_frame *f = rd_symbols_user_frame(r->symbols, b->calls, count, false);
    char at[RD_LOCATION], thread[64];
    rd_words_frame(r, f, true, at, sizeof at);
    rd_words_thread(r, (rd_tid)(rd_place_region(b->first) - RD_PLACE_HEAP), thread, sizeof thread);
    snprintf(to, room, "%s%s%" PRIu64 " byte%s, allocated by %s%s%s", t ? rd_symbols_type_name(t) : "",
             t ? ", " : "", b->size, b->size == 1 ? "" : "s", thread, at[0] ? " at " : "", at);
}

uint32_t rd_facts_blocks(const struct rd_report *r, const struct rd_used_block **to, uint32_t max) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    const uint32_t steps[] = {s->why.before, s->why.first, s->why.second, f->step, f->other_step};
    rd_place places[RD_TID_MAX + 2 * RD_COUNT(steps) + 1];
    uint32_t count = 0, n = 0;
    if (!f->heap.block) /* the finding says where that comes from */
        places[count++] = f->data;
    for (uint32_t i = 0; i < RD_COUNT(steps); i++)
        if (steps[i] > 0 && steps[i] <= s->step_count)
            places[count++] = s->steps[steps[i] - 1].place;
    for (uint32_t i = 0; i < RD_COUNT(steps); i++)
        if (steps[i] > 0 && steps[i] <= s->step_count && s->steps[steps[i] - 1].flags & RD_STEP_VALUE2)
            places[count++] = s->steps[steps[i] - 1].value; /* what a pointer leads to */
    for (uint32_t i = 0; i < s->thread_count && i < RD_TID_MAX && rd_is_stuck(f->kind); i++)
        if (rd_facts_blocked(r, (rd_tid)i))
            places[count++] = s->threads[i].pending.place;
    for (uint32_t i = 0; i < count && n < max; i++) {
        const struct rd_used_block *b = rd_block_of(r, places[i]);
        bool known = !b || b->first == f->heap.block;
        for (uint32_t k = 0; k < n && !known; k++)
            known = to[k] == b;
        if (!known)
            to[n++] = b;
    }
    return n;
}
