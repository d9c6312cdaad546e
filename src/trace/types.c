/* types.c - names of operations and findings, and conversions between parts of the data model. */
#include "trace/types.h"

#include "base/text.h"

#include <string.h>

static const char *const ops[] = {
#define RD_OP(id, name, flags) name,
#include "trace/ops.def"
#undef RD_OP
};
static_assert(RD_COUNT(ops) == RD_OP_KINDS, "one row an operation");

const uint16_t rd_op_flag_table[256] = {
#define RD_OP(id, name, flags) (flags),
#include "trace/ops.def"
#undef RD_OP
};

static const struct {
    const char *name, *meaning;
} findings[] = {
#define RD_FINDING(id, name, meaning) {name, meaning},
#include "trace/findings.def"
#undef RD_FINDING
};
static_assert(RD_COUNT(findings) == RD_FINDING_KINDS, "one row a kind");

const char *rd_op_name(unsigned kind) { return kind < RD_OP_KINDS ? ops[kind] : "?"; }

unsigned rd_op_by_name(const char *name) {
    unsigned k = 0;
    while (k < RD_OP_KINDS && strcmp(ops[k], name) != 0)
        k++;
    return k;
}

const char *rd_finding_name(unsigned kind) { return kind < RD_FINDING_KINDS ? findings[kind].name : "?"; }
const char *rd_finding_meaning(unsigned kind) { return kind < RD_FINDING_KINDS ? findings[kind].meaning : ""; }

unsigned rd_finding_by_name(const char *name) {
    unsigned k = 0;
    while (k < RD_FINDING_KINDS && strcmp(findings[k].name, name) != 0)
        k++;
    return k;
}

struct rd_finding rd_noted_finding(const struct rd_noted *n) {
    struct rd_finding f = {.kind = RD_MISUSE, .tid = n->tid, .pc = n->pc, .key = n->key};
    rd_text_copy(f.message, sizeof f.message, "a thread ends with a mutex locked; this is where it locked it");
    return f;
}

bool rd_is_heap_misuse(const struct rd_finding *f) {
    return f->kind == RD_MISUSE && strncmp(f->message, "free() of ", strlen("free() of ")) == 0;
}

void rd_choices_of_steps(struct rd_choice *to, const struct rd_step *steps, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_step *s = &steps[i];
        bool value = rd_op_flags(s->op) & RD_F_VALUE;
        to[i] = (struct rd_choice){
            .place = s->place, .pc = s->pc, .fp = s->fp, .pick = value ? (uint16_t)s->value : s->tid, .op = s->op};
    }
}
