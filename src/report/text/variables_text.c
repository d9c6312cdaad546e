/* variables_text.c - the table of `raddle list variables`, and notes on the variables that it does not show. */
#include "report/text/given_options.h"
#include "report/text/report_text.h"

#include <inttypes.h>

enum { COLUMN_MAX = 56 };

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void protection(const struct rd_variable_usage *u, const struct rd_variable_row *r, char *to, size_t room) {
    char locks[RD_VARIABLE_LOCKS];
    const struct rd_var *v = r->var;
    bool mixed = (v->flags & RD_VAR_PLAIN) && (v->flags & RD_VAR_ATOMIC);
    switch (r->concern) {
    case RD_VARIABLE_UNPROTECTED:
        snprintf(to, room, mixed ? "no common lock, atomic and plain" : "no common lock");
        break;
    case RD_VARIABLE_ATOMIC:
        snprintf(to, room, "atomic");
        break;
    case RD_VARIABLE_PROTECTED:
        snprintf(to, room, v->lock_count == 1 ? "lock %s protects it" : "locks %s protect it",
                 rd_variable_locks(u, v, ", ", locks));
        break;
    case RD_VARIABLE_CONSTANT:
        snprintf(to, room, "constant");
        break;
    case RD_VARIABLE_ONLY_READ:
        snprintf(to, room, "only read since it is shared");
        break;
    case RD_VARIABLE_OBJECT:
        snprintf(to, room, "synchronisation, %" PRIu64 " operation%s", v->writes, plural(v->writes));
        break;
    default:
        snprintf(to, room, "only T%u uses it", v->owner);
    }
}

/* "malloc at list.c:42 #3 +8 (node.next)" */
static const char *row_name(const struct rd_variable_row *r, char to[2 * RD_VARIABLE_NAME]) {
    snprintf(to, 2 * RD_VARIABLE_NAME, "%s%s%s%s", r->name, r->part ? " (" : "", r->part ? r->part : "",
             r->part ? ")" : "");
    return to;
}

static void print_row(FILE *out, const struct rd_variable_usage *u, const struct rd_variable_row *r, unsigned width,
                      const struct rd_look *look) {
    char reads[32], writes[32], text[RD_VARIABLE_LOCKS + 64], name[2 * RD_VARIABLE_NAME];
    unsigned used = rd_paint_width(row_name(r, name));
    bool object =
        !(r->var->flags & (RD_VAR_PLAIN | RD_VAR_ATOMIC)); /* its operations are neither reads nor writes */
    protection(u, r, text, sizeof text);
    fprintf(out, "%s%*s  %10s  %10s  %7u  %s%s%s\n", name, used < width ? (int)(width - used) : 0, "",
            object ? "" : rd_words_number(r->reads, reads), object ? "" : rd_words_number(r->writes, writes),
            (unsigned)__builtin_popcountll(r->tids),
            rd_paint(look, r->concern == RD_VARIABLE_UNPROTECTED ? RD_YELLOW : RD_UNPAINTED), text,
            rd_paint(look, RD_UNPAINTED));
}

static void print_table(FILE *out, const struct rd_variable_usage *u, const struct rd_variable_rows *r,
                        const struct rd_look *look) {
    unsigned width = 8;
    uint32_t shown = 0;
    for (; shown < r->count && (u->all || r->at[shown].concern < RD_VARIABLE_CONSTANT); shown++) {
        char name[2 * RD_VARIABLE_NAME];
        unsigned columns = RD_MIN(rd_paint_width(row_name(&r->at[shown], name)), (unsigned)COLUMN_MAX);
        width = RD_MAX(width, columns);
    }
    if (shown == 0)
        return;
    fprintf(out, "\n%s%-*s  %10s  %10s  %7s  %s%s\n", rd_paint(look, RD_BOLD), (int)width, "variable", "reads",
            "writes", "threads", "protection", rd_paint(look, RD_UNPAINTED));
    for (uint32_t i = 0; i < shown; i++)
        print_row(out, u, &r->at[i], width, look);
    fputc('\n', out);
}

static void notes(FILE *out, const struct rd_variable_usage *u, const struct rd_variable_rows *r) {
    char number[32];
    if (r->of[RD_VARIABLE_PRIVATE] && !u->all)
        fprintf(out, "%s variable%s used by one thread only (--all shows %s)\n",
                rd_words_number(r->of[RD_VARIABLE_PRIVATE], number),
                r->of[RD_VARIABLE_PRIVATE] == 1 ? " is" : "s are", r->of[RD_VARIABLE_PRIVATE] == 1 ? "it" : "them");
    if (r->of[RD_VARIABLE_CONSTANT] && !u->all)
        fprintf(out, "%s constant%s without a name %s not listed either\n",
                rd_words_number(r->of[RD_VARIABLE_CONSTANT], number), plural(r->of[RD_VARIABLE_CONSTANT]),
                r->of[RD_VARIABLE_CONSTANT] == 1 ? "is" : "are");
    if (r->of[RD_VARIABLE_UNPROTECTED] || r->of[RD_VARIABLE_PROTECTED])
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

void rd_print_variables(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look) {
    const struct rd_profile *p = u->profile;
    char count[32], all[32];
    if (p->executions == 0) {
        fprintf(out, "%s created no second thread: nothing is shared\n", u->program);
        return;
    }
    struct rd_variable_rows r = rd_variable_rows_collect(u);
    uint32_t shared = r.count - r.of[RD_VARIABLE_PRIVATE] - r.of[RD_VARIABLE_CONSTANT];
    if (!u->all)
        rd_variable_rows_fold(&r);
    rd_variable_rows_sort(&r, RD_SORT_CONCERN);
    fprintf(out, "%s shared variable%s, %s accesses to memory and objects, in %u execution%s of %s\n",
            rd_words_number(shared, count), plural(shared), rd_words_number(p->accesses, all), p->executions,
            plural(p->executions), u->program);
    rd_print_given_options(out, u->options, u->option_count);
    print_table(out, u, &r, look);
    notes(out, u, &r);
    rd_variable_rows_free(&r);
}
