/* coverage_csv.c - see coverage_csv.h. */
#include "report/coverage_csv.h"

#include <inttypes.h>

static void write_row(FILE *out, const struct rd_sample *s) {
    static const char *const verdicts[] = {
        [RD_PASSED] = "passed", [RD_FOUND] = "finding", [RD_CUT] = "cut", [RD_DROPPED] = "dropped"};
    const char *verdict = s->verdict < RD_COUNT(verdicts) ? verdicts[s->verdict] : NULL;
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6f,%u,%u,%u,%u,%u,", s->executions, s->cut,
            (double)s->elapsed_ns * 1e-9, s->steps, s->points, s->preemptions, s->blocking, s->new_class);
    if (s->verdict != RD_CUT)
        fprintf(out, "%016" PRIx64, s->class);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,", s->classes, s->lazy, s->states,
            verdict ? verdict : "");
    if (s->bound >= 0)
        fprintf(out, "%d", s->bound);
    fputc(',', out);
    if (s->nodes >= 0)
        fprintf(out, "%" PRId64, s->nodes);
    fputc('\n', out);
}

void rd_coverage_executions(FILE *out, const struct rd_run_result *result) {
    const struct rd_coverage *k = &result->summary.coverage;
    const struct rd_sample *rows = result->samples;
    fputs(
        "execution,cut,seconds,steps,points,preemptions,blocking,new_order,class,orders,lazy_orders,states,verdict,"
        "bound,tree_nodes\n",
        out);
    for (uint32_t i = 0; i < k->sample_count; i++)
        write_row(out, &rows[i]);
    uint64_t last = k->last.executions + k->last.cut;
    const struct rd_sample *kept = k->sample_count ? &rows[k->sample_count - 1] : NULL;
    if (last && (!kept || kept->executions + kept->cut != last)) /* the last execution always has a row */
        write_row(out, &k->last);
}

void rd_coverage_bounds(FILE *out, const struct rd_run_result *result) {
    const struct rd_summary *s = &result->summary;
    uint64_t executions = 0, orders = 0, states = 0;
    fputs("preemptions,executions,orders,states,executions_up_to,orders_up_to,states_up_to\n", out);
    uint32_t top = 0;
    for (uint32_t i = 0; i < RD_PREEMPTION_COUNTS; i++)
        if (s->preemptions[i] || s->coverage.states_by[i])
            top = i;
    for (uint32_t i = 0; i <= top; i++) {
        executions += s->preemptions[i];
        orders += s->classes_by[i];
        states += s->coverage.states_by[i];
        fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i,
                s->preemptions[i], s->classes_by[i], s->coverage.states_by[i], executions, orders, states);
    }
}

void rd_coverage_orders(FILE *out, const struct rd_run_result *result) {
    fputs("class,executions\n", out);
    for (uint32_t i = 0; i < result->summary.coverage.order_count; i++)
        fprintf(out, "%016" PRIx64 ",%" PRIu64 "\n", result->orders[i].key, result->orders[i].executions);
}
