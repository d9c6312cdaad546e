/*
 * memory_words.c - names of memory and of values in it: globals, local variables of any thread, blocks of the heap
 * (block_words.c), what pointers lead to. All formats take them from here, so that text, JSON and HTML agree.
 */
#include "report/report.h"
#include "trace/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOCAL_NAME = 256 };

/* The name that the program has given to a range of places (raddle_name). */
static bool given_name(const struct rd_schedule *s, rd_place place, char *to, size_t room) {
    unsigned region = rd_place_region(place);
    bool down = region >= RD_PLACE_STACK && region < RD_PLACE_IO;
    for (uint32_t i = 0; i < s->annotation_count; i++) {
        const struct rd_annotation *m = &s->annotations[i];
        if (m->kind != RD_ANNOTATION_NAME || place < m->first || place > m->last)
            continue;
        uint64_t offset = down ? m->last - place : place - m->first;
        if (offset)
            snprintf(to, room, "%.47s+0x%" PRIx64, m->name, offset);
        else
            snprintf(to, room, "%.47s", m->name);
        return true;
    }
    return false;
}

/* Returns whether an operation used exactly this place of a stack. */
static bool is_used(const struct rd_schedule *s, rd_place place) {
    for (uint32_t i = 0; i < s->part_count; i++)
        if (s->parts[i].used == place)
            return true;
    return false;
}

/* Returns whether the part counts for the name of this place: `used` says that operations used exactly this place.
 */
static bool counts(const struct rd_stack_part *p, rd_place place, bool used) {
    return place <= p->low && place > p->high && (!used || p->used == place);
}

/*
 * The part of a stack that tells which local variable is at this place, if the debug information says the same of
 * all calls that count: of the calls that were active when operations used the place, or, of a place that none used
 * exactly, of all calls that had it in their part of the stack. Calls that follow each other can have different
 * variables in one place. Of one and the same call debug information may say nothing at some addresses of code, as
 * optimised code has it. NULL: the place has no name.
 */
static const struct rd_stack_part *local_part(const struct rd_report *r, rd_place place, char name[LOCAL_NAME]) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_stack_part *named = NULL;
    bool used = is_used(s, place);
    char other[LOCAL_NAME];
    for (uint32_t i = 0; i < s->part_count; i++) {
        const struct rd_stack_part *p = &s->parts[i];
        if (!counts(p, place, used) || !rd_symbols_local(r->symbols, p, place, other, sizeof other))
            continue;
        if (named && strcmp(name, other) != 0)
            return NULL;
        named = p;
        snprintf(name, LOCAL_NAME, "%s", other);
    }
    for (uint32_t i = 0; named && i < s->part_count; i++) {
        const struct rd_stack_part *p = &s->parts[i];
        if (counts(p, place, used) && (p->low != named->low || p->high != named->high) &&
            !rd_symbols_local(r->symbols, p, place, other, sizeof other))
            return NULL;
    }
    return named;
}

/*
 * Where in "pool::Test_Body::run() p.lock" the name of the function begins: without the classes and namespaces
 * around it, which would fill a column and hide the variable. The name of an operator alone would say too little.
 */
static const char *without_scope(const char *name) {
    const char *end = strstr(name, "() "), *start = name;
    int depth = 0;
    for (const char *p = name; end && p < end; p++) {
        depth += *p == '<' || *p == '(' || *p == '{';
        depth -= *p == '>' || *p == ')' || *p == '}';
        if (depth == 0 && p[0] == ':' && p[1] == ':')
            start = p + 2;
    }
    return strncmp(start, "operator", 8) == 0 || *start == '{' ? name : start;
}

/* The name of a local variable: "main() queue.head", "worker() done of T2". */
static bool local_name(const struct rd_report *r, rd_place place, char *to, size_t room) {
    unsigned tid = rd_place_region(place) - RD_PLACE_STACK;
    char name[LOCAL_NAME];
    if (!local_part(r, place, name))
        return false;
    if (tid)
        snprintf(to, room, "%s of T%u", without_scope(name), tid);
    else
        snprintf(to, room, "%s", without_scope(name));
    return true;
}

static bool is_stack(rd_place place) {
    return rd_place_region(place) >= RD_PLACE_STACK && rd_place_region(place) < RD_PLACE_IO;
}

void rd_words_data(const struct rd_report *r, rd_place place, char *to, size_t room) {
    unsigned region = rd_place_region(place);
    if (place && given_name(r->schedule, place, to, room))
        return;
    if (is_stack(place) && local_name(r, place, to, room))
        return;
    if (rd_words_in_block(r, place, to, room))
        return;
    if (is_stack(place))
        snprintf(to, room, "stack(T%u)-0x%" PRIx64, region - RD_PLACE_STACK, rd_place_offset(place));
    else if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK && rd_place_offset(place) >= RD_PLACE_MAPPED)
        snprintf(to, room, "mapping(T%u)+0x%" PRIx64, region - RD_PLACE_HEAP,
                 rd_place_offset(place) - RD_PLACE_MAPPED);
    else if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK)
        snprintf(to, room, "heap(T%u)+0x%" PRIx64, region - RD_PLACE_HEAP, rd_place_offset(place));
    else
        rd_symbols_data(r->symbols, place, to, room);
}

void rd_words_object(const struct rd_report *r, rd_place place, char *to, size_t room) {
    const struct rd_used_block *b = rd_block_of(r, place);
    if (b && b->first == place)
        rd_words_block_name(r, b, to, room);
    else
        rd_words_data(r, place, to, room);
}

/* The type of the data at a place; NULL: not known. */
static const struct rd_type *type_at(const struct rd_report *r, rd_place place) {
    char name[LOCAL_NAME];
    if (is_stack(place)) {
        const struct rd_stack_part *part = local_part(r, place, name);
        return part ? rd_symbols_local_type(r->symbols, part, place) : NULL;
    }
    return rd_place_module(place) >= 0 ? rd_symbols_data_type(r->symbols, place) : rd_block_part_type(r, place);
}

/* The name of what a pointer leads to, "&queue.head"; false: nothing is known there. */
static bool pointer_name(const struct rd_report *r, rd_place value, char *to, size_t room) {
    char name[RD_PHRASE];
    const struct rd_frame *f = rd_place_module(value) >= 0 ? rd_symbols_at(r->symbols, value, true) : NULL;
    bool code = rd_symbols_is_code(r->symbols, value) && f && strcmp(f->function, "??") != 0;
    if (code)
        snprintf(to, room, "%s", f->function);
    if (code)
        return true;
    if (!is_stack(value) && !(rd_place_module(value) >= 0 && rd_symbols_has_data(r->symbols, value)) &&
        !rd_words_in_block(r, value, name, sizeof name))
        return false;
    rd_words_object(r, value, name, sizeof name);
    snprintf(to, room, "%s%s", is_stack(value) && strncmp(name, "stack(", 6) == 0 ? "" : "&", name);
    return true;
}

static int64_t as_signed(uint64_t value, uint32_t size) {
    unsigned unused = size > 0 && size < 8 ? 64 - 8 * size : 0;
    return (int64_t)(value << unused) >> unused;
}

/* Was the value recorded as a place (rd_place_value in the runtime), because it is an address that differs between
 * processes? */
static bool is_place(const struct rd_report *r, uint64_t value) {
    unsigned region = rd_place_region(value);
    int module = rd_place_module(value);
    return (module >= 0 && (uint32_t)module < r->schedule->module_count) ||
           (region >= RD_PLACE_HEAP && region < RD_PLACE_HEAP + r->schedule->thread_count) ||
           (region >= RD_PLACE_STACK && region < RD_PLACE_STACK + r->schedule->thread_count);
}

void rd_words_value(const struct rd_report *r, rd_place place, uint64_t value, uint32_t size, char *to,
                    size_t room) {
    enum rd_value_form form = rd_symbols_value(place ? type_at(r, place) : NULL, value, size, to, room);
    int64_t small = as_signed(value, size);
    bool address = size == sizeof(void *) && is_place(r, value);
    if (form == RD_VALUE_TEXT || (form == RD_VALUE_INTEGER && !address) ||
        (size == sizeof(void *) && pointer_name(r, value, to, room)))
        return;
    if (address) {
        rd_words_data(r, value, to, room);
        return;
    }
    if (form == RD_VALUE_POINTER && value == 0)
        snprintf(to, room, "NULL");
    else if (form != RD_VALUE_POINTER && small > -100000 && small < 1000000)
        snprintf(to, room, "%" PRId64, small);
    else
        snprintf(to, room, "0x%" PRIx64, value);
}
