/*
 * schedule_read_steps.c - the second half of reading a schedule file: stacks, steps, pending operations. The file
 * has each stack once, with a number; the reader copies it to every step and thread that names it, as in a record.
 */
#include "file/schedule_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 1 << 28 };

/* The stacks of the file; at[0] is number 1. A 0 ends each, unless it has RD_STACK_MAX frames. */
struct stack_table {
    rd_place (*at)[RD_STACK_MAX];
    uint32_t count;
};

/* Copies stack `number` (0: none), or its first `max` frames; returns the number of frames. */
static uint32_t copy_stack(const struct stack_table *table, uint32_t number, rd_place *to, uint32_t max) {
    RD_ASSERT(number <= table->count && max <= RD_STACK_MAX);
    memset(to, 0, max * sizeof *to);
    uint32_t n = 0;
    if (!table->at)
        return 0;
    for (; number && n < max && table->at[number - 1][n]; n++)
        to[n] = table->at[number - 1][n];
    return n;
}

static void read_stack(struct rd_lines *in, const struct rd_schedule *s, struct stack_table *table) {
    uint64_t number = rd_lines_number(in, "stack", STEPS_MAX);
    if (!in->failed && number != (uint64_t)table->count + 1)
        rd_lines_fail(in, in->line, "stack %" PRIu64 " is out of order", number);
    table->at = rd_parse_grow(in, table->at, table->count, sizeof *table->at);
    rd_place stack[RD_STACK_MAX] = {0};
    uint32_t n = 0;
    while (!in->failed && in->at < in->eol) {
        if (n == RD_STACK_MAX)
            rd_lines_fail(in, in->line, "a stack of more than %d frames", RD_STACK_MAX);
        else
            stack[n++] = rd_parse_place(in, s, "frame");
    }
    if (!in->failed)
        memcpy(table->at[table->count++], stack, sizeof stack);
}

static uint8_t operation(struct rd_lines *in) {
    const char *name = rd_lines_word(in);
    unsigned op = rd_op_by_name(name);
    if (op >= RD_OP_KINDS)
        rd_lines_fail(in, in->line, "unknown operation '%s'", name);
    return (uint8_t)op;
}

static void read_value(struct rd_lines *in, const struct rd_schedule *s, struct rd_step *t) {
    const char *text = rd_lines_word(in);
    if (text[0] == '@') {
        t->value = rd_parse_place_text(in, s, text + 1, "value");
        t->flags |= RD_STEP_VALUE2;
    } else if (text[0] == '=') {
        t->value = rd_lines_parse(in, strncmp(text, "=0x", 3) == 0 ? text + 3 : "", "value", 16, UINT64_MAX);
        t->flags |= RD_STEP_HAS_VALUE;
    } else if (text[0] == '#') {
        t->value = rd_lines_parse(in, text + 1, "value", 10, UINT64_MAX);
    } else if (!in->failed && strcmp(text, "-") != 0) {
        rd_lines_fail(in, in->line, "bad value '%s'", text);
    }
}

static void read_flags(struct rd_lines *in, struct rd_step *t) {
    const char *text = rd_lines_word(in);
    if (strcmp(text, "-") == 0 || in->failed)
        return;
    if (text[0] == 0)
        rd_lines_fail(in, in->line, "the line is too short");
    for (const char *p = text; *p; p++) {
        if (*p == 's')
            t->flags |= RD_STEP_SWITCH;
        else if (*p == 'p')
            t->flags |= RD_STEP_PREEMPTION;
        else if (*p == 'f')
            t->flags |= RD_STEP_FORCED;
        else
            rd_lines_fail(in, in->line, "bad flags '%s'", text);
    }
}

static void read_step(struct rd_lines *in, struct rd_schedule *s, const struct stack_table *table) {
    struct rd_step t = {0};
    uint64_t n = rd_lines_number(in, "step", STEPS_MAX);
    if (!in->failed && n != (uint64_t)s->step_count + 1)
        rd_lines_fail(in, in->line, "step %" PRIu64 " where step %u was expected", n, s->step_count + 1);
    t.tid = rd_parse_thread(in, s, "thread", false);
    t.op = operation(in);
    if (t.op == RD_OP_NONE)
        rd_lines_fail(in, in->line, "a step without an operation");
    t.place = rd_parse_place(in, s, "place");
    t.pc = rd_parse_place(in, s, "pc");
    t.size = (uint32_t)rd_lines_number(in, "size", UINT32_MAX);
    read_value(in, s, &t);
    t.result = (uint8_t)rd_lines_number(in, "result", UINT8_MAX);
    t.ncand = (uint16_t)rd_lines_number(in, "number of candidates", RD_TID_MAX);
    t.fp = (uint32_t)rd_lines_parse(in, rd_lines_word(in), "fingerprint", 16, UINT32_MAX);
    t.order = (uint8_t)rd_lines_number(in, "memory order", UINT8_MAX);
    read_flags(in, &t);
    uint32_t stack = (uint32_t)rd_lines_number(in, "stack", table->count);
    rd_lines_end(in);
    if (!in->failed && (rd_op_flags(t.op) & RD_F_VALUE) && t.value >= t.ncand)
        rd_lines_fail(in, in->line, "choice %" PRIu64 " of %u", t.value, t.ncand);
    s->steps = rd_parse_grow(in, s->steps, s->step_count, sizeof *s->steps);
    if (table->count)
        s->step_stacks = rd_parse_grow(in, s->step_stacks, s->step_count, sizeof *s->step_stacks);
    if (in->failed)
        return;
    if (table->count)
        copy_stack(table, stack, s->step_stacks[s->step_count], RD_STEP_STACK);
    s->steps[s->step_count++] = t;
}

static void read_pending(struct rd_lines *in, struct rd_schedule *s, const struct stack_table *table) {
    rd_tid tid = rd_parse_thread(in, s, "thread", false);
    if (in->failed)
        return;
    struct rd_thread_info *t = &s->threads[tid];
    const char *state = rd_lines_word(in);
    bool finished = strcmp(state, "finished") == 0;
    t->state = finished ? RD_T_FINISHED : RD_T_READY;
    t->enabled = strcmp(state, "ready") == 0;
    if (!finished && !t->enabled && strcmp(state, "blocked") != 0)
        rd_lines_fail(in, in->line, "bad state '%s'", state);
    if (!finished) {
        t->pending.kind = operation(in);
        t->pending.place = rd_parse_place(in, s, "place");
        t->pending.place2 = rd_parse_place(in, s, "place");
        t->pending.pc = rd_parse_place(in, s, "pc");
        t->pending.size = (uint32_t)rd_lines_number(in, "size", UINT32_MAX);
        t->pending.arg = rd_lines_number(in, "argument", UINT64_MAX);
        t->holder = rd_parse_thread(in, s, "holder", true);
        t->held_step = (uint32_t)rd_lines_number(in, "step", UINT32_MAX);
        t->held_pc = rd_parse_place(in, s, "pc");
        uint32_t stack = (uint32_t)rd_lines_number(in, "stack", table->count);
        if (!in->failed && s->stacks)
            t->frames = (uint16_t)copy_stack(table, stack, s->stacks[tid], RD_STACK_MAX);
        if (!in->failed && t->held_step > s->step_count)
            rd_lines_fail(in, in->line, "step %u is not in the file", t->held_step);
    }
    rd_lines_end(in);
}

static void read_end(struct rd_lines *in, struct rd_schedule *s) {
    uint64_t sum =
        rd_schedule_checksum(RD_CHECKSUM_START, in->bytes, in->failed ? 0 : (size_t)(in->at - in->bytes));
    rd_lines_expect(in, "end");
    uint64_t steps = rd_lines_number(in, "number of steps", UINT64_MAX);
    uint64_t stored = rd_lines_parse(in, rd_lines_word(in), "checksum", 16, UINT64_MAX);
    rd_lines_end(in);
    if (!in->failed && steps != s->step_count)
        rd_lines_fail(in, 0, "is damaged: it has %u steps, its end line says %" PRIu64, s->step_count, steps);
    if (!in->failed && stored != sum)
        rd_lines_fail(in, 0, "is damaged: its checksum does not match");
    if (!in->failed && rd_lines_next(in))
        rd_lines_fail(in, in->line, "text after the end line");
}

void rd_parse_execution(struct rd_lines *in, struct rd_schedule *s) {
    struct stack_table table = {0};
    while (!in->failed && rd_lines_is(in, "stack")) {
        read_stack(in, s, &table);
        rd_lines_next(in);
    }
    if (!in->failed && table.count) {
        s->stacks = calloc(s->thread_count, sizeof *s->stacks);
        if (!s->stacks)
            rd_lines_fail(in, 0, "does not fit into memory");
    }
    while (!in->failed && rd_lines_is(in, "step")) {
        read_step(in, s, &table);
        rd_lines_next(in);
    }
    while (!in->failed && rd_lines_is(in, "pending")) {
        read_pending(in, s, &table);
        rd_lines_next(in);
    }
    rd_parse_signature(in, s);
    read_end(in, s);
    free(table.at);
}
