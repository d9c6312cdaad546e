/*
 * variable_usage.h - the variables of a program by a profile: which threads use them, how often, and which locks
 * protect them.
 */
#ifndef RD_REPORT_VARIABLE_USAGE_H
#define RD_REPORT_VARIABLE_USAGE_H

#include "report/report.h"
#include "trace/profile.h"

struct rd_given_option; /* report/text/given_options.h */

struct rd_variable_usage {
    const struct rd_profile *profile;
    struct rd_symbols *symbols;    /* rd_symbols_profile has been called */
    const struct rd_report *names; /* of an execution that knows the names of stacks and of the heap; NULL: none */
    const char *program;
    const struct rd_given_option *options; /* option_count of them, which are not on the command line */
    uint32_t option_count;
    bool all;          /* also list private variables and constants */
    bool instrumented; /* a module has hooks; otherwise the profile has objects of synchronisation only */
};

/* How threads use a variable. The list shows the variables in this order. */
enum rd_variable_concern {
    RD_VARIABLE_UNPROTECTED, /* shared, written, and no lock was held at every access */
    RD_VARIABLE_ATOMIC,      /* shared, and every access is atomic */
    RD_VARIABLE_PROTECTED,   /* shared, written, and at least one lock was held at every access */
    RD_VARIABLE_ONLY_READ,   /* not written since a second thread used it */
    RD_VARIABLE_OBJECT,   /* an object of synchronisation: its operations are neither plain nor atomic accesses */
    RD_VARIABLE_CONSTANT, /* never written and without a name: a literal of the program */
    RD_VARIABLE_PRIVATE,  /* used by one thread only */
    RD_VARIABLE_CONCERNS
};

enum { RD_VARIABLE_NAME = 256, RD_VARIABLE_LOCKS = RD_VAR_LOCKS * RD_VARIABLE_NAME };

/* One row of a list: a variable, or several that are alike and were folded into it. */
struct rd_variable_row {
    const struct rd_var *var;
    enum rd_variable_concern concern;
    char *name; /* as --focus takes it */
    char *part; /* which part of an object of which type the memory of the heap is: "node.next"; NULL: not known */
    uint64_t reads, writes, tids; /* sums over the folded variables; `tids` is a bit set */
};

struct rd_variable_rows {
    struct rd_variable_row *at;
    uint32_t count;
    uint32_t of[RD_VARIABLE_CONCERNS]; /* variables of each concern, before folding */
};

enum rd_variable_sort {
    RD_SORT_CONCERN,  /* by concern, then by accesses */
    RD_SORT_ACCESSES, /* the most used first */
};

/* A row for each variable of the profile, in no order; to be freed with rd_variable_rows_free. */
struct rd_variable_rows rd_variable_rows_collect(const struct rd_variable_usage *u);
void rd_variable_rows_sort(struct rd_variable_rows *r, enum rd_variable_sort by);
/* Makes one row ("big[0] and 49 more") of many parts of one array, struct or block that are protected alike. */
void rd_variable_rows_fold(struct rd_variable_rows *r);
void rd_variable_rows_free(struct rd_variable_rows *r);

/* The name of the variable that begins at a place: of a local variable by its function, "main() queue.head". */
void rd_variable_name(const struct rd_variable_usage *u, rd_place place, char to[RD_VARIABLE_NAME]);
/* The names of the locks that protect a variable, separated by `between`. */
const char *rd_variable_locks(const struct rd_variable_usage *u, const struct rd_var *v, const char *between,
                              char to[RD_VARIABLE_LOCKS]);
/* "plain", "atomic", "mixed" or "object", by the accesses to it. */
const char *rd_variable_kind(const struct rd_var *v);

#endif
