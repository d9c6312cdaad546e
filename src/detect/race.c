/*
 * race.c - data races: two accesses to the same memory, one of them a write, not both atomic, and nothing that
 * makes one happen before the other (sync.h). Precise for the execution: every report is a race, and memory on
 * which there is a race in the execution is reported.
 *
 * Of each eight bytes the accesses are kept that later ones can still race with. One that is ordered before
 * another of at least the same bytes, and that races with nothing that the other one does not race with, is
 * forgotten: so there are rarely more than one or two. Accesses of one thread between two releases have the same
 * number (the epochs of FastTrack, Flanagan and Freund, PLDI 2009).
 *
 * Code that is not seen may synchronise, too: a library that instrumented code calls, and one that calls
 * instrumented code, in a thread of its own. A race whose two sides are ordered if all that such code does waits
 * for all that it did before is *unreliable*: it is told as a warning, under a key of its own, so that the same
 * race without such calls in between is still found. Where the program has inline assembly with atomic
 * instructions, which may synchronise without any hook, it is not known which thread was in there when: all its
 * races are unreliable.
 *
 * To free a block is a write of all of it, which races with the use of a synchronisation object in it, too. What
 * was there is forgotten then: the next that is there is another block, and what still uses this one is a finding
 * by itself.
 */
#include "detect/detect.h"
#include "detect/sync.h"
#include "trace/held.h"
#include "trace/module.h"
#include "trace/event.h"
#include "trace/place.h"

#include "base/text.h"

struct access {
    struct access *next;
    uint32_t step, when;  /* when: the thread's stretch */
    uint32_t when_unseen; /* the same in `unseen` */
    rd_tid tid;
    uint8_t mask; /* which of the eight bytes */
    bool write, atomic;
    bool frees, object; /* object: the use of one, of which only the memory must be there */
};

enum { MODULES_MAX = 1024 };

struct races {
    struct rd_arena *arena;
    const struct rd_record *r;
    const struct rd_known *known;
    struct rd_sync sync;
    /* The same, with every call of unknown code as what orders it after all such calls before; only if there are
     * any. */
    struct rd_sync unseen;
    bool any_unseen;
    bool *inside;                            /* by thread: it may be in such code */
    bool *leaves;                            /* by step: after it the thread goes (back) into such code */
    uint64_t foreign[MODULES_MAX / 64];      /* libraries that are not seen */
    uint64_t instrumented[MODULES_MAX / 64]; /* modules whose accesses are steps */
    struct rd_map words;                     /* place / 8 -> struct access *, the newest first */
    struct access *spare;
};

static bool conflict(const struct access *a, const struct access *b) {
    if (a->object || b->object)
        return (a->mask & b->mask) && (a->frees || b->frees);
    return (a->mask & b->mask) && (a->write || b->write) && !(a->atomic && b->atomic);
}

/* Whatever races with `old` later races with `new` too: old is before it, and new does at least as much. */
static bool covered(const struct access *old, const struct access *new) {
    return (old->mask & ~new->mask) == 0 && (new->write || !old->write) && (!new->atomic || old->atomic) &&
           (!new->object || old->object);
}

static uint64_t key_of(const struct rd_step *a, const struct rd_step *b) {
    return rd_hash2(RD_DATA_RACE, rd_hash2(RD_MIN(a->pc, b->pc), RD_MAX(a->pc, b->pc)));
}

/* Are all bytes of the word that the two share in memory of which the program says that its races are meant? */
static bool is_benign(const struct races *s, uint64_t word, uint8_t mask) {
    for (unsigned i = 0; i < 8; i++)
        for (uint32_t k = 0; mask >> i & 1; k++) {
            if (k == s->r->annotation_count)
                return false;
            const struct rd_annotation *m = &s->r->annotations[k];
            if (m->kind == RD_ANNOTATION_BENIGN && word * 8 + i >= m->first && word * 8 + i <= m->last)
                break;
        }
    return true;
}

static void describe(const struct races *s, uint64_t word, const struct access *before, const struct access *now,
                     struct rd_finding *f) {
    const struct rd_step *a = &s->r->steps[before->step], *b = &s->r->steps[now->step];
    *f = (struct rd_finding){.kind = RD_DATA_RACE,
                             .tid = b->tid,
                             .pc = b->pc,
                             .other_tid = a->tid,
                             .other_pc = a->pc,
                             .key = key_of(a, b),
                             .step = now->step + 1,
                             .other_step = before->step + 1};
    if (rd_access_mode_has_extents(a->order) || rd_access_mode_has_extents(b->order)) {
        f->data = word * 8 + (unsigned)__builtin_ctz(before->mask & now->mask);
        f->data_writes = (before->write ? RD_RACE_FIRST_WRITES : 0u) | (now->write ? RD_RACE_SECOND_WRITES : 0u);
    }
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_str(&t, now->frees ? "free" : now->write ? "write" : now->object ? "use" : "read");
    rd_text_str(&t, " of memory that another thread ");
    rd_text_str(&t, before->write ? "writes" : before->object ? "uses" : "reads");
    rd_text_str(&t, now->atomic ? ", not atomically, and" : before->atomic ? " atomically, and" : ", and");
    rd_text_str(&t, " nothing orders the two");
}

/* The access `now` to one word. True: a race that is not known, described in f. */
static bool visit(struct races *s, uint64_t word, struct access **list, const struct access *now,
                  struct rd_finding *f) {
    bool found = false;
    for (struct access **at = list; *at;) {
        struct access *old = *at;
        bool before = rd_sync_before(&s->sync, old->tid, old->when, now->tid);
        if (!found && !before && conflict(old, now)) {
            uint64_t key = key_of(&s->r->steps[old->step], &s->r->steps[now->step]);
            bool benign = s->r->annotation_count && is_benign(s, word, old->mask & now->mask);
            bool doubtful = s->r->inline_atomics ||
                            (s->any_unseen && rd_sync_before(&s->unseen, old->tid, old->when_unseen, now->tid));
            if (benign) /* the same code may race elsewhere */
                key = rd_hash2(key, RD_RACE_BENIGN);
            else if (doubtful)
                key = rd_race_key_unreliable(key);
            found = !rd_known_has(s->known, key);
            if (found) {
                describe(s, word, old, now, f);
                f->key = key;
                f->status = benign ? RD_RACE_BENIGN : doubtful ? RD_RACE_UNRELIABLE : 0;
            }
        }
        if (before && covered(old, now)) {
            *at = old->next;
            old->next = s->spare;
            s->spare = old;
        } else {
            at = &old->next;
        }
    }
    struct access *fresh = s->spare;
    if (fresh)
        s->spare = fresh->next;
    else
        fresh = rd_arena_alloc(s->arena, sizeof *fresh);
    *fresh = *now;
    fresh->next = *list;
    *list = fresh;
    return found;
}

static void forget(struct races *s, struct access **list) {
    while (*list) {
        struct access *old = *list;
        *list = old->next;
        old->next = s->spare;
        s->spare = old;
    }
}

static bool free_word(struct races *s, uint64_t word, uint64_t *slot, struct access *now, struct rd_finding *f) {
    struct access *list = slot ? (struct access *)(uintptr_t)*slot : NULL;
    if (!list)
        return false;
    now->mask = 0xff; /* what is left of the last word is nobody else's */
    bool found = rd_access_mode(s->r->steps[now->step].order) != RD_ACCESS_UNSEEN && visit(s, word, &list, now, f);
    forget(s, &list);
    *slot = 0;
    return found;
}

/* A block is freed. Of a large one most words were never met. */
static bool free_all(struct races *s, uint64_t first, uint64_t last, struct access *now, struct rd_finding *f) {
    uint64_t words = last / 8 - first / 8 + 1;
    bool found = false;
    for (uint64_t i = 0; words > s->words.room && i < s->words.room && !found; i++) {
        struct rd_map_slot *slot = &s->words.slots[i];
        found = slot->key && slot->key - first / 8 < words && free_word(s, slot->key, &slot->value, now, f);
    }
    for (uint64_t i = 0; words <= s->words.room && i < words && !found; i++)
        found = free_word(s, first / 8 + i, rd_map_get(&s->words, first / 8 + i), now, f);
    return found;
}

/* One access to the bytes from first to last. */
static bool visit_all(struct races *s, uint64_t first, uint64_t last, struct access *now, struct rd_finding *f) {
    if (now->frees)
        return free_all(s, first, last, now, f);
    for (uint64_t word = first / 8; word <= last / 8; word++) {
        uint32_t low = word == first / 8 ? first % 8 : 0, high = word == last / 8 ? last % 8 : 7;
        now->mask = (uint8_t)(0xffu >> (7 - high) & 0xffu << low);
        uint64_t *slot = rd_map_put(&s->words, s->arena, word);
        struct access *list = (struct access *)(uintptr_t)*slot;
        bool found = visit(s, word, &list, now, f);
        *slot = (uintptr_t)list;
        if (found)
            return true;
    }
    return false;
}

static bool in_heap(rd_place p) {
    return rd_place_region(p) >= RD_PLACE_HEAP && rd_place_region(p) < RD_PLACE_STACK;
}

/* The memory of synchronisation objects is used. */
static bool use_objects(struct races *s, const struct rd_step *it, struct access *now, struct rd_finding *f) {
    uint64_t used[RD_EVENT_OBJECTS];
    rd_place second = it->flags & RD_STEP_VALUE2 ? it->value : 0;
    if (!in_heap(it->place) && !in_heap(second))
        return false;
    now->object = now->atomic = true;
    rd_event_used(it->op, it->place, second, used);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (used[i] && in_heap(used[i]) && visit_all(s, used[i], used[i], now, f))
            return true;
    return false;
}

/* The memory that a call of a library function uses. */
static bool visit_extents(struct races *s, const struct rd_extents *x, struct access *now, struct rd_finding *f) {
    for (uint32_t i = 0; i < x->count; i++) {
        const struct rd_extent *e = &x->at[i];
        now->write = e->touch == RD_TOUCH_WRITE;
        if (!e->object && !e->bound && rd_place_region(e->first) < RD_PLACE_IO &&
            visit_all(s, e->first, e->last, now, f))
            return true;
    }
    return false;
}

static bool touch(struct races *s, uint32_t step, uint32_t when, uint32_t when_unseen, struct rd_finding *f) {
    const struct rd_step *it = &s->r->steps[step];
    unsigned flags = rd_op_flags(it->op);
    struct access now = {.step = step, .tid = it->tid, .when = when, .when_unseen = when_unseen};
    if (it->op == RD_OP_AWAIT || it->flags & RD_STEP_SIGNALLED)
        return false;
    const struct rd_extents *x = rd_extents_of(it->order, it->value);
    if (RD_UNLIKELY(x != NULL))
        return visit_extents(s, x, &now, f);
    bool stores = flags & RD_F_STORES && it->place && !it->result;
    if (!(flags & (RD_F_READS | RD_F_WRITES)) && !stores)
        return use_objects(s, it, &now, f);
    if (it->size == 0)
        return false;
    if (rd_place_region(it->place) >= RD_PLACE_IO)
        return false; /* mapped memory: it may have been given back, and be new memory at the same address */
    now.frees = it->op == RD_OP_FREE;
    now.atomic = flags & RD_F_ATOMIC;
    now.write = stores || ((flags & RD_F_WRITES) && !(it->op == RD_OP_ATOMIC_CAS && it->result));
    rd_place first, last;
    rd_place_span(it->place, it->size, &first, &last);
    return visit_all(s, first, last, &now, f);
}

static bool is_instrumented(const struct races *s, rd_place pc) {
    int module = rd_place_module(pc);
    return module >= 0 && module < MODULES_MAX && s->instrumented[module / 64] >> module % 64 & 1;
}

static bool is_foreign(const struct races *s, rd_place pc) {
    int module = rd_place_module(pc);
    return module >= 0 && module < MODULES_MAX && s->foreign[module / 64] >> module % 64 & 1;
}

/*
 * A library that is not seen may call functions of the program, in a thread of its own, say. When such a function
 * has returned is no step; but a later step of the thread in the library shows that it has, and so does the end of
 * a thread that began there. A thread that is about to do something in the program when the record ends has not.
 */
static void look_for_returns(struct races *s) {
    const struct rd_record *r = s->r;
    bool *next = rd_arena_zero(s->arena, rd_record_threads(r) * sizeof *next);
    s->leaves = rd_arena_zero(s->arena, r->out->steps * sizeof *s->leaves);
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (r->steps[i].op == RD_OP_START && is_foreign(s, r->steps[i].pc))
            next[r->steps[i].tid] = true;
    for (uint32_t t = 0; r->threads && t < rd_record_threads(r); t++)
        if (r->threads[t].state == RD_T_READY && r->threads[t].pending.kind != RD_OP_NONE)
            next[t] = is_foreign(s, r->threads[t].pending.pc);
    for (uint32_t i = r->out->steps; i-- > 0;) {
        rd_tid tid = r->steps[i].tid;
        s->leaves[i] = next[tid];
        next[tid] = is_foreign(s, r->steps[i].pc);
    }
}

/* Is there unseen code? Then also: which modules are instrumented, as their steps tell. */
static bool look_for_unseen(struct races *s) {
    bool any = false;
    for (uint32_t i = 0; i < RD_MIN(s->r->module_count, (uint32_t)MODULES_MAX); i++)
        if (!s->r->modules[i].instrumented && !s->r->modules[i].known)
            s->foreign[i / 64] |= (uint64_t)1 << i % 64;
    for (uint32_t i = 0; i < s->r->out->steps; i++) {
        const struct rd_step *it = &s->r->steps[i];
        any |= rd_step_is_unseen(it) || is_foreign(s, it->pc);
        int module = rd_place_module(it->pc);
        bool tells = it->op == RD_OP_READ || it->op == RD_OP_WRITE || it->op == RD_OP_CALL;
        if (tells && module >= 0 && module < MODULES_MAX)
            s->instrumented[module / 64] |= (uint64_t)1 << module % 64;
    }
    return any;
}

/*
 * The step in the second order; returns the stretch of its thread before. A stay in unseen code goes on until a
 * step of code that is instrumented: before each step until then it may have waited for what others did meanwhile.
 */
static uint32_t step_unseen(struct races *s, uint32_t at) {
    const struct rd_step *step = &s->r->steps[at];
    if (s->inside[step->tid] || is_foreign(s, step->pc))
        rd_sync_unseen(&s->unseen, step->tid);
    s->inside[step->tid] &= !is_instrumented(s, step->pc);
    uint32_t when = rd_sync_now(&s->unseen, step->tid);
    rd_sync_step(&s->unseen, step);
    if (rd_step_is_unseen(step) || s->leaves[at]) {
        rd_sync_unseen(&s->unseen, step->tid);
        s->inside[step->tid] = true;
    }
    return when;
}

bool rd_detect_race(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                    struct rd_finding *f) {
    struct races s = {.arena = scratch, .r = r, .known = known};
    rd_sync_init(&s.sync, scratch, rd_record_threads(r), r->cxx20);
    s.any_unseen = look_for_unseen(&s);
    if (s.any_unseen) {
        rd_sync_init(&s.unseen, scratch, rd_record_threads(r), r->cxx20);
        s.inside = rd_arena_zero(scratch, rd_record_threads(r) * sizeof *s.inside);
        look_for_returns(&s);
    }
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (rd_step_is_way(&r->steps[i]))
            continue;
        /* an atomic comes after what it acquires, and is part of what it releases */
        uint32_t when = rd_sync_now(&s.sync, r->steps[i].tid);
        rd_sync_step(&s.sync, &r->steps[i]);
        uint32_t when_unseen = s.any_unseen ? step_unseen(&s, i) : 0;
        if (touch(&s, i, when, when_unseen, f))
            return true;
    }
    return false;
}
