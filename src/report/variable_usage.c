/*
 * variable_usage.c - see variable_usage.h. A lock protects a variable if a thread held it at every access in the
 * profiled executions, from the first access by a second thread on. A variable without such a lock is not proof of
 * a race, because threads may be ordered in other ways; a variable with one may still have a race in other
 * executions.
 */
#include "report/variable_usage.h"

#include "trace/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLD = 5 }; /* fewer alike variables than this keep a row each */

static enum rd_variable_concern concern_of(const struct rd_var *v) {
    if (!(v->flags & RD_VAR_SHARED))
        return RD_VARIABLE_PRIVATE;
    if (!(v->flags & (RD_VAR_PLAIN | RD_VAR_ATOMIC)))
        return RD_VARIABLE_OBJECT;
    if (!(v->flags & RD_VAR_PLAIN))
        return RD_VARIABLE_ATOMIC;
    if (!(v->flags & RD_VAR_WRITTEN))
        return rd_place_module(v->first) == 0 && !v->global && !v->writes ? RD_VARIABLE_CONSTANT
                                                                          : RD_VARIABLE_ONLY_READ;
    return v->lock_count ? RD_VARIABLE_PROTECTED : RD_VARIABLE_UNPROTECTED;
}

static int by_accesses(const void *a, const void *b) {
    const struct rd_variable_row *x = a, *y = b;
    uint64_t n = x->reads + x->writes, m = y->reads + y->writes;
    if (n != m)
        return n > m ? -1 : 1;
    return x->var->first < y->var->first ? -1 : x->var->first > y->var->first;
}

static int by_concern(const void *a, const void *b) {
    const struct rd_variable_row *x = a, *y = b;
    return x->concern != y->concern ? (int)x->concern - (int)y->concern : by_accesses(a, b);
}

/* Sorts variables of one array, struct or block that are protected alike next to each other. */
static int by_container(const void *a, const void *b) {
    const struct rd_variable_row *x = a, *y = b;
    if (x->concern != y->concern)
        return (int)x->concern - (int)y->concern;
    if (x->var->block != y->var->block)
        return x->var->block < y->var->block ? -1 : 1;
    if (x->var->global != y->var->global)
        return x->var->global < y->var->global ? -1 : 1;
    if (x->var->lock_count != y->var->lock_count)
        return x->var->lock_count < y->var->lock_count ? -1 : 1;
    int locks = memcmp(x->var->locks, y->var->locks, x->var->lock_count * sizeof *x->var->locks);
    return locks ? locks : x->var->first < y->var->first ? -1 : x->var->first > y->var->first;
}

/* May the two be folded into one row? */
static bool alike(const struct rd_variable_row *x, const struct rd_variable_row *y) {
    const struct rd_var *v = x->var, *w = y->var;
    return x->concern == y->concern && v->block == w->block && v->global == w->global &&
           v->lock_count == w->lock_count && memcmp(v->locks, w->locks, v->lock_count * sizeof *v->locks) == 0;
}

static char *keep_text(const char *text) {
    char *kept = strdup(text);
    if (!kept)
        abort();
    return kept;
}

void rd_variable_name(const struct rd_variable_usage *u, rd_place place, char to[RD_VARIABLE_NAME]) {
    unsigned region = rd_place_region(place);
    if (u->names && region >= RD_PLACE_STACK && region < RD_PLACE_IO) {
        rd_words_data(u->names, place, to, RD_VARIABLE_NAME);
        if (strncmp(to, "stack(", 6) != 0)
            return;
    }
    rd_symbols_data(u->symbols, place, to, RD_VARIABLE_NAME);
}

/* The part of a block of the heap by the block's type, "node.next". NULL: the type is not known. */
static char *part_of(const struct rd_variable_usage *u, const struct rd_var *v) {
    const struct rd_block *b = rd_profile_block(u->profile, v->first);
    const struct rd_used_block *used = u->names && b ? rd_block_of(u->names, v->first) : NULL;
    char name[RD_VARIABLE_NAME];
    if (!used || used->first != b->first || used->size != b->size || (v->flags & RD_VAR_WHOLE) ||
        !rd_words_in_block(u->names, v->first, name, sizeof name) || strncmp(name, "block#", 6) == 0)
        return NULL;
    size_t type = strcspn(name, "#"),
           number = strspn(name + type, "#0123456789"); /* counts another execution's blocks */
    memmove(name + type, name + type + number, strlen(name + type + number) + 1);
    return keep_text(name);
}

/* The name of a variable. An array that the profile counts as one variable is "table[*]". */
static char *name_of(const struct rd_variable_usage *u, const struct rd_var *v) {
    char name[RD_VARIABLE_NAME];
    if (v->flags & RD_VAR_WHOLE) {
        rd_symbols_whole(u->symbols, v->first, name, sizeof name - 4);
        strcat(name, "[*]");
    } else {
        rd_variable_name(u, v->first, name);
    }
    return keep_text(name);
}

struct rd_variable_rows rd_variable_rows_collect(const struct rd_variable_usage *u) {
    struct rd_variable_rows r = {.at = calloc(u->profile->var_count + 1, sizeof *r.at)};
    if (!r.at)
        abort();
    for (uint32_t i = 0; i < u->profile->var_count; i++) {
        const struct rd_var *v = &u->profile->vars[i];
        if (v->flags & RD_VAR_GONE)
            continue;
        r.at[r.count] = (struct rd_variable_row){.var = v,
                                                 .concern = concern_of(v),
                                                 .name = name_of(u, v),
                                                 .part = part_of(u, v),
                                                 .reads = v->reads,
                                                 .writes = v->writes,
                                                 .tids = v->tids};
        r.of[r.at[r.count++].concern]++;
    }
    return r;
}

static void free_texts(struct rd_variable_row *r) {
    free(r->name);
    free(r->part);
    r->name = r->part = NULL;
}

void rd_variable_rows_free(struct rd_variable_rows *r) {
    for (uint32_t i = 0; i < r->count; i++)
        free_texts(&r->at[i]);
    free(r->at);
}

void rd_variable_rows_fold(struct rd_variable_rows *r) {
    uint32_t kept = 0;
    qsort(r->at, r->count, sizeof *r->at, by_container);
    for (uint32_t i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && alike(&r->at[i], &r->at[end]); end++)
            ;
        struct rd_variable_row *first = &r->at[i];
        bool many =
            end - i >= FOLD && first->concern < RD_VARIABLE_OBJECT && (first->var->block || first->var->global);
        if (many) {
            char name[RD_VARIABLE_NAME + 32];
            snprintf(name, sizeof name, "%s and %u more", first->name, end - i - 1);
            for (uint32_t k = i + 1; k < end; k++) {
                first->reads += r->at[k].reads;
                first->writes += r->at[k].writes;
                first->tids |= r->at[k].tids;
                free_texts(&r->at[k]);
            }
            free_texts(first);
            first->name = keep_text(name);
        }
        for (uint32_t k = i; k < (many ? i + 1 : end); k++)
            r->at[kept++] = r->at[k];
    }
    r->count = kept;
}

const char *rd_variable_locks(const struct rd_variable_usage *u, const struct rd_var *v, const char *between,
                              char to[RD_VARIABLE_LOCKS]) {
    size_t used = 0;
    to[0] = 0;
    for (uint32_t i = 0; i < v->lock_count; i++) {
        char name[RD_VARIABLE_NAME];
        rd_variable_name(u, v->locks[i], name);
        used += (size_t)snprintf(to + used, RD_VARIABLE_LOCKS - used, "%s%s", i ? between : "", name);
        if (used >= RD_VARIABLE_LOCKS)
            break;
    }
    return to;
}

const char *rd_variable_kind(const struct rd_var *v) {
    bool plain = v->flags & RD_VAR_PLAIN, atomic = v->flags & RD_VAR_ATOMIC;
    return plain && atomic ? "mixed" : plain ? "plain" : atomic ? "atomic" : "object";
}

void rd_variable_rows_sort(struct rd_variable_rows *r, enum rd_variable_sort by) {
    qsort(r->at, r->count, sizeof *r->at, by == RD_SORT_CONCERN ? by_concern : by_accesses);
}
