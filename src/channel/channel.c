/*
 * channel.c - see channel.h. Each array begins at a page of its own, so that pages of arrays which are not used are
 * never touched.
 */
#include "channel/channel.h"

#include "base/text.h"
#include "trace/event.h"
#include "trace/profile.h"

#include <string.h>
#include <sys/wait.h>

/* Returns the offset of the next array, and moves *at behind it. */
static uint64_t place(uint64_t *at, uint64_t bytes) {
    uint64_t offset = (*at + RD_CHANNEL_PAGE - 1) & ~(uint64_t)(RD_CHANNEL_PAGE - 1);
    *at = offset + bytes;
    return offset;
}

uint64_t rd_channel_layout(struct rd_channel *c, const struct rd_channel_size *size) {
    uint64_t at = sizeof *c;
    RD_CHECK(size->samples <= RD_SAMPLES_MAX && size->orders <= RD_ORDERS_MAX);
    c->magic = RD_CHANNEL_MAGIC;
    c->version = RD_CHANNEL_VERSION;
    c->header_size = sizeof *c;
    c->prefix_max = c->steps_max = size->steps;
    c->cands_max = size->steps * 8 + RD_TID_MAX;
    c->store_max = size->store;
    c->prefix_at = place(&at, c->prefix_max * sizeof(struct rd_choice));
    c->sleep_at = place(&at, RD_TID_MAX * sizeof(rd_tid));
    c->weight_at = place(&at, RD_TID_MAX * sizeof(struct rd_weight));
    c->track_at = place(&at, RD_TRACKS_MAX * sizeof(struct rd_track));
    c->track_store_at = place(&at, RD_TRACKS_STORED * sizeof(struct rd_track));
    c->profile_at = place(&at, sizeof(struct rd_profile));
    c->steps_at = place(&at, c->steps_max * sizeof(struct rd_step));
    c->cands_at = place(&at, c->cands_max * sizeof(rd_tid));
    c->threads_at = place(&at, RD_TID_MAX * sizeof(struct rd_thread_info));
    c->store_at = place(&at, c->store_max * sizeof(struct rd_step));
    c->samples_max = size->samples;
    c->samples_at = place(&at, c->samples_max * sizeof(struct rd_sample));
    c->orders_max = size->orders;
    c->orders_at = place(&at, c->orders_max * sizeof(struct rd_order_count));
    c->suppress_count = size->suppress;
    c->suppress_at = place(&at, c->suppress_count * sizeof(struct rd_suppressed));
    c->shared_count = size->shared;
    c->shared_at = place(&at, c->shared_count * sizeof(struct rd_shared));
    c->expected_size = size->expected;
    c->rules_size = size->rules + 1;
    c->rules_at = place(&at, c->rules_size);
    c->endings_at = c->texts_at = c->output_at = c->expected_at = 0;
    if (size->outcomes) {
        c->endings_at = place(&at, RD_ENDINGS_MAX * sizeof(struct rd_ending));
        c->texts_at = place(&at, RD_TEXTS_MAX);
        c->output_at = place(&at, RD_OUTPUT_MAX);
        c->expected_at = place(&at, RD_OUTPUT_MAX);
    }
    c->class_log_at =
        size->class_log ? place(&at, (uint64_t)RD_CLASSES_LOGGED * sizeof(struct rd_logged_class)) : 0;
    c->step_stacks_at = c->stacks_at = c->parts_at = c->blocks_at = 0;
    if (size->detail) {
        c->step_stacks_at = place(&at, c->steps_max * sizeof(uint64_t[RD_STEP_STACK]));
        c->stacks_at = place(&at, RD_TID_MAX * sizeof(uint64_t[RD_STACK_MAX]));
        c->parts_at = place(&at, RD_STACK_PARTS_MAX * sizeof(struct rd_stack_part));
        c->blocks_at = place(&at, RD_USED_BLOCKS_MAX * sizeof(struct rd_used_block));
    }
    c->size = place(&at, 0);
    return c->size;
}

struct rd_choice *rd_channel_prefix(struct rd_channel *c) {
    return (struct rd_choice *)((char *)c + c->prefix_at);
}
rd_tid *rd_channel_sleep(struct rd_channel *c) { return (rd_tid *)((char *)c + c->sleep_at); }

struct rd_weight *rd_channel_weight(struct rd_channel *c) {
    return (struct rd_weight *)((char *)c + c->weight_at);
}
struct rd_track *rd_channel_track(struct rd_channel *c) {
    return (struct rd_track *)((char *)c + c->track_at);
}
struct rd_track *rd_channel_track_store(struct rd_channel *c) {
    return (struct rd_track *)((char *)c + c->track_store_at);
}
struct rd_profile *rd_channel_profile(struct rd_channel *c) {
    return (struct rd_profile *)((char *)c + c->profile_at);
}
struct rd_step *rd_channel_store(struct rd_channel *c) {
    return (struct rd_step *)((char *)c + c->store_at);
}

struct rd_sample *rd_channel_samples(struct rd_channel *c) {
    return (struct rd_sample *)((char *)c + c->samples_at);
}

struct rd_order_count *rd_channel_orders(struct rd_channel *c) {
    return (struct rd_order_count *)((char *)c + c->orders_at);
}

struct rd_suppressed *rd_channel_suppress(struct rd_channel *c) {
    return (struct rd_suppressed *)((char *)c + c->suppress_at);
}

struct rd_shared *rd_channel_shared(struct rd_channel *c) {
    return (struct rd_shared *)((char *)c + c->shared_at);
}

char *rd_channel_rules(struct rd_channel *c) { return (char *)c + c->rules_at; }

struct rd_logged_class *rd_channel_class_log(struct rd_channel *c) {
    return c->class_log_at ? (struct rd_logged_class *)((char *)c + c->class_log_at) : NULL;
}

struct rd_ending *rd_channel_endings(struct rd_channel *c) {
    return (struct rd_ending *)((char *)c + c->endings_at);
}
char *rd_channel_texts(struct rd_channel *c) { return (char *)c + c->texts_at; }
char *rd_channel_output(struct rd_channel *c) { return (char *)c + c->output_at; }
char *rd_channel_expected(struct rd_channel *c) { return (char *)c + c->expected_at; }

struct rd_record rd_channel_record(struct rd_channel *c) {
    char *base = (char *)c;
    struct rd_record r = {
        .out = &c->execution.outcome,
        .steps = (struct rd_step *)(base + c->steps_at),
        .cands = (rd_tid *)(base + c->cands_at),
        .threads = (struct rd_thread_info *)(base + c->threads_at),
        .prefix = rd_channel_prefix(c),
        .sleep = rd_channel_sleep(c),
        .weight = rd_channel_weight(c),
        .track = rd_channel_track(c),
        .profile = rd_channel_profile(c),
        .annotations = c->execution.annotations,
        .annotation_count = RD_MIN(c->execution.annotation_count, (uint32_t)RD_ANNOTATIONS_MAX),
        .cxx20 = &c->config.cxx20,
        .inline_atomics = c->config.inline_atomics,
        .modules = c->execution.modules,
        .module_count = RD_MIN(c->execution.module_count, (uint32_t)RD_MODULES_MAX),
        .steps_max = (uint32_t)c->steps_max,
        .cands_max = (uint32_t)c->cands_max,
        .step_stacks = c->step_stacks_at ? (void *)(base + c->step_stacks_at) : NULL,
        .stacks = c->stacks_at ? (void *)(base + c->stacks_at) : NULL,
        .parts = c->parts_at ? (struct rd_stack_part *)(base + c->parts_at) : NULL,
        .blocks = c->blocks_at ? (struct rd_used_block *)(base + c->blocks_at) : NULL,
    };
    return r;
}

void rd_channel_set_canaries(struct rd_channel *c) {
    c->canary_first = c->canary_live = c->canary_result = c->canary_last = RD_CHANNEL_CANARY;
}

bool rd_channel_has_canaries(const struct rd_channel *c) {
    return c->canary_first == RD_CHANNEL_CANARY && c->canary_live == RD_CHANNEL_CANARY &&
           c->canary_result == RD_CHANNEL_CANARY && c->canary_last == RD_CHANNEL_CANARY;
}

static bool is_outcome_sound(const struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    bool sound = o->verdict < RD_VERDICTS && o->steps <= c->steps_max && o->cands <= c->cands_max &&
                 o->threads <= RD_TID_MAX && o->known_count <= RD_KNOWN_MAX && o->noted_count <= RD_NOTED_MAX &&
                 o->prefix_used <= c->execution.plan.prefix_count && o->retried <= o->steps &&
                 o->finding.kind < RD_FINDING_KINDS && o->finding.circle_count <= RD_CIRCLE_MAX;
    for (uint32_t i = 0; sound && i < o->noted_count; i++)
        sound = o->noted[i].steps <= o->steps;
    return sound;
}

static bool is_summary_sound(const struct rd_channel *c) {
    const struct rd_summary *s = &c->result.summary;
    return s->found_count <= RD_FOUND_MAX && s->store_used <= c->store_max && s->tracks_used <= RD_TRACKS_STORED &&
           s->ending_count <= RD_ENDINGS_MAX && s->texts_used <= RD_TEXTS_MAX &&
           s->coverage.sample_count <= c->samples_max && s->coverage.order_count <= c->orders_max &&
           s->opaque_count <= RD_OPAQUE_MAX && s->classes_logged <= s->executions;
}

bool rd_channel_is_sound(const struct rd_channel *c) {
    const struct rd_execution *e = &c->execution;
    return rd_channel_has_canaries(c) && e->plan.prefix_count <= c->prefix_max &&
           e->plan.track_count <= RD_TRACKS_MAX && e->module_count <= RD_MODULES_MAX &&
           e->path_count <= RD_TID_MAX && e->annotation_count <= RD_ANNOTATIONS_MAX &&
           e->annotation_kept <= e->annotation_count && e->observed_count <= RD_OBSERVED_MAX &&
           e->observed_kept <= e->observed_count && is_outcome_sound(c) && is_summary_sound(c);
}

const char *rd_channel_check(const struct rd_channel *c, uint64_t size) {
    if (size < sizeof *c || c->magic != RD_CHANNEL_MAGIC)
        return "it is not a raddle channel";
    if (c->version != RD_CHANNEL_VERSION || c->header_size != sizeof *c)
        return "driver and library are of different versions";
    return c->size > size ? "it is shorter than it says" : NULL;
}

uint64_t rd_channel_hash_steps(struct rd_channel *c, uint32_t count) {
    const struct rd_step *s = rd_channel_record(c).steps;
    uint64_t h = count;
    for (uint32_t i = 0; i < count; i++) {
        h = rd_hash2(h, rd_hash2(s[i].place, s[i].pc));
        h = rd_hash2(h, (uint64_t)s[i].fp << 32 | (uint64_t)s[i].tid << 8 | s[i].op);
    }
    return h;
}

void rd_channel_reset(struct rd_channel *c) {
    struct rd_record r = rd_channel_record(c);
    uint32_t threads =
        RD_MIN(RD_MAX(c->execution.outcome.threads, 1u), (uint32_t)RD_TID_MAX); /* as a program left it */
    memset(r.threads, 0, threads * sizeof *r.threads);
    memset(&c->execution.outcome, 0, offsetof(struct rd_outcome, finding));
    c->execution.outcome.finding.kind = RD_NO_FINDING;
    c->execution.outcome.message[0] = 0;
    c->execution.annotation_count = c->execution.annotation_kept;
    c->execution.observed_count = c->execution.observed_kept;
    c->execution.flushed_from = 0;
    c->live.running = 0;
    c->live.shot_by_watchdog = 0;
    c->live.running_task = 0;
    c->live.stuck.how = RD_TASK_UNKNOWN;
}

/* Computes the threads of an execution from its steps: its process was killed before it could record them. */
static void threads_of_steps(struct rd_channel *c) {
    struct rd_record r = rd_channel_record(c);
    struct rd_outcome *o = &c->execution.outcome;
    o->threads = o->alive_max = 1;
    o->steps = RD_MIN(o->steps, r.steps_max); /* a program may have written there */
    for (uint32_t i = 0; i < o->steps; i++) {
        const struct rd_step *s = &r.steps[i];
        rd_tid created = rd_event_of_step(s).target;
        if (s->op != RD_OP_CREATE || created >= RD_TID_MAX)
            continue;
        uint16_t ordinal = 1;
        for (uint32_t t = 1; t < o->threads; t++)
            ordinal += r.threads[t].ordinal && r.threads[t].parent == s->tid;
        r.threads[created].parent = s->tid;
        r.threads[created].ordinal = ordinal;
        o->threads = RD_MAX(o->threads, created + 1u);
        o->alive_max++; /* an upper bound: it is not known which threads had ended by then */
    }
}

/* Refuses an execution that the watchdog killed, whose process could not say where it was. */
static void refuse_shot(struct rd_channel *c, rd_tid tid) {
    struct rd_outcome *o = &c->execution.outcome;
    struct rd_text t;
    o->verdict = RD_REFUSED;
    rd_text_init(&t, o->message, sizeof o->message);
    if (o->unseen & RD_UNSEEN_EXEC) {
        rd_text_str(
            &t, "it was replaced by another program (exec), which raddle does not control and which did not end "
                "in time; raise --max-seconds, or test that program by itself");
        return;
    }
    rd_text_str(&t, "T");
    rd_text_dec(&t, tid);
    if (c->live.stuck.how == RD_TASK_CALL) {
        rd_text_str(&t, " is blocked for real, and not to be interrupted, in the system call ");
        rd_text_str(&t, c->live.stuck.text);
        o->unseen |= RD_UNSEEN_CALL;
    } else {
        rd_text_str(&t,
                    " does not end, and does not heed the signal that asks where it is: code that raddle does not "
                    "see keeps signals away");
    }
    rd_text_str(&t, "; raise --max-seconds if it only takes its time");
}

void rd_outcome_by_status(struct rd_channel *c, int status) {
    struct rd_outcome *o = &c->execution.outcome;
    struct rd_finding *f = &o->finding;
    rd_tid tid = c->live.running;
    if (o->started && !o->threads) {
        threads_of_steps(c);
        o->unseen |= WIFSIGNALED(status) ? RD_UNSEEN_DEATH : RD_UNSEEN_END;
    }
    *f = (struct rd_finding){.tid = tid};
    o->verdict = RD_FOUND;
    if (WIFSIGNALED(status) && c->live.abandoned) {
        o->verdict = RD_GIVEN_UP;
    } else if (WIFSIGNALED(status) && c->live.shot_by_watchdog) {
        refuse_shot(c, tid);
    } else if (WIFSIGNALED(status)) {
        f->kind = RD_CRASH;
        f->signal = WTERMSIG(status);
        f->key = rd_hash2(RD_CRASH, (uint64_t)f->signal);
    } else if (WEXITSTATUS(status) != c->config.expect_status) {
        f->kind = RD_EXIT_STATUS;
        f->status = WEXITSTATUS(status);
        f->key = rd_hash2(RD_EXIT_STATUS, (uint64_t)f->status);
        f->pc = o->exit_pc;
        f->tid = o->exiting ? o->exit_tid : tid;
    } else if (c->execution.plan.strict && o->prefix_used < c->execution.plan.prefix_count) {
        o->verdict = RD_DIVERGED;
        o->divergence = (struct rd_divergence){.step = o->steps, .tid = RD_TID_NONE, .why = RD_DIV_EARLY};
        if (o->prefix_used < c->prefix_max) /* a program may have written there */
            o->divergence.expected = rd_channel_prefix(c)[o->prefix_used];
    } else {
        o->verdict = RD_PASSED;
    }
}

void rd_channel_progress(const struct rd_channel *c, struct rd_progress *to) {
    memcpy(to->strategy, c->config.strategy, sizeof to->strategy);
    to->strategy[sizeof to->strategy - 1] = 0;
    to->executions_max = c->config.executions_max;
    to->time_max_ns = c->live.time_max_ns;
    to->summary = c->result.summary;
    rd_summary_clamp(&to->summary);
    to->summary.found_count = RD_MIN(to->summary.found_count, (uint32_t)RD_FOUND_MAX);
    to->warnings = 0;
    for (uint32_t i = 0; i < to->summary.found_count; i++)
        to->warnings += rd_is_warning(&c->config, &c->result.found[i].finding);
}
