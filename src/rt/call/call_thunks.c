/*
 * call_thunks.c - see call_thunks.h. A function has one thunk by each of its names. A thunk is never given back,
 * because the program may keep pointers to it.
 */
#include "rt/call/call_thunks.h"

#include "base/map.h"
#include "rt/hook/hook.h"
#include "trace/place.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

enum { THUNK_SIZE = 16 };

uint64_t rd_call_targets[RD_CALL_THUNKS + RD_SYNC_THUNKS] __attribute__((visibility("hidden")));

static struct {
    uint32_t count;          /* thunks in use at rd_call_thunks */
    uint32_t sync_count;     /* … and at rd_sync_thunks */
    struct rd_map by_target; /* hash of a function's address and name -> the index of its thunk, plus 1; UINT64_MAX:
                                it needs none */
    struct rd_map written;   /* the hidden states that an imported function writes */
} thunks;

bool rd_call_may_write(uint64_t state) { return rd_map_get(&thunks.written, state) != NULL; }

#if defined(__x86_64__)

extern char rd_call_thunks[] __attribute__((visibility("hidden")));
extern char rd_sync_thunks[] __attribute__((visibility("hidden")));

static void *thunk(uint32_t index) {
    static_assert(RD_SYNC_THUNKS <= RD_CALL_THUNKS, "the remainder is the index in either table");
    RD_CHECK(index < RD_CALL_THUNKS ? index < thunks.count : index - RD_CALL_THUNKS < thunks.sync_count);
    char *at = index < RD_CALL_THUNKS ? rd_call_thunks : rd_sync_thunks;
    return at + (uint64_t)(index % RD_CALL_THUNKS) * THUNK_SIZE;
}

bool rd_thunk_is(uint64_t addr) {
    return addr - (uintptr_t)rd_call_thunks < (uint64_t)RD_CALL_THUNKS * THUNK_SIZE ||
           addr - (uintptr_t)rd_sync_thunks < (uint64_t)RD_SYNC_THUNKS * THUNK_SIZE;
}

/* Describes the function of the next thunk; it is taken into use by counting it and setting its target. */
static struct rd_callee *new_callee(uint32_t index, uint64_t target) {
    struct rd_callee *c = &rd_callees[index];
    RD_CHECK(index < RD_CALL_THUNKS + RD_SYNC_THUNKS && !rd_call_targets[index]); /* each thunk gets one target */
    *c = (struct rd_callee){.target = target, .named = target};
    return c;
}

/* Puts the address and the size of a library's variable into the rule. If the program has a copy of the variable (a
 * copy relocation), dlsym() returns the copy, which all modules use. */
static void find_variable(struct rd_rule *r) {
    char name[RD_SYNC_NAME];
    const char *from = (const char *)(uintptr_t)r->state;
    RD_CHECK(r->what == RD_RULE_VARIABLE && from);
    size_t n = strcspn(from, " ");
    Dl_info info;
    void *extra = NULL;
    r->state = 0;
    if (n >= sizeof name)
        return;
    memcpy(name, from, n);
    name[n] = '\0';
    void *at = dlsym(RTLD_DEFAULT, name);
    if (!at || !dladdr1(at, &info, &extra, RTLD_DL_SYMENT) || !extra)
        return;
    const ElfW(Sym) *symbol = extra;
    r->state = (uintptr_t)at;
    r->bytes = (uint32_t)symbol->st_size;
}

static const char *copy_of(const char *name) {
    size_t size = strlen(name) + 1;
    return memcpy(rd_arena_alloc(&rd_call_arena, size), name, size);
}

/* Fills in the class and the rules of a function. A rule for its library takes precedence over the row of the
 * table. */
static void describe(struct rd_callee *c, const char *name) {
    static struct rd_function by_rule;
    const struct rd_function *f = rd_function_find(name);
    const struct rd_call_rule *said = rd_rules_find(name, c->target, true);
    struct rd_rule rules[RD_RULES_MAX];
    if (said) {
        unsigned class = said->is.kind == RD_SYNC_TOUCHES ? RD_FUNCTION_KNOWN : RD_FUNCTION_PURE;
        by_rule = (struct rd_function){name, said->is.memory, (uint8_t) class};
        f = &by_rule;
    }
    const char *bad;
    c->name = copy_of(name); /* the module that imports it may be unloaded */
    c->class = f ? f->class : RD_FUNCTION_OPAQUE;
    int n = f ? rd_rules_parse(f->rules, rules, &bad) : 0;
    RD_CHECK(n >= 0 && n <= RD_RULES_MAX);
    c->rules = rd_arena_alloc(&rd_call_arena, ((size_t)n + 1) * sizeof *c->rules);
    memcpy(c->rules, rules, (size_t)n * sizeof *rules);
    c->rule_count = (uint32_t)n;
    for (int i = 0; i < n; i++) {
        if (c->rules[i].what == RD_RULE_VARIABLE)
            find_variable(&c->rules[i]);
        c->calls |= rules[i].what == RD_RULE_CALLS;
        if (rules[i].what == RD_RULE_STATE && rules[i].writes)
            *rd_map_put(&thunks.written, &rd_call_arena, rules[i].state) = 1;
    }
}

/* Returns whether a call of the function needs a thunk. */
static bool matters(const struct rd_callee *c) {
    bool ours = rd_place_is_own(c->target);
    RD_CHECK(c->class <= RD_FUNCTION_SYNC && c->rule_count <= RD_RULES_MAX);
    switch (c->class) {
    case RD_FUNCTION_OPAQUE:
        return !ours;
    case RD_FUNCTION_KNOWN:
        return c->rule_count > 0;
    case RD_FUNCTION_CARRIED:
        return ours;
    default:
        return false;
    }
}

/* The thunk for a function whose calls matter even before there are threads: one with a rule that says how it
 * synchronises, or dlsym(). Stores its index plus 1 in *slot. NULL: there are no more thunks. */
static void *early_thunk_for(uint64_t target, const char *name, struct rd_call_rule *rule, uint64_t *slot) {
    uint32_t index = RD_CALL_THUNKS + thunks.sync_count;
    if (thunks.sync_count == RD_SYNC_THUNKS) {
        rd_rt.channel->execution.calls_unseen = 1;
        return NULL;
    }
    RD_CHECK(!*slot);
    struct rd_callee *c = new_callee(index, target);
    describe(c, name);
    if (rule) {
        rule->opaque = c->class == RD_FUNCTION_OPAQUE;
        c->class = RD_FUNCTION_SYNC;
        c->rule = rule;
        rd_rules_bind(rule, target);
    }
    rd_call_targets[index] = target;
    thunks.sync_count++;
    *slot = index + 1;
    return thunk(index);
}

/* The key of a function in by_target. An address alone is not enough: after a library was unloaded another one may
 * have its address. */
static uint64_t key_of(uint64_t target, const char *name) {
    return rd_hash2(target, rd_rule_state(name, strlen(name))) | 1;
}

void *rd_thunk_for(uint64_t target, const char *name) {
    uint64_t *slot = rd_map_put(&thunks.by_target, &rd_call_arena, key_of(target, name));
    if (*slot)
        return *slot == UINT64_MAX ? NULL : thunk((uint32_t)*slot - 1);
    struct rd_call_rule *rule = rd_place_is_own(target) ? NULL : rd_rules_find(name, target, false);
    const struct rd_function *f = rd_function_find(name);
    if (rule || (f && f->class == RD_FUNCTION_LOOKUP))
        return early_thunk_for(target, name, rule, slot);
    if (thunks.count == RD_CALL_THUNKS) {
        rd_rt.channel->execution.calls_unseen = 1;
        return NULL;
    }
    struct rd_callee *c = new_callee(thunks.count, target);
    describe(c, name);
    if (!matters(c)) {
        *slot = UINT64_MAX;
        return NULL;
    }
    if (rd_place_is_own(target)) {
        void *real = dlsym(RTLD_NEXT, name);
        c->named = real ? (uintptr_t)real : target;
    }
    rd_call_targets[thunks.count] = target;
    *slot = ++thunks.count;
    return thunk(thunks.count - 1);
}

bool rd_thunks_are_right(void) {
    bool right = thunks.count <= RD_CALL_THUNKS && thunks.sync_count <= RD_SYNC_THUNKS;
    for (uint32_t i = 0; i < RD_CALL_THUNKS + RD_SYNC_THUNKS; i++) {
        bool used = i < RD_CALL_THUNKS ? i < thunks.count : i - RD_CALL_THUNKS < thunks.sync_count;
        right &= used ? rd_call_targets[i] && rd_call_targets[i] == rd_callees[i].target : !rd_call_targets[i];
        right &= !used || !rd_thunk_is(rd_callees[i].target);
        right &= !used || (rd_callees[i].class == RD_FUNCTION_SYNC) == (rd_callees[i].rule != NULL);
    }
    return right;
}

#endif
