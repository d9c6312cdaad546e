/* bound.c - see bound.h. */
#include "search/bounded/bound.h"

#include "base/text.h"

void rd_bound_finish(struct rd_bound *b, int64_t bound) {
    if (bound <= b->finished)
        return;
    b->finished = bound;
    b->covered = b->executions;
}

void rd_bound_end(struct rd_bound *b, int64_t bound) {
    b->complete = !b->beyond;
    b->ended = true;
    b->finished = bound;
    b->covered = b->executions;
}

void rd_bound_count(struct rd_text *t, uint64_t n) {
    if (n >= 1000)
        rd_bound_count(t, n / 1000);
    if (n >= 1000) {
        rd_text_char(t, ',');
        rd_text_char(t, (char)('0' + n / 100 % 10));
        rd_text_char(t, (char)('0' + n / 10 % 10));
        rd_text_char(t, (char)('0' + n % 10));
    } else {
        rd_text_dec(t, (int64_t)n);
    }
}

static void covered(struct rd_text *t, const struct rd_bound *b) {
    rd_text_str(t, " was covered (");
    rd_bound_count(t, b->covered);
    rd_text_str(t, b->covered == 1 ? " execution)" : " executions)");
}

/* Writes the phase: the executions whose cost is the bound after the finished one. */
static void say_phase(const struct rd_bound *b, const char *unit, struct rd_claim *c) {
    struct rd_text t;
    rd_text_init(&t, c->phase, sizeof c->phase);
    if (b->finished < 0) {
        rd_text_str(&t, "executions without a ");
        rd_text_str(&t, unit);
        return;
    }
    rd_text_str(&t, "executions with ");
    rd_bound_count(&t, (uint64_t)b->finished + 1);
    rd_text_char(&t, ' ');
    rd_text_str(&t, unit);
    rd_text_str(&t, b->finished ? "s" : "");
}

/* Begins the sentence. Returns true if no more has to be written. */
static bool say_all(const struct rd_bound *b, struct rd_claim *c, struct rd_text *t) {
    rd_text_init(t, c->proved, sizeof c->proved);
    if (c->incomplete)
        return true;
    c->complete = b->complete;
    if (b->complete) {
        rd_text_str(t, "every execution");
        covered(t, b);
    }
    return b->complete || b->finished < 0;
}

void rd_bound_words(const struct rd_bound *b, const char *unit, struct rd_claim *c) {
    struct rd_text t;
    say_phase(b, unit, c);
    if (say_all(b, c, &t))
        return;
    rd_text_str(&t, b->finished ? "every execution with at most " : "every execution without a ");
    if (b->finished)
        rd_bound_count(&t, (uint64_t)b->finished);
    rd_text_str(&t, b->finished ? " " : "");
    rd_text_str(&t, unit);
    rd_text_str(&t, b->finished > 1 ? "s" : "");
    covered(&t, b);
    rd_text_str(&t, "; a bug that was missed needs at least ");
    rd_bound_count(&t, (uint64_t)b->finished + 1);
}

static void at_most(struct rd_text *t, uint64_t n, const char *unit) {
    rd_text_str(t, "at most ");
    rd_bound_count(t, n);
    rd_text_str(t, unit);
    rd_text_str(t, n == 1 ? "" : "s");
}

void rd_bound_var_words(const struct rd_bound *b, uint64_t variables, bool literal, struct rd_claim *c) {
    struct rd_text t;
    say_phase(b, "preemption", c);
    rd_text_init(&t, c->proved, sizeof c->proved);
    if (c->incomplete)
        return;
    bool every = !b->beyond && b->ended; /* with any number of preemptions */
    rd_text_str(&t, "every execution with ");
    if (every)
        rd_text_str(&t, "preemptions");
    else
        at_most(&t, (uint64_t)b->finished, " preemption");
    if (literal) {
        rd_text_str(&t, ", all but the first ");
        rd_bound_count(&t, variables);
        rd_text_str(&t, " at the variables of those,");
    } else {
        rd_text_str(&t, " at ");
        at_most(&t, variables, " variable");
    }
    covered(&t, b);
    rd_text_str(&t, every ? "; a bug that was missed needs more variables"
                          : "; a bug that was missed needs more of either");
}

void rd_bound_depth_words(const struct rd_bound *b, struct rd_claim *c) {
    struct rd_text t;
    if (say_all(b, c, &t))
        return;
    rd_text_str(&t, "what every execution does in its first ");
    rd_bound_count(&t, (uint64_t)b->finished);
    rd_text_str(&t, b->finished == 1 ? " operation" : " operations");
    covered(&t, b);
    rd_text_str(&t, "; a bug that was missed comes later");
}
