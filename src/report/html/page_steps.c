/*
 * page_steps.c - takes the words of each step apart into a form, an object and a value, so that a page has each of
 * them once; and numbers the frames, stacks and objects of the steps.
 */
#include "report/html/page.h"
#include "report/html/page_data.h"
#include "report/row_selection.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 4000 }; /* lines of which the page shows the source */

void *rd_page_zeroed(size_t count, size_t size) {
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

/* ---- tables ---- */

static uint32_t source_number(struct page_data *d, const struct rd_frame *f) {
    if (f->kind != RD_FRAME_USER || !f->file || !f->line || d->sources.count >= SOURCES_MAX)
        return RD_PAGE_NONE;
    uint64_t key[2] = {rd_intern_text(&d->strings, f->file), (uint64_t)f->line};
    return rd_intern(&d->sources, key, sizeof key);
}

uint32_t rd_page_frame(struct page_data *d, const struct rd_frame *f) {
    char at[RD_LOCATION], where[RD_LOCATION];
    if (!f)
        return RD_PAGE_NONE;
    rd_words_frame(d->r, f, false, at, sizeof at);
    rd_words_frame(d->r, f, true, where, sizeof where);
    uint32_t key[6] = {rd_intern_text(&d->strings, f->function ? f->function : "??"),
                       rd_intern_text(&d->strings, at),
                       rd_intern_text(&d->strings, where),
                       source_number(d, f),
                       f->kind == RD_FRAME_USER,
                       f->inlined};
    return rd_intern(&d->frames, key, sizeof key);
}

uint32_t rd_page_object(struct page_data *d, rd_place place, uint64_t size, const char *name) {
    rd_place first, last;
    uint32_t known = d->places.count, n = rd_intern(&d->places, &place, sizeof place);
    rd_place_span(place, size, &first, &last);
    if (n >= d->object_room) {
        d->object_room = d->object_room ? d->object_room * 2 : 64;
        d->object = realloc(d->object, d->object_room * sizeof *d->object);
        if (!d->object)
            abort();
    }
    if (n == known)
        d->object[n] = (struct page_object){first, last, rd_intern_text(&d->strings, name)};
    d->object[n].first = RD_MIN(d->object[n].first, first);
    d->object[n].last = RD_MAX(d->object[n].last, last);
    return n;
}

/* The frames of a recorded stack, without those of the runtime and of the start-up code below the program. */
static uint32_t number_of_stack(struct page_data *d, const rd_place *stack, bool starts) {
    uint32_t key[1 + RD_STEP_STACK * 8], n = 1, user = 1, depth = 0;
    for (; depth < RD_STEP_STACK && stack[depth]; depth++) {
        const struct rd_frame *f;
        uint32_t count = rd_symbols_frames(d->r->symbols, stack[depth], starts && depth == 0, &f);
        for (uint32_t k = 0; k < count && n < RD_COUNT(key); k++) {
            if (f[k].kind == RD_FRAME_RUNTIME)
                continue;
            key[n++] = rd_page_frame(d, &f[k]);
            user = f[k].kind == RD_FRAME_USER ? n : user;
        }
    }
    n = user > 1 ? user : n;
    key[0] = depth == RD_STEP_STACK;
    return n > 1 ? rd_intern(&d->stacks, key, n * (uint32_t)sizeof *key) : RD_PAGE_NONE;
}

/* ---- steps ---- */

/* Has the operation of the step an object that it makes sense to ask for? */
static bool has_object(const struct rd_step *s) {
    bool loop = s->op == RD_OP_AWAIT && s->size > RD_ACCESS_MAX;
    return s->place && !rd_step_is_way(s) && s->op != RD_OP_TEAM && !loop;
}

static uint32_t part(struct page_data *d, const char *from, const char *to) {
    char text[RD_PHRASE];
    snprintf(text, sizeof text, "%.*s", (int)(to - from), from);
    return rd_intern_text(&d->strings, text);
}

/* The last " = VALUE" in the phrase, or NULL. */
static const char *find_value(const char *phrase, const char *value) {
    char wanted[RD_PHRASE + 4];
    const char *found = NULL;
    snprintf(wanted, sizeof wanted, " = %s", value);
    for (const char *p = phrase; (p = strstr(p, wanted)); p++)
        found = p;
    return found;
}

/* Takes the words of a step apart: form, object, value. */
static void take_words(struct page_data *d, uint32_t i, uint32_t at, const char *phrase) {
    const struct rd_step *s = &d->s->steps[i];
    char name[RD_PHRASE] = "", value[RD_PHRASE];
    const char *end = phrase + strlen(phrase), *split = NULL, *object = NULL;
    d->value[at] = d->of[at] = d->second[at] = RD_PAGE_NONE;
    if (s->flags & RD_STEP_HAS_VALUE && s->place) {
        rd_words_value(d->r, s->place, s->value, s->size, value, sizeof value);
        split = find_value(phrase, value);
    }
    const char *head_end = split ? split : end, *tail = end;
    if (split) {
        d->value[at] = rd_intern_text(&d->strings, value);
        tail = split + 3 + strlen(value);
    }
    if (has_object(s)) {
        bool memory = rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES) && s->op != RD_OP_FREE;
        if (s->op == RD_OP_FREE)
            rd_words_object(d->r, s->place, name, sizeof name);
        else if (s->op == RD_OP_CALL)
            rd_words_callee(d->r, s->place, name, sizeof name);
        else
            rd_words_data(d->r, s->place, name, sizeof name);
        d->of[at] = rd_page_object(d, s->place, memory || s->op == RD_OP_FREE ? RD_MAX(s->size, 1u) : 1, name);
        const char *known = rd_intern_get(&d->strings, d->object[d->of[at]].name, NULL);
        object = *name && strcmp(known, name) == 0 ? strstr(phrase, name) : NULL;
        if (object && object + strlen(name) > head_end)
            object = NULL;
    }
    if (s->flags & RD_STEP_VALUE2 && s->value) {
        char other[RD_PHRASE];
        rd_words_data(d->r, s->value, other, sizeof other);
        d->second[at] = rd_page_object(d, s->value, 1, other);
    }
    struct page_form f = {part(d, phrase, object ? object : head_end), object != NULL,
                          part(d, object ? object + strlen(name) : head_end, head_end), part(d, tail, end)};
    d->form[at] = rd_intern(&d->forms, &f, sizeof f);
}

/* Chooses the steps that the page has: those that matter most, and all that are shown at first. */
static void choose_steps(struct page_data *d, const uint8_t *rows) {
    const struct rd_schedule *s = d->s;
    uint8_t *kept = rd_page_zeroed(s->step_count, 1);
    d->index = rd_page_zeroed(s->step_count, sizeof *d->index);
    rd_row_selection_fit(d->r, s->step_count > RD_PAGE_STEPS_MAX ? RD_PAGE_STEPS_KEPT : s->step_count, kept);
    for (uint32_t i = 0; i < s->step_count; i++)
        d->index[i] = kept[i] == RD_ROW_SHOWN || rows[i] == RD_ROW_SHOWN ? d->count++ : RD_PAGE_NONE;
    free(kept);
}

void rd_page_take_steps(struct page_data *d, const uint8_t *rows) {
    const struct rd_schedule *s = d->s;
    choose_steps(d, rows);
    struct rd_waits *waits = rd_page_zeroed(1, sizeof *waits);
    uint32_t **const columns[] = {&d->form, &d->value, &d->of, &d->second, &d->frame, &d->stack};
    for (size_t i = 0; i < RD_COUNT(columns); i++)
        *columns[i] = rd_page_zeroed(d->count, sizeof **columns[i]);
    for (uint32_t i = 0; i < s->step_count; i++) {
        char phrase[RD_PHRASE];
        uint32_t at = d->index[i];
        if (at == RD_PAGE_NONE) {
            rd_phrase_skip(d->r, waits, i);
            continue;
        }
        rd_phrase_step(d->r, waits, i, phrase, sizeof phrase);
        take_words(d, i, at, phrase);
        const struct rd_frame *f = rd_facts_step_frame(d->r, i);
        /* a thread of the C++ library starts in the library: its position is of no use to the reader */
        bool empty = s->steps[i].op == RD_OP_START && f && f->kind != RD_FRAME_USER;
        d->frame[at] = rd_page_frame(d, empty ? NULL : f);
        d->stack[at] =
            s->step_stacks ? number_of_stack(d, s->step_stacks[i], s->steps[i].op == RD_OP_START) : RD_PAGE_NONE;
    }
    free(waits);
}

void rd_page_data_free(struct page_data *d) {
    struct rd_intern *const tables[] = {&d->strings, &d->forms, &d->places, &d->frames, &d->sources, &d->stacks};
    for (size_t i = 0; i < RD_COUNT(tables); i++)
        rd_intern_free(tables[i]);
    uint32_t *const arrays[] = {d->index, d->form, d->value, d->of, d->second, d->frame, d->stack};
    for (size_t i = 0; i < RD_COUNT(arrays); i++)
        free(arrays[i]);
    free(d->object);
}
