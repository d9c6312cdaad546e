/* typed_data.c - the types of data at places, as reports need them to write values and parts of blocks. */
#include "symbols/debug_types.h"

#include "trace/place.h"

#include <dwarf.h>
#include <stdio.h>

/* Keeps the type of the part of a variable that begins at the offset; NULL: none begins there. */
static struct rd_type *part_type(struct rd_symbols *s, Dwarf_Die *variable, uint64_t offset) {
    Dwarf_Die type, leaf;
    char path[256];
    if (!variable || !rd_die_type(variable, &type) || !rd_type_path(&type, offset, path, sizeof path, &leaf))
        return NULL;
    struct rd_type *kept = rd_arena_zero(&s->arena, sizeof *kept);
    kept->die = leaf;
    return kept;
}

bool rd_symbols_is_code(struct rd_symbols *s, rd_place place) {
    struct rd_image *m = rd_image_of(s, place);
    return m && rd_image_symbol(m, &s->arena, rd_place_offset(place), true);
}

bool rd_symbols_has_data(struct rd_symbols *s, rd_place place) {
    struct rd_image *m = rd_image_of(s, place);
    return m && rd_image_symbol(m, &s->arena, rd_place_offset(place), false);
}

const struct rd_type *rd_symbols_data_type(struct rd_symbols *s, rd_place place) {
    uint64_t *known = rd_map_get(&s->types, place);
    if (!known) {
        struct rd_image *m = rd_image_of(s, place);
        uint64_t address = rd_place_offset(place);
        const struct rd_symbol *symbol = m ? rd_image_symbol(m, &s->arena, address, false) : NULL;
        struct rd_type *type = NULL;
        if (symbol)
            type = part_type(s, rd_variable_at(m, &s->arena, symbol->start), address - symbol->start);
        *rd_map_put(&s->types, &s->arena, place) = (uint64_t)(uintptr_t)type;
        return type;
    }
    return (const struct rd_type *)(uintptr_t)*known;
}

const struct rd_type *rd_symbols_local_type(struct rd_symbols *s, const struct rd_stack_part *part,
                                            rd_place place) {
    uint64_t key = rd_hash2(rd_hash2(part->pc, part->low), rd_hash2(part->high, place));
    uint64_t *known = rd_map_get(&s->types, key);
    if (!known) {
        struct rd_image *m = rd_image_of(s, part->pc);
        struct rd_local local;
        struct rd_type *type = NULL;
        if (m && rd_local_variable(m, &s->arena, part, place, &local))
            type = part_type(s, &local.variable, local.offset);
        *rd_map_put(&s->types, &s->arena, key) = (uint64_t)(uintptr_t)type;
        return type;
    }
    return (const struct rd_type *)(uintptr_t)*known;
}

/* Goes through the frames of the allocation, the innermost first, until one tells the type. */
static const struct rd_type *type_by_calls(struct rd_symbols *s, const struct rd_used_block *b, rd_line_reader read,
                                           void *ctx) {
    for (uint32_t i = 0; i < RD_HEAP_STACK && b->calls[i]; i++) {
        struct rd_image *m = rd_image_of(s, b->calls[i]);
        const struct rd_frame *f;
        uint32_t n = rd_symbols_frames(s, b->calls[i], false, &f);
        for (uint32_t k = 0; k < n && m; k++) {
            char line[1024];
            bool user = f[k].kind == RD_FRAME_USER, outer = true;
            bool readable = user && read(ctx, &f[k], line, sizeof line);
            const struct rd_type *t = NULL;
            if (f[k].file && (readable || !user))
                t = rd_block_type_at(m, &s->arena, rd_place_offset(b->calls[i]) - 1, k, readable ? line : NULL,
                                     b->size, &outer);
            if (t || !outer || (user && !readable))
                return t;
        }
    }
    return NULL;
}

const struct rd_type *rd_symbols_block_type(struct rd_symbols *s, const struct rd_used_block *b,
                                            rd_line_reader read, void *ctx) {
    uint64_t key = rd_hash2(b->size, 0x626c6f636b);
    for (uint32_t i = 0; i < RD_HEAP_STACK && b->calls[i]; i++)
        key = rd_hash2(key, b->calls[i]);
    uint64_t *known = rd_map_get(&s->types, key);
    if (!known) {
        const struct rd_type *type = type_by_calls(s, b, read, ctx);
        *rd_map_put(&s->types, &s->arena, key) = (uint64_t)(uintptr_t)type;
        return type;
    }
    return (const struct rd_type *)(uintptr_t)*known;
}

const char *rd_symbols_type_name(const struct rd_type *t) { return t->name; }

const struct rd_type *rd_symbols_type_path(struct rd_symbols *s, const struct rd_type *t, uint64_t offset, char *to,
                                           size_t room) {
    uint64_t size = rd_type_size((Dwarf_Die *)&t->die);
    Dwarf_Die leaf;
    int used = 0;
    to[0] = 0;
    if (offset < t->at) { /* links of a container's node, counts of owners */
        snprintf(to, room, " (node+%llu)", (unsigned long long)offset);
        return NULL;
    }
    offset -= t->at;
    if (t->count > 1 && size) {
        used = snprintf(to, room, "[%llu]", (unsigned long long)(offset / size));
        offset %= size;
    }
    if (used < 0 || (size_t)used >= room ||
        !rd_type_path((Dwarf_Die *)&t->die, offset, to + used, room - (size_t)used, &leaf))
        return NULL;
    struct rd_type *kept = rd_arena_zero(&s->arena, sizeof *kept);
    kept->die = leaf;
    return kept;
}

enum rd_value_form rd_symbols_value(const struct rd_type *t, uint64_t value, uint32_t size, char *to, size_t room) {
    return t ? rd_type_value(t, value, size, to, room) : RD_VALUE_UNKNOWN;
}
