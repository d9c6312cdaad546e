/*
 * schedule_write_step.c - the line of a step in a schedule file. A file can have millions of steps, so their lines
 * are put together without printf.
 */
#include "file/schedule.h"

/* Each of these functions appends to the line and returns its new end. */
static char *text(char *to, const char *s) {
    while (*s)
        *to++ = *s++;
    return to;
}

/* A number with at least `least` digits. */
static char *number(char *to, uint64_t v, unsigned base, unsigned least) {
    char digits[24];
    unsigned n = 0;
    for (; v || n < least; v /= base)
        digits[n++] = "0123456789abcdef"[v % base];
    while (n)
        *to++ = digits[--n];
    return to;
}

static char *decimal(char *to, uint64_t v) {
    *to++ = ' ';
    return number(to, v, 10, 1);
}

/* The value of a step. Its meaning depends on the flags, and its first character says which: a place, a value, a
 * count. */
static char *value(char *to, const struct rd_step *s, const char *place) {
    if (rd_access_mode_has_extents(
            s->order)) /* `value` is the address of a list of extents, which only the search has */
        return text(to, " -");
    bool counts = s->value || s->op == RD_OP_CREATE || s->op == RD_OP_JOIN || rd_op_flags(s->op) & RD_F_VALUE;
    if (s->flags & RD_STEP_VALUE2)
        return text(text(to, " @"), place);
    if (s->flags & RD_STEP_HAS_VALUE)
        return number(text(to, " =0x"), s->value, 16, 1);
    return counts ? number(text(to, " #"), s->value, 10, 1) : text(to, " -");
}

static char *flags(char *to, unsigned set) {
    to = text(to, set & (RD_STEP_SWITCH | RD_STEP_PREEMPTION | RD_STEP_FORCED) ? " " : " -");
    to = text(to, set & RD_STEP_SWITCH ? "s" : "");
    to = text(to, set & RD_STEP_PREEMPTION ? "p" : "");
    return text(to, set & RD_STEP_FORCED ? "f" : "");
}

void rd_schedule_step_line(char to[RD_STEP_LINE], const struct rd_step *s, uint32_t at,
                           const struct rd_step_names *names) {
    char *p = decimal(text(to, "step"), at);
    p = decimal(p, s->tid);
    p = text(text(p, " "), rd_op_name(s->op));
    p = text(text(p, " "), names->place);
    p = text(text(p, " "), names->pc);
    p = value(decimal(p, s->size), s, names->value);
    p = decimal(decimal(p, s->result), s->ncand);
    p = number(text(p, " "), s->fp, 16, 8);
    p = flags(decimal(p, s->order), s->flags);
    p = text(decimal(p, names->stack), "\n");
    *p = 0;
    RD_CHECK(p < to + RD_STEP_LINE);
}
