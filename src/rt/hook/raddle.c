/*
 * raddle.c - the functions behind the macros of <raddle.h>.
 *
 * A raddle_choose before the first thread creation is the checkpoint, because executions differ from there on. An
 * assumption that holds is no operation; one that fails is an operation that never completes (engine/verdict.c).
 * Observed values and names are no operations: the functions write them into the channel at once.
 */
#include "base/text.h"
#include "rt/hook/hook.h"
#include "trace/place.h"

#include <string.h>

enum { WAYS_MAX = 1024 }; /* as many as threads: searches count the ways of a choice like threads */
static_assert((int)WAYS_MAX == (int)RD_TID_MAX, "as many ways as threads");
static_assert(RD_OBSERVED_MAX == 256 && RD_ANNOTATIONS_MAX == 1024, "the messages contain these numbers");

RD_API(int, raddle_rt_running, void) { return rd_self != NULL; }

RD_API(void, raddle_rt_assert, const char *expression, const char *file, unsigned line, const char *function) {
    if (!rd_rt_active())
        return;
    char what[512];
    struct rd_text t;
    rd_text_init(&t, what, sizeof what);
    rd_text_str(&t, "raddle_assert(");
    rd_text_str(&t, expression);
    rd_text_str(&t, ") failed");
    rd_hook_failed(what, file, line, function, RD_PC());
}

RD_API(int, raddle_rt_choose, int n) {
    if (!rd_rt_active())
        return 0;
    if (n < 1)
        rd_hook_misuse("raddle_choose: there is no value to choose, n must be at least 1", RD_PC());
    if (n > WAYS_MAX)
        rd_rt_refuse("raddle_choose: more than 1024 values to choose from");
    if (n == 1)
        return 0;
    if (!rd_rt.threaded)
        rd_rt_checkpoint();
    uint64_t way = rd_rt_op((struct rd_op){.kind = RD_OP_CHOOSE, .arg = (uint64_t)n, .pc = RD_PC()}).value;
    RD_CHECK(way < (uint64_t)n);
    return (int)way;
}

RD_API(void, raddle_rt_assume, void) {
    if (rd_rt_active())
        rd_rt_op((struct rd_op){.kind = RD_OP_ASSUME, .pc = RD_PC()});
}

RD_API(void, raddle_rt_atomic_begin, void) {
    if (!rd_rt_active())
        return;
    if (rd_rt.channel->config.no_atomic)
        rd_rt_refuse("raddle_atomic_begin: this strategy must be free to switch threads anywhere; use another one, "
                     "such as dfs, icb or random");
    if (rd_rt.threaded && !rd_rt.engine.world.threads[rd_self->tid].atomic)
        rd_rt_op((struct rd_op){.kind = RD_OP_ATOMIC_BEGIN, .pc = RD_PC()}); /* the last point before the block */
    rd_rt.engine.world.threads[rd_self->tid].atomic++;
}

RD_API(void, raddle_rt_atomic_end, void) {
    if (!rd_rt_active())
        return;
    if (rd_rt.engine.world.threads[rd_self->tid].atomic == 0)
        rd_hook_misuse("raddle_atomic_end without a raddle_atomic_begin in this thread", RD_PC());
    rd_rt.engine.world.threads[rd_self->tid].atomic--;
}

RD_API(void, raddle_rt_observe, const char *name, long long value) {
    if (!rd_rt_active())
        return;
    struct rd_channel *c = rd_rt.channel;
    if (c->execution.observed_count == RD_OBSERVED_MAX)
        rd_rt_refuse("raddle_observe: more than 256 values in one execution");
    RD_CHECK(c->execution.observed_count < RD_OBSERVED_MAX);
    struct rd_observed *o = &c->execution.observed[c->execution.observed_count];
    *o = (struct rd_observed){.value = value, .tid = rd_self->tid};
    rd_text_copy(o->name, sizeof o->name, name);
    c->execution.observed_count++;
}

RD_API(void, raddle_rt_name_thread, const char *name) {
    if (rd_rt_active())
        rd_text_copy(rd_self->name, sizeof rd_self->name, name);
}

void rd_hook_annotation(unsigned kind, const volatile void *address, size_t size, const char *name) {
    if (!rd_rt_active() || size == 0)
        return;
    struct rd_channel *c = rd_rt.channel;
    struct rd_annotation m = {.kind = kind};
    rd_rt_enter();
    rd_place_span(rd_place_of((uintptr_t)address), size, &m.first, &m.last);
    rd_text_copy(m.name, sizeof m.name, name);
    uint32_t i = 0; /* a program may repeat the same annotation */
    while (i < c->execution.annotation_count && memcmp(&c->execution.annotations[i], &m, sizeof m) != 0)
        i++;
    if (i == RD_ANNOTATIONS_MAX)
        rd_rt_refuse("more than 1024 variables are named or declared to race");
    RD_CHECK(i < RD_ANNOTATIONS_MAX);
    c->execution.annotations[i] = m;
    c->execution.annotation_count = RD_MAX(c->execution.annotation_count, i + 1);
    rd_rt_leave();
}

RD_API(void, raddle_rt_name_variable, const volatile void *address, size_t size, const char *name) {
    rd_hook_annotation(RD_ANNOTATION_NAME, address, size, name);
}

RD_API(void, raddle_rt_benign_race, const volatile void *address, size_t size) {
    rd_hook_annotation(RD_ANNOTATION_BENIGN, address, size, "");
}
