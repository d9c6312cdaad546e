/* schedule_read_names.c - the lines of a schedule file from which memory has its names. See schedule_read.h. */
#include "file/schedule_read.h"

#include "trace/place.h"

/* Reads the lines of names, from the current one on, and makes the line after them current. */
static void read_names(struct rd_lines *in, struct rd_schedule *s) {
    while (!in->failed && rd_lines_is(in, "name")) {
        if (s->annotation_count == RD_ANNOTATIONS_MAX)
            rd_lines_fail(in, in->line, "too many names");
        s->annotations = rd_parse_grow(in, s->annotations, s->annotation_count, sizeof *s->annotations);
        struct rd_annotation m = {.first = rd_parse_place(in, s, "place"), .kind = RD_ANNOTATION_NAME};
        m.last = rd_parse_place(in, s, "place");
        rd_lines_quoted_into(in, m.name, sizeof m.name);
        rd_lines_end(in);
        if (!in->failed)
            s->annotations[s->annotation_count++] = m;
        rd_lines_next(in);
    }
}

/* Reads the lines of parts of stacks, from the current one on, and makes the line after them current. */
static void read_parts(struct rd_lines *in, struct rd_schedule *s) {
    while (!in->failed && rd_lines_is(in, "part")) {
        if (s->part_count == RD_STACK_PARTS_MAX)
            rd_lines_fail(in, in->line, "too many parts of stacks");
        s->parts = rd_parse_grow(in, s->parts, s->part_count, sizeof *s->parts);
        struct rd_stack_part p = {.pc = rd_parse_place(in, s, "place")};
        p.low = rd_parse_place(in, s, "place");
        p.high = rd_parse_place(in, s, "place");
        p.used = rd_parse_place(in, s, "place");
        unsigned region = rd_place_region(p.low);
        if (!in->failed && (region != rd_place_region(p.high) || region < RD_PLACE_STACK || region >= RD_PLACE_IO ||
                            p.used > p.low || p.used <= p.high))
            rd_lines_fail(in, in->line, "bad part of a stack");
        rd_lines_end(in);
        if (!in->failed)
            s->parts[s->part_count++] = p;
        rd_lines_next(in);
    }
}

/* Reads the lines of blocks of the heap, from the current one on, and makes the line after them current. */
static void read_blocks(struct rd_lines *in, struct rd_schedule *s) {
    while (!in->failed && rd_lines_is(in, "allocated")) {
        if (s->block_count == RD_USED_BLOCKS_MAX)
            rd_lines_fail(in, in->line, "too many blocks of the heap");
        s->blocks = rd_parse_grow(in, s->blocks, s->block_count, sizeof *s->blocks);
        struct rd_used_block b = {.first = rd_parse_place(in, s, "place")};
        unsigned region = rd_place_region(b.first);
        b.size = rd_lines_number(in, "size of a block", RD_PLACE_MAPPED);
        for (uint32_t k = 0; k < RD_HEAP_STACK && !in->failed && in->at < in->eol; k++)
            b.calls[k] = rd_parse_place(in, s, "place");
        if (!in->failed && (region < RD_PLACE_HEAP || region >= RD_PLACE_STACK))
            rd_lines_fail(in, in->line, "bad block of the heap");
        rd_lines_end(in);
        if (!in->failed)
            s->blocks[s->block_count++] = b;
        rd_lines_next(in);
    }
}

void rd_parse_names(struct rd_lines *in, struct rd_schedule *s) {
    read_names(in, s);
    read_parts(in, s);
    read_blocks(in, s);
}
