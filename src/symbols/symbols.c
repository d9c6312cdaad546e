/*
 * symbols.c - the table of modules, the kept answers, and the choice of the frame to show.
 *
 * A report asks for the same places many times, so the answer for each place is kept. All texts and frames are in
 * one arena: a reservation of address space, of which only the used part takes memory.
 */
#include "symbols/symbols.h"

#include "base/text.h"
#include "symbols/image.h"
#include "symbols/unhooked_code.h"
#include "symbols/compiler_record.h"
#include "trace/place.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA_BYTES ((size_t)1 << 32)
#define ARENA_BYTES_MIN ((size_t)1 << 24)

/* The frames at one place. */
struct frames_answer {
    uint32_t count;
    struct rd_frame *frames;
};

/* Reserves the arena: as much as the limit of address space (ulimit -v) allows. */
static void reserve(struct rd_arena *a) {
    void *region = MAP_FAILED;
    size_t size = ARENA_BYTES * 2;
    while (region == MAP_FAILED && size > ARENA_BYTES_MIN) {
        size /= 2;
        region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    RD_CHECK(region != MAP_FAILED);
    rd_arena_init(a, region, size);
}

struct rd_symbols *rd_symbols_open(const struct rd_module *modules, uint32_t count) {
    struct rd_arena arena;
    reserve(&arena);
    struct rd_symbols *s = rd_arena_zero(&arena, sizeof *s);
    s->images = rd_arena_zero(&arena, (count + 1) * sizeof *s->images);
    s->count = count;
    for (uint32_t i = 0; i < count; i++)
        rd_image_init(&s->images[i], modules[i].path, i == 0);
    s->arena = arena;
    return s;
}

void rd_symbols_close(struct rd_symbols *s) {
    if (!s)
        return;
    for (uint32_t i = 0; i < s->count; i++)
        rd_image_close(&s->images[i]);
    munmap(s->arena.base, s->arena.size);
}

struct rd_image *rd_image_of(struct rd_symbols *s, rd_place place) {
    int m = rd_place_module(place);
    return m >= 0 && (uint32_t)m < s->count && s->images[m].path[0] ? &s->images[m] : NULL;
}

/* Without debug information: the name in the symbol table. */
static uint32_t symbol_frame(struct rd_symbols *s, struct rd_image *m, uint64_t address, struct rd_frame **frames) {
    struct rd_frame *f = rd_arena_zero(&s->arena, sizeof *f);
    const struct rd_symbol *symbol = m ? rd_image_symbol(m, &s->arena, address, true) : NULL;
    f->function = "??";
    if (symbol) {
        char *readable = rd_demangle(symbol->name);
        rd_demangle_strip(readable);
        f->function = rd_arena_text(&s->arena, readable);
        free(readable);
    }
    *frames = f;
    return 1;
}

/* Code of the start-up files and of system headers counts as library code, also in the program. */
static uint8_t frame_kind(const struct rd_image *m, const struct rd_frame *f) {
    if (!m)
        return RD_FRAME_LIBRARY;
    if (m->kind != RD_FRAME_USER)
        return m->kind;
    bool startup = !f->file && (strcmp(f->function, "_start") == 0 || strcmp(f->function, "??") == 0);
    return startup || (f->file && rd_dwarf_system_file(f->file)) ? RD_FRAME_LIBRARY : RD_FRAME_USER;
}

uint32_t rd_symbols_frames(struct rd_symbols *s, rd_place pc, bool exact, const struct rd_frame **frames) {
    uint64_t *known = rd_map_put(&s->answers[exact], &s->arena, pc);
    if (!*known) {
        struct frames_answer *answer = rd_arena_zero(&s->arena, sizeof *answer);
        *known = (uint64_t)(uintptr_t)answer;
        struct rd_image *m = rd_image_of(s, pc);
        /* a return address can belong to the next line or function already; the byte before it is of the call */
        uint64_t address = rd_place_offset(pc) - (exact ? 0 : 1);
        if (m)
            answer->count = rd_dwarf_frames(m, &s->arena, address, &answer->frames);
        if (answer->count == 0)
            answer->count = symbol_frame(s, m, address, &answer->frames);
        for (uint32_t i = 0; i < answer->count; i++) {
            struct rd_frame *f = &answer->frames[i];
            f->pc = pc;
            f->module = m ? m->path : NULL;
            f->kind = frame_kind(m, f);
        }
    }
    struct frames_answer *answer = (struct frames_answer *)(uintptr_t)*known;
    RD_CHECK(answer->count > 0);
    *frames = answer->frames;
    return answer->count;
}

const struct rd_frame *rd_symbols_user_frame(struct rd_symbols *s, const rd_place *stack, uint32_t count,
                                             bool exact) {
    const struct rd_frame *fallback = NULL;
    for (uint32_t i = 0; i < count && stack[i]; i++) {
        const struct rd_frame *f;
        uint32_t n = rd_symbols_frames(s, stack[i], exact && i == 0, &f);
        for (uint32_t k = 0; k < n; k++) {
            if (f[k].kind == RD_FRAME_USER)
                return &f[k];
            if (!fallback && f[k].kind == RD_FRAME_LIBRARY)
                fallback = &f[k];
        }
    }
    return fallback;
}

const struct rd_frame *rd_symbols_at(struct rd_symbols *s, rd_place pc, bool exact) {
    return pc ? rd_symbols_user_frame(s, &pc, 1, exact) : NULL;
}

/* Writes the name of a variable and the part of it, or the name of the module and an offset. */
static void module_data(struct rd_symbols *s, rd_place place, bool whole, char *to, size_t room) {
    struct rd_image *m = rd_image_of(s, place);
    uint64_t address = rd_place_offset(place);
    const struct rd_symbol *symbol = m ? rd_image_symbol(m, &s->arena, address, false) : NULL;
    if (!symbol) {
        const char *path = m ? m->path : "?", *slash = strrchr(path, '/');
        snprintf(to, room, "%s+0x%" PRIx64, slash ? slash + 1 : path, address);
        return;
    }
    char *name = rd_demangle(symbol->name), member[128];
    if (strncmp(symbol->name, "_Z", 2) == 0 && strncmp(symbol->name, "_ZT", 3) != 0)
        rd_demangle_strip(name);
    char *dot = strrchr(name, '.'); /* gcc numbers the static variables of functions: count.0 */
    if (dot && dot != name && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
        *dot = 0;
    if (whole)
        snprintf(to, room, "%s", name);
    else if (rd_variable_member(m, &s->arena, symbol, address - symbol->start, member, sizeof member))
        snprintf(to, room, "%s%s", name, member);
    else if (address != symbol->start)
        snprintf(to, room, "%s+0x%" PRIx64, name, address - symbol->start);
    else
        snprintf(to, room, "%s", name);
    free(name);
}

/* Writes the name of an open file: "pipe 2", "socket 1 of T3". */
static void describe_file(unsigned kind, uint64_t number, char *to, size_t room) {
    static const char *const names[RD_IO_KINDS] = {"file",     "pipe",     "socket",       "eventfd",     "timerfd",
                                                   "epoll",    "terminal", "descriptor",   "descriptors", "child",
                                                   "children", "signalfd", "message queue"};
    const char *name = names[kind < RD_IO_KINDS ? kind : RD_IO_NONE];
    unsigned tid = (unsigned)(number >> 20), count = (unsigned)number & 0xfffff;
    if (tid)
        snprintf(to, room, "%s %u of T%u", name, count, tid);
    else if (count)
        snprintf(to, room, "%s %u", name, count);
    else
        snprintf(to, room, "%s", name);
}

static void describe(struct rd_symbols *s, rd_place place, char *to, size_t room) {
    unsigned region = rd_place_region(place);
    uint64_t offset = rd_place_offset(place);
    if (place == 0)
        snprintf(to, room, "nothing");
    else if (rd_place_module(place) >= 0)
        module_data(s, place, false, to, room);
    else if (region >= RD_PLACE_OTHER || region == 0)
        snprintf(to, room, offset < 0x10000 ? "other%" PRIu64 : "0x%" PRIx64, offset);
    else if (region >= RD_PLACE_IO)
        describe_file(region - RD_PLACE_IO, offset, to, room);
    else if (region >= RD_PLACE_STACK)
        snprintf(to, room, "stack of T%u -0x%" PRIx64, region - RD_PLACE_STACK, offset);
    else if (!rd_allocations_name(s->allocations, place, false, to, room))
        snprintf(to, room, "heap block of T%u +0x%" PRIx64, region - RD_PLACE_HEAP, offset);
}

void rd_symbols_data(struct rd_symbols *s, rd_place place, char *to, size_t room) {
    uint64_t *known = rd_map_put(&s->names, &s->arena, place);
    if (!*known) {
        char text[512];
        describe(s, place, text, sizeof text);
        const char *kept = rd_arena_text(&s->arena, text);
        *rd_map_put(&s->names, &s->arena, place) = (uint64_t)(uintptr_t)kept;
        known = rd_map_get(&s->names, place);
    }
    snprintf(to, room, "%s", (const char *)(uintptr_t)*known);
}

/* The name of a local variable, or "" for none. */
static void describe_local(struct rd_symbols *s, const struct rd_stack_part *part, rd_place place, char *to,
                           size_t room) {
    struct rd_image *m = rd_image_of(s, part->pc);
    const struct rd_frame *frames;
    struct rd_local local;
    char path[128];
    to[0] = 0;
    if (!m || !rd_local_variable(m, &s->arena, part, place, &local) ||
        !rd_variable_path(&local.variable, local.offset, path, sizeof path))
        return;
    uint32_t n = rd_symbols_frames(s, part->pc, false, &frames);
    snprintf(to, room, "%s() %s%s", local.function ? local.function : frames[n - 1].function,
             dwarf_diename(&local.variable), path);
}

bool rd_symbols_local(struct rd_symbols *s, const struct rd_stack_part *part, rd_place place, char *to,
                      size_t room) {
    uint64_t key = rd_hash2(rd_hash2(part->pc, part->low), rd_hash2(part->high, place));
    uint64_t *known = rd_map_get(&s->locals, key);
    if (!known) {
        char text[512];
        describe_local(s, part, place, text, sizeof text);
        *rd_map_put(&s->locals, &s->arena, key) = (uint64_t)(uintptr_t)rd_arena_text(&s->arena, text);
        known = rd_map_get(&s->locals, key);
    }
    const char *text = (const char *)(uintptr_t)*known;
    snprintf(to, room, "%s", text);
    return text[0] != 0;
}

void rd_symbols_whole(struct rd_symbols *s, rd_place place, char *to, size_t room) {
    if (rd_place_module(place) >= 0)
        module_data(s, place, true, to, room);
    else if (!rd_allocations_name(s->allocations, place, true, to, room))
        rd_symbols_data(s, place, to, room);
}

void rd_symbols_profile(struct rd_symbols *s, const struct rd_profile *p) {
    s->allocations = rd_allocations_open(s, &s->arena, p);
    s->names = (struct rd_map){0};
}

uint32_t rd_symbols_blocks(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max) {
    return rd_allocations_named(s->allocations, name, to, max);
}

uint32_t rd_symbols_globals(struct rd_symbols *s, struct rd_global *to, uint32_t max) {
    uint32_t n = 0;
    if (s->count == 0)
        return 0;
    rd_image_symbols(&s->images[0], &s->arena);
    for (uint32_t i = 0; i < s->images[0].symbols.count && n < max; i++) {
        const struct rd_symbol *v = &s->images[0].symbols.at[i];
        rd_place first = rd_place_make(RD_PLACE_MODULE, v->start);
        if (v->code || v->size == 0)
            continue;
        struct rd_global *last = n ? &to[n - 1] : NULL;
        uint32_t size = (uint32_t)RD_MIN(v->size, (uint64_t)UINT32_MAX);
        if (last && first == last->first) /* symbols are sorted by address, then size */
            last->size = size;
        else if (!last || first - last->first >= last->size)
            to[n++] = (struct rd_global){.first = first, .size = size};
    }
    return n;
}

bool rd_symbols_compilers(struct rd_symbols *s, char *to, size_t room) {
    if (s->count == 0) {
        to[0] = 0;
        return false;
    }
    return rd_compiler_record_list(&s->images[0], &s->arena, to, room);
}

bool rd_symbols_void_main(struct rd_symbols *s) {
    return s->count > 0 && rd_dwarf_void_main(&s->images[0], &s->arena);
}

/* As rd_symbols_named, for parts of variables: queue.head, table[3]. */
static uint32_t parts_named(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max) {
    const struct rd_symbol *found[RD_RANGES_MAX];
    struct rd_image *m = &s->images[0];
    char base[256];
    size_t length = strcspn(name, ".[");
    uint32_t parts = 0;
    if (length == 0 || length >= sizeof base || !name[length])
        return 0;
    memcpy(base, name, length);
    base[length] = 0;
    uint32_t n = rd_image_named(m, &s->arena, base, false, found, RD_MIN(max, RD_RANGES_MAX));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t offset, size;
        if (!rd_variable_part(m, &s->arena, found[i], name + length, &offset, &size))
            continue;
        rd_place first = rd_place_make(RD_PLACE_MODULE, found[i]->start + offset);
        to[parts++] = (struct rd_range){.first = first, .last = first + RD_MAX(size, (uint64_t)1) - 1};
    }
    return parts;
}

/* As rd_symbols_named, for functions or whole variables of a module. */
static uint32_t named_in(struct rd_symbols *s, uint32_t module, const char *name, bool function,
                         struct rd_range *to, uint32_t max) {
    const struct rd_symbol *found[RD_RANGES_MAX];
    if (module >= s->count)
        return 0;
    uint32_t n = rd_image_named(&s->images[module], &s->arena, name, function, found, RD_MIN(max, RD_RANGES_MAX));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t first = found[i]->start + function, size = RD_MAX(found[i]->size, 1u);
        to[i] = (struct rd_range){.first = rd_place_make(RD_PLACE_MODULE + module, first),
                                  .last = rd_place_make(RD_PLACE_MODULE + module, first + size - 1)};
    }
    return n;
}

uint32_t rd_symbols_functions(struct rd_symbols *s, uint32_t module, const char *name, struct rd_range *to,
                              uint32_t max) {
    return named_in(s, module, name, true, to, max);
}

uint32_t rd_symbols_named(struct rd_symbols *s, const char *name, bool function, struct rd_range *to,
                          uint32_t max) {
    if (s->count == 0)
        return 0;
    char whole[256]; /* "big[*]" is the array: reports name it so when many of its elements are used */
    size_t length = strlen(name);
    if (!function && length > 3 && length < sizeof whole && strcmp(name + length - 3, "[*]") == 0) {
        memcpy(whole, name, length - 3);
        whole[length - 3] = 0;
        name = whole;
    }
    uint32_t n = named_in(s, 0, name, function, to, max);
    return n || function ? n : parts_named(s, name, to, max);
}

uint32_t rd_symbols_inlined(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max) {
    return s->count ? rd_dwarf_inlined(&s->images[0], &s->arena, name, to, max) : 0;
}

uint32_t rd_symbols_matched(struct rd_symbols *s, const char *pattern, struct rd_range *to, uint32_t max) {
    return s->count ? rd_image_matched(&s->images[0], &s->arena, pattern, to, max) : 0;
}

uint32_t rd_symbols_matched_data(struct rd_symbols *s, const char *pattern, struct rd_range *to, uint32_t max) {
    return s->count ? rd_image_matched_data(&s->images[0], &s->arena, pattern, to, max) : 0;
}

/* Reads the functions with inline atomics and whether there is unseen code, once: several reports need them. */
static void find_inline_atomics(struct rd_symbols *s) {
    struct rd_unhooked_list found = {0};
    s->inline_read = true;
    s->unseen_code = !s->count || !rd_unhooked_find(&s->images[0], &s->arena, &found) || found.count != 0;
    if (!found.count)
        return;
    for (uint32_t i = 0; i < found.count; i++) {
        if (!found.at[i].inlined || found.at[i].openmp)
            continue;
        char *readable = rd_demangle(found.at[i].function ? found.at[i].function : "a function without a name");
        rd_demangle_strip(readable);
        size_t size = strlen(readable) + sizeof "()";
        char *name = rd_arena_alloc(&s->arena, size);
        snprintf(name, size, "%s%s", readable, found.at[i].function ? "()" : "");
        free(readable);
        rd_vec_push(&s->arena, &s->inline_atomics, name);
    }
}

uint32_t rd_symbols_inline_atomics(struct rd_symbols *s, char *const **names) {
    if (!s->inline_read)
        find_inline_atomics(s);
    *names = s->inline_atomics.at;
    return s->inline_atomics.count;
}

bool rd_symbols_unseen_code(struct rd_symbols *s) {
    if (!s->inline_read)
        find_inline_atomics(s);
    return s->unseen_code;
}

void rd_symbols_cxx20(struct rd_symbols *s, struct rd_cxx20 *to) {
    if (s->count)
        rd_compiler_record_cxx20(&s->images[0], &s->arena, to);
}
