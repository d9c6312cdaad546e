/*
 * variable_usage.c - see variable_usage.h. A lock protects a variable when it was held at every access from the
 * first one by a second thread on, as far as the profiled executions went: that no lock did is no proof of a bug
 * (threads may be ordered in other ways), and that one did is none of its absence.
 */
#include "report/variable_usage.h"

#include "report/json.h"
#include "trace/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, LOCKS = RD_VAR_LOCKS * NAME, COLUMN_MAX = 56, FOLD = 5 };

/* In the order of the list. */
enum concern { UNPROTECTED, ATOMIC, PROTECTED, ONLY_READ, OBJECT, CONSTANT, PRIVATE, CONCERNS };

struct row {
    const struct rd_var *var;
    enum concern concern;
    char *name;
    uint64_t reads, writes, tids; /* with those that are folded into it */
};

struct rows {
    struct row *at;
    uint32_t count, of[CONCERNS];
};

static enum concern concern_of(const struct rd_var *v) {
    if (!(v->flags & RD_VAR_SHARED))
        return PRIVATE;
    if (!(v->flags & (RD_VAR_PLAIN | RD_VAR_ATOMIC)))
        return OBJECT;
    if (!(v->flags & RD_VAR_PLAIN))
        return ATOMIC;
    if (!(v->flags & RD_VAR_WRITTEN)) /* what has no name and is never written is a text, or a number */
        return rd_place_module(v->first) == 0 && !v->global && !v->writes ? CONSTANT : ONLY_READ;
    return v->lock_count ? PROTECTED : UNPROTECTED;
}

static int by_accesses(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    uint64_t n = x->reads + x->writes, m = y->reads + y->writes;
    if (n != m)
        return n > m ? -1 : 1;
    return x->var->first < y->var->first ? -1 : x->var->first > y->var->first;
}

static int by_concern(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return x->concern != y->concern ? (int)x->concern - (int)y->concern : by_accesses(a, b);
}

/* What is in the same array, struct or block, and is protected alike, comes together. */
static int by_container(const void *a, const void *b) {
    const struct row *x = a, *y = b;
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

static bool alike(const struct row *x, const struct row *y) {
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

/* An array that is one variable is table[*]. */
static char *name_of(const struct rd_variable_usage *u, const struct rd_var *v) {
    char name[NAME];
    if (v->flags & RD_VAR_WHOLE) {
        rd_symbols_whole(u->symbols, v->first, name, sizeof name - 4);
        strcat(name, "[*]");
    } else {
        rd_symbols_data(u->symbols, v->first, name, sizeof name);
    }
    return keep_text(name);
}

static struct rows collect(const struct rd_variable_usage *u) {
    struct rows r = {.at = calloc(u->profile->var_count + 1, sizeof *r.at)};
    if (!r.at)
        abort();
    for (uint32_t i = 0; i < u->profile->var_count; i++) {
        const struct rd_var *v = &u->profile->vars[i];
        if (v->flags & RD_VAR_GONE)
            continue;
        r.at[r.count] = (struct row){v, concern_of(v), name_of(u, v), v->reads, v->writes, v->tids};
        r.of[r.at[r.count++].concern]++;
    }
    return r;
}

static void release(struct rows *r) {
    for (uint32_t i = 0; i < r->count; i++)
        free(r->at[i].name);
    free(r->at);
}

/* Many parts of one thing that say the same are one row: "big[0] and 49 more". */
static void fold(struct rows *r) {
    uint32_t kept = 0;
    qsort(r->at, r->count, sizeof *r->at, by_container);
    for (uint32_t i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && alike(&r->at[i], &r->at[end]); end++)
            ;
        struct row *first = &r->at[i];
        bool many = end - i >= FOLD && first->concern < OBJECT && (first->var->block || first->var->global);
        if (many) {
            char name[NAME + 32];
            snprintf(name, sizeof name, "%s and %u more", first->name, end - i - 1);
            for (uint32_t k = i + 1; k < end; k++) {
                first->reads += r->at[k].reads;
                first->writes += r->at[k].writes;
                first->tids |= r->at[k].tids;
                free(r->at[k].name);
            }
            free(first->name);
            first->name = keep_text(name);
        }
        for (uint32_t k = i; k < (many ? i + 1 : end); k++)
            r->at[kept++] = r->at[k];
    }
    r->count = kept;
}

static const char *locks_of(const struct rd_variable_usage *u, const struct rd_var *v, const char *between,
                            char to[LOCKS]) {
    size_t used = 0;
    to[0] = 0;
    for (uint32_t i = 0; i < v->lock_count; i++) {
        char name[NAME];
        rd_symbols_data(u->symbols, v->locks[i], name, sizeof name);
        used += (size_t)snprintf(to + used, LOCKS - used, "%s%s", i ? between : "", name);
        if (used >= LOCKS)
            break;
    }
    return to;
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void protection(const struct rd_variable_usage *u, const struct row *r, char *to, size_t room) {
    char locks[LOCKS];
    const struct rd_var *v = r->var;
    bool mixed = (v->flags & RD_VAR_PLAIN) && (v->flags & RD_VAR_ATOMIC);
    switch (r->concern) {
    case UNPROTECTED:
        snprintf(to, room, mixed ? "no common lock, atomic and plain" : "no common lock");
        break;
    case ATOMIC:
        snprintf(to, room, "atomic");
        break;
    case PROTECTED:
        snprintf(to, room, v->lock_count == 1 ? "lock %s protects it" : "locks %s protect it",
                 locks_of(u, v, ", ", locks));
        break;
    case CONSTANT:
        snprintf(to, room, "constant");
        break;
    case ONLY_READ:
        snprintf(to, room, "only read since it is shared");
        break;
    case OBJECT:
        snprintf(to, room, "synchronisation, %" PRIu64 " operation%s", v->writes, plural(v->writes));
        break;
    default:
        snprintf(to, room, "only T%u uses it", v->owner);
    }
}

static void print_row(FILE *out, const struct rd_variable_usage *u, const struct row *r, unsigned width,
                      const struct rd_look *look) {
    char reads[32], writes[32], text[LOCKS + 64];
    unsigned used = rd_paint_width(r->name);
    bool object = !(r->var->flags & (RD_VAR_PLAIN | RD_VAR_ATOMIC)); /* its operations are neither */
    protection(u, r, text, sizeof text);
    fprintf(out, "%s%*s  %10s  %10s  %7u  %s%s%s\n", r->name, used < width ? (int)(width - used) : 0, "",
            object ? "" : rd_words_number(r->reads, reads), object ? "" : rd_words_number(r->writes, writes),
            (unsigned)__builtin_popcountll(r->tids),
            rd_paint(look, r->concern == UNPROTECTED ? RD_YELLOW : RD_UNHOOKED), text, rd_paint(look, RD_UNHOOKED));
}

static void print_table(FILE *out, const struct rd_variable_usage *u, const struct rows *r,
                        const struct rd_look *look) {
    unsigned width = 8;
    uint32_t shown = 0;
    for (; shown < r->count && (u->all || r->at[shown].concern < CONSTANT); shown++) {
        unsigned columns = RD_MIN(rd_paint_width(r->at[shown].name), (unsigned)COLUMN_MAX);
        width = RD_MAX(width, columns);
    }
    if (shown == 0)
        return;
    fprintf(out, "\n%s%-*s  %10s  %10s  %7s  %s%s\n", rd_paint(look, RD_BOLD), (int)width, "variable", "reads",
            "writes", "threads", "protection", rd_paint(look, RD_UNHOOKED));
    for (uint32_t i = 0; i < shown; i++)
        print_row(out, u, &r->at[i], width, look);
    fputc('\n', out);
}

static void notes(FILE *out, const struct rd_variable_usage *u, const struct rows *r) {
    char number[32];
    if (r->of[PRIVATE] && !u->all)
        fprintf(out, "%s variable%s used by one thread only (--all shows %s)\n",
                rd_words_number(r->of[PRIVATE], number), r->of[PRIVATE] == 1 ? " is" : "s are",
                r->of[PRIVATE] == 1 ? "it" : "them");
    if (r->of[CONSTANT] && !u->all)
        fprintf(out, "%s constant%s without a name %s not listed either\n",
                rd_words_number(r->of[CONSTANT], number), plural(r->of[CONSTANT]),
                r->of[CONSTANT] == 1 ? "is" : "are");
    if (r->of[UNPROTECTED] || r->of[PROTECTED])
        fputs("A lock protects a variable when it was held at every access from the first by a second thread on.\n",
              out);
    if (!u->instrumented)
        fputs("The program is not instrumented: only its objects of synchronisation are seen. Compile it with\n"
              "'raddle cc' or 'raddle c++' to see its data.\n",
              out);
    if (u->profile->lost & RD_LOST_VARS)
        fprintf(out, "Only the first %s variables were counted: the program has more.\n",
                rd_words_number(RD_VARS_MAX, number));
    if (u->profile->lost & RD_LOST_BLOCKS)
        fprintf(out, "Only the first %s blocks of the heap have a name: the program allocates more.\n",
                rd_words_number(RD_BLOCKS_MAX, number));
}

void rd_variable_usage_text(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look) {
    const struct rd_profile *p = u->profile;
    char count[32], all[32];
    if (p->executions == 0) {
        fprintf(out, "%s created no second thread: nothing is shared\n", u->program);
        return;
    }
    struct rows r = collect(u);
    uint32_t shared = r.count - r.of[PRIVATE] - r.of[CONSTANT];
    if (!u->all)
        fold(&r);
    qsort(r.at, r.count, sizeof *r.at, by_concern);
    fprintf(out, "%s shared variable%s, %s accesses to memory and objects, in %u execution%s of %s\n",
            rd_words_number(shared, count), plural(shared), rd_words_number(p->accesses, all), p->executions,
            plural(p->executions), u->program);
    print_table(out, u, &r, look);
    notes(out, u, &r);
    release(&r);
}

static const char *kind_of(const struct rd_var *v) {
    bool plain = v->flags & RD_VAR_PLAIN, atomic = v->flags & RD_VAR_ATOMIC;
    return plain && atomic ? "mixed" : plain ? "plain" : atomic ? "atomic" : "object";
}

static void csv_text(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

void rd_variable_usage_csv(FILE *out, const struct rd_variable_usage *u) {
    struct rows r = collect(u);
    qsort(r.at, r.count, sizeof *r.at, by_accesses);
    fputs("variable,accesses,reads,writes,threads,shared,kind,lock\n", out);
    for (uint32_t i = 0; i < r.count; i++) {
        const struct rd_var *v = r.at[i].var;
        char locks[LOCKS];
        csv_text(out, r.at[i].name);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%s,", v->reads + v->writes, v->reads, v->writes,
                v->threads, (v->flags & RD_VAR_SHARED) != 0, kind_of(v));
        csv_text(out, locks_of(u, v, " ", locks));
        fputc('\n', out);
    }
    release(&r);
}

void rd_variable_usage_json(FILE *out, const struct rd_variable_usage *u) {
    struct rd_json j = {.out = out};
    struct rows r = collect(u);
    qsort(r.at, r.count, sizeof *r.at, by_concern);
    rd_json_open(&j, NULL, '{');
    rd_json_string(&j, "program", u->program);
    rd_json_number(&j, "executions", u->profile->executions);
    rd_json_number(&j, "accesses", u->profile->accesses);
    rd_json_bool(&j, "instrumented", u->instrumented);
    rd_json_bool(&j, "all_counted", !(u->profile->lost & RD_LOST_VARS));
    rd_json_open(&j, "variables", '[');
    for (uint32_t i = 0; i < r.count; i++) {
        const struct rd_var *v = r.at[i].var;
        rd_json_open(&j, NULL, '{');
        rd_json_string(&j, "name", r.at[i].name);
        rd_json_number(&j, "reads", v->reads);
        rd_json_number(&j, "writes", v->writes);
        rd_json_number(&j, "threads", v->threads);
        rd_json_bool(&j, "shared", v->flags & RD_VAR_SHARED);
        rd_json_bool(&j, "written_while_shared", v->flags & RD_VAR_WRITTEN);
        rd_json_string(&j, "kind", kind_of(v));
        rd_json_open(&j, "locks", '[');
        for (uint32_t k = 0; k < v->lock_count; k++) {
            char name[NAME];
            rd_symbols_data(u->symbols, v->locks[k], name, sizeof name);
            rd_json_string(&j, NULL, name);
        }
        rd_json_close(&j, ']');
        rd_json_close(&j, '}');
    }
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
    release(&r);
}
