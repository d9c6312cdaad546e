/* csv.c - the output format CSV: one row for each variable of a program, the data of a histogram of accesses. */
#include "report/format.h"

#include <inttypes.h>
#include <string.h>

/* A field. A text with a comma, a quote or a line break is quoted. */
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

static void write_variables(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look) {
    (void)look;
    struct rd_variable_rows r = rd_variable_rows_collect(u);
    rd_variable_rows_sort(&r, RD_SORT_ACCESSES);
    fputs("variable,accesses,reads,writes,threads,shared,kind,lock\n", out);
    for (uint32_t i = 0; i < r.count; i++) {
        const struct rd_var *v = r.at[i].var;
        char locks[RD_VARIABLE_LOCKS];
        csv_text(out, r.at[i].name);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%s,", v->reads + v->writes, v->reads, v->writes,
                v->threads, (v->flags & RD_VAR_SHARED) != 0, rd_variable_kind(v));
        csv_text(out, rd_variable_locks(u, v, " ", locks));
        fputc('\n', out);
    }
    rd_variable_rows_free(&r);
}

const struct rd_format rd_format_csv = {
    .name = "csv",
    .help = {[RD_DOCUMENT_VARIABLES] = "every variable as comma-separated values, the most used first"},
    .variables = write_variables,
};
