/*
 * junit.c - the output format JUnit: a run is a suite with one test case.
 *
 * The case has one <failure> for all bugs, as some readers (Jenkins, and everything that follows the schema of Ant)
 * take only one: its text is the reports one after the other, as people read them.
 */
#include "report/ci/junit.h"

#include "report/format.h"
#include "report/text/report_text.h"
#include "result/run_result.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 900 };

/* Writes the reports of all bugs, or of all warnings. Returns the first of them; NULL: there is none. */
static const struct rd_report *write_reports(FILE *out, const struct rd_report *findings, uint32_t count,
                                             bool warnings, const struct rd_look *look) {
    const struct rd_look plain = {.rows_max = look->rows_max, .unicode = look->unicode};
    const struct rd_report *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (findings[i].warning != warnings)
            continue;
        fputs(first ? "\n----\n\n" : "", out);
        rd_print_report(out, &findings[i], &plain);
        first = first ? first : &findings[i];
    }
    return first;
}

/* "data race: …, list.c:12 (and 2 more)" */
static void failure_message(const struct rd_report *first, uint64_t bugs, char to[MESSAGE]) {
    char headline[700];
    struct rd_where w;
    rd_facts_headline(first, headline, sizeof headline);
    rd_facts_where(first, &w);
    int n = snprintf(to, MESSAGE, "%.600s", headline);
    if (w.line)
        n += snprintf(to + n, (size_t)(MESSAGE - n), ", %.200s:%d", w.file, w.line);
    if (bugs > 1)
        snprintf(to + n, (size_t)(MESSAGE - n), " (and %" PRIu64 " more)", bugs - 1);
}

/* What a reader of the case wants to know beside bugs: warnings, and the summary with the claim. */
static void write_rest(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                       const struct rd_look *look) {
    const struct rd_look plain = {.statistics = true};
    if (write_reports(out, findings, count, true, look))
        fputs("\n----\n\n", out);
    if (run->summary->end != RD_END_TROUBLE)
        rd_print_summary(out, run, &plain);
}

static void write_suite(FILE *out, const struct rd_run *run, enum rd_junit_result result) {
    char seed[24], executions[24], orders[24], workers[16];
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    snprintf(executions, sizeof executions, "%" PRIu64, run->summary->executions);
    snprintf(orders, sizeof orders, "%" PRIu64, run->summary->classes);
    snprintf(workers, sizeof workers, "%u", RD_MAX(run->workers, 1u));
    char *command = rd_shell_line(run->command);
    const struct rd_junit_property properties[] = {
        {"raddle.version", run->version},   {"raddle.command", command},
        {"raddle.strategy", run->strategy}, {"raddle.seed", seed},
        {"raddle.workers", workers},        {"raddle.executions", executions},
        {"raddle.distinct_orders", orders}, {"raddle.complete", run->complete ? "true" : "false"},
        {"raddle.claim", run->guarantee}};
    struct rd_junit_suite suite = {.name = "raddle run",
                                   .tests = 1,
                                   .failures = result == RD_JUNIT_FAILED,
                                   .errors = result == RD_JUNIT_ERROR,
                                   .time_s = run->elapsed_s,
                                   .began = time(NULL) - (time_t)run->elapsed_s,
                                   .properties = properties,
                                   .property_count = RD_COUNT(properties)};
    rd_junit_begin(out, &suite);
    free(command);
}

static void write_run(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                      const struct rd_look *look) {
    char message[MESSAGE] = "", *name = rd_shell_line(run->args), *bugs = NULL, *rest = NULL;
    size_t bugs_size, rest_size;
    FILE *bugs_out = open_memstream(&bugs, &bugs_size), *rest_out = open_memstream(&rest, &rest_size);
    if (!bugs_out || !rest_out)
        abort();
    const struct rd_report *first = write_reports(bugs_out, findings, count, false, look);
    write_rest(rest_out, run, findings, count, look);
    if (fclose(bugs_out) != 0 || fclose(rest_out) != 0)
        abort();
    struct rd_junit_case c = {.classname = "raddle",
                              .name = name,
                              .time_s = run->elapsed_s,
                              .result = first              ? RD_JUNIT_FAILED
                                        : run->status == 2 ? RD_JUNIT_ERROR
                                                           : RD_JUNIT_PASSED,
                              .type = "trouble",
                              .message = run->error ? run->error : "raddle run ended with trouble",
                              .text = run->trouble ? run->trouble : run->guarantee,
                              .output = rest};
    if (first) {
        failure_message(first, run->findings, message);
        c.type = rd_finding_name(first->schedule->finding.kind);
        c.message = message;
        c.text = bugs;
    }
    write_suite(out, run, c.result);
    rd_junit_case(out, &c);
    rd_junit_end(out);
    free(name);
    free(bugs);
    free(rest);
}

const struct rd_format rd_format_junit = {
    .name = "junit",
    .help = {[RD_DOCUMENT_RUN] = "write the result as JUnit XML, for the test reports of CI systems"},
    .run = write_run,
};
