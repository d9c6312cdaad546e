/*
 * call_rules.c - the rules for foreign functions in the tested process (call.h). Their text is in the channel. When
 * a scan of the modules finds that a library is loaded, the rules for it are read, once. Rules that were read are
 * never removed, so pointers to them stay valid.
 */
#include "rt/call/call.h"

#include "trace/place.h"

#include <dlfcn.h>
#include <string.h>

enum { BUCKETS = 256, LIBRARIES = 64 };

static struct {
    struct rd_call_rule *by_name[BUCKETS]; /* in the order of the text */
    uint64_t loaded[LIBRARIES];            /* where in the text the groups begin that were read, plus 1 */
    uint32_t groups;                       /* how many groups of rules, each for one library, were read */
    uint32_t count;                        /* how many rules */
    bool any;                              /* one of them says how a function synchronises */
} rules;

static struct rd_call_rule **bucket(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    return &rules.by_name[h % BUCKETS];
}

static bool is_loaded(const char *library) {
    const struct rd_channel *c = rd_rt.channel;
    for (uint32_t i = 0; i < c->execution.module_count; i++)
        if (rd_sync_rule_fits(library, c->execution.modules[i].path))
            return true;
    return false;
}

/* Returns whether the group of rules that begins at this offset of the text is to be read now, and records that it
 * was. */
static bool opens(uint64_t at, const char *library) {
    for (uint32_t i = 0; i < rules.groups; i++)
        if (rules.loaded[i] == at + 1)
            return false;
    if (!is_loaded(library) || rules.groups == LIBRARIES)
        return false;
    rules.loaded[rules.groups++] = at + 1;
    return true;
}

static void add(const struct rd_sync_rule *rule, const char *library) {
    struct rd_call_rule *r = rd_arena_zero(&rd_call_arena, sizeof *r), **end = bucket(rule->function);
    RD_CHECK(rule->kind < RD_SYNC_KINDS && rule->function[0]);
    r->is = *rule;
    r->number = rules.count++;
    memcpy(r->library, library, sizeof r->library);
    while (*end) {
        RD_ASSERT((*end)->number < r->number); /* a list is in the order in which the rules were read */
        end = &(*end)->next;
    }
    *end = r;
    rules.any |= !(rd_sync_needs(rule->kind) & RD_SYNC_MEMORY);
}

/* Where the line after this one begins. */
static const char *after_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* Returns false if no group begins on this line. This test comes first because it is fast, and every process of an
 * exec isolation reads the text. */
static bool may_open(const char *at) {
    at += strspn(at, " \t");
    return strncmp(at, "library", 7) == 0;
}

void rd_rules_load(void) {
    const char *text = rd_channel_rules(rd_rt.channel);
    char line[RD_SYNC_LINE], library[RD_SYNC_NAME] = "*";
    struct rd_error error;
    struct rd_sync_rule rule;
    bool reads = false;
    for (const char *at = text, *next; *at; at = next) {
        next = after_line(at);
        RD_CHECK(next > at);
        if (!reads && !may_open(at))
            continue;
        rd_sync_rule_next(at, line);
        if (rd_sync_rule_library(line, library))
            reads = opens((uint64_t)(at - text), library);
        else if (reads && rd_sync_rule_parse(line, &rule, &error))
            add(&rule, library);
    }
}

bool rd_rules_any(void) { return rules.any; }

struct rd_call_rule *rd_rules_find(const char *name, uint64_t target, bool memory) {
    for (struct rd_call_rule *r = *bucket(name); r; r = r->next) {
        if (strcmp(r->is.function, name) != 0 || memory != !!(rd_sync_needs(r->is.kind) & RD_SYNC_MEMORY))
            continue;
        int module = rd_place_module(rd_place_of(target));
        if (module >= 0 && rd_sync_rule_fits(r->library, rd_rt.channel->execution.modules[module].path))
            return r;
    }
    return NULL;
}

/* The function of the library's first rule of that kind, for mutexes that are recursive if those of the wait are;
 * "": there is none. */
static const char *first_of(const struct rd_call_rule *wait, unsigned kind) {
    const struct rd_call_rule *first = NULL;
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct rd_call_rule *r = rules.by_name[i]; r; r = r->next)
            if (r->is.kind == kind && r->is.recursive == wait->is.recursive &&
                strcmp(r->library, wait->library) == 0 && (!first || r->number < first->number))
                first = r;
    return first ? first->is.function : "";
}

void rd_rules_bind(struct rd_call_rule *r, uint64_t target) {
    Dl_info info;
    RD_CHECK(r->number < rules.count);
    if ((r->is.kind != RD_SYNC_COND_WAIT && r->is.kind != RD_SYNC_COND_TIMEDWAIT) || r->lock)
        return;
    void *library = dladdr((void *)target, &info) ? dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    if (!library)
        return;
    r->lock = (uintptr_t)dlsym(library, r->is.lock[0] ? r->is.lock : first_of(r, RD_SYNC_MUTEX_LOCK));
    r->unlock = (uintptr_t)dlsym(library, r->is.unlock[0] ? r->is.unlock : first_of(r, RD_SYNC_MUTEX_UNLOCK));

    dlclose(library);
}
