/* test_documents.c - see test_documents.h. The document of each run stands in it as that run has written it. */
#include "cli/test/documents/test_documents.h"

#include "cli/test/documents/test_pages.h"
#include "cli/test/framework.h"
#include "cli/test/test_table.h"
#include "report/ci/junit.h"
#include "report/json/json_options.h"

#include <errno.h>
#include <string.h>

enum { FORMAT = 1 }; /* of the JSON document: a new one when a key changes its meaning or goes */

static FILE *files[RD_TEST_DOCUMENTS];

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

bool rd_test_documents_take_stdout(const struct rd_test_options *o) {
    bool taken = false;
    for (unsigned i = 0; i < RD_TEST_DOCUMENTS; i++)
        taken |= is_stdout(o->documents[i]);
    return taken;
}

bool rd_test_documents_open(const struct rd_test_options *o) {
    for (unsigned i = 0; i < RD_TEST_DOCUMENTS; i++) {
        const char *path = o->documents[i];
        if (!path)
            continue;
        files[i] = is_stdout(path) ? stdout : fopen(path, "we");
        if (!files[i])
            return rd_trouble("cannot write '%s': %s", path, strerror(errno)), false;
    }
    return !o->html || rd_test_pages_open(o->html);
}

/* The options of the sections for the test. */
static void write_own(struct rd_json *j, const struct rd_test *t) {
    struct rd_given_option list[RD_TEST_PASSED_ON];
    uint32_t n = 0;
    for (; t->own && t->own[n]; n++)
        list[n] = t->own[n]->option;
    rd_json_given_options(j, list, n);
}

static void write_test(struct rd_json *j, const struct rd_test *t) {
    const struct rd_test_result *x = &t->result;
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "name", t->name);
    rd_json_string(j, "program", t->program->word);
    rd_json_string(j, "framework", t->program->framework->name);
    rd_json_open(j, "arguments", '[');
    for (uint32_t i = 0; t->args[i]; i++)
        rd_json_string(j, NULL, t->args[i]);
    for (char **more = t->program->args; more && *more; more++)
        rd_json_string(j, NULL, *more);
    rd_json_close(j, ']');
    write_own(j, t);
    rd_json_string(j, "result", rd_test_outcome_key(x->outcome));
    rd_json_string(j, "text", *x->words ? x->words : NULL);
    rd_json_number(j, "executions", x->executions);
    rd_json_real(j, "elapsed_s", x->seconds, 6);
    if (x->run)
        rd_json_copy(j, "run", x->document);
    else
        rd_json_string(j, "run", NULL);
    rd_json_close(j, '}');
}

static void write_json(FILE *out, const struct rd_test_runs *r) {
    struct rd_json j = {.out = out};
    const struct rd_given_option *given;
    uint32_t totals[RD_TEST_OUTCOMES];
    rd_test_totals(r->list, totals);
    rd_json_open(&j, NULL, '{');
    rd_json_number(&j, "format", FORMAT);
    rd_json_string(&j, "raddle", RADDLE_VERSION);
    rd_json_string(&j, "command", "test");
    rd_json_number(&j, "exit_status", (uint64_t)rd_tests_exit_status(r));
    uint32_t given_count = rd_defaults_given(&r->options->defaults, &given);
    rd_json_given_options(&j, given, given_count);
    rd_json_open(&j, "totals", '{');
    rd_json_number(&j, "tests", r->list->count);
    for (unsigned i = 0; i < RD_TEST_OUTCOMES; i++)
        rd_json_number(&j, rd_test_outcome_key((enum rd_test_outcome)i), totals[i]);
    rd_json_close(&j, '}');
    rd_json_bool(&j, "stopped", r->stopped);
    rd_json_real(&j, "elapsed_s", r->seconds, 6);
    rd_json_open(&j, "tests", '[');
    for (uint32_t i = 0; i < r->list->count; i++)
        write_test(&j, &r->list->at[i]);
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
}

static enum rd_junit_result junit_result(enum rd_test_outcome o) {
    return o == RD_TEST_BUG                            ? RD_JUNIT_FAILED
           : o == RD_TEST_TROUBLE                      ? RD_JUNIT_ERROR
           : o == RD_TEST_PASSED || o == RD_TEST_ALONE ? RD_JUNIT_PASSED
                                                       : RD_JUNIT_SKIPPED;
}

static void write_case(FILE *out, const struct rd_test *t) {
    const struct rd_test_result *x = &t->result;
    const json_t *first = json_array_get(json_object_get(x->run, "findings"), 0);
    bool bug = x->outcome == RD_TEST_BUG;
    rd_junit_case(out, &(struct rd_junit_case){.classname = t->program->label,
                                               .name = t->name,
                                               .time_s = x->seconds,
                                               .result = junit_result(x->outcome),
                                               .type = bug ? rd_test_json_text(first, "kind")
                                                           : rd_test_outcome_word(x->outcome),
                                               .message = *x->words ? x->words : rd_test_outcome_word(x->outcome),
                                               .text = x->report ? x->report : x->words,
                                               .output = bug ? NULL : x->words});
}

/* A test that was not run counts as skipped: it is neither a failure nor a success. */
static void write_junit(FILE *out, const struct rd_test_runs *r) {
    uint32_t totals[RD_TEST_OUTCOMES];
    rd_test_totals(r->list, totals);
    const struct rd_junit_property properties[] = {{"raddle.version", RADDLE_VERSION}, {"raddle.command", "test"}};
    const struct rd_junit_suite suite = {.name = "raddle test",
                                         .tests = r->list->count,
                                         .failures = totals[RD_TEST_BUG],
                                         .errors = totals[RD_TEST_TROUBLE],
                                         .skipped = totals[RD_TEST_SKIPPED] + totals[RD_TEST_DISABLED] +
                                                    totals[RD_TEST_NOT_RUN],
                                         .time_s = r->seconds,
                                         .began = time(NULL) - (time_t)r->seconds,
                                         .properties = properties,
                                         .property_count = RD_COUNT(properties)};
    rd_junit_begin(out, &suite);
    for (uint32_t i = 0; i < r->list->count; i++)
        write_case(out, &r->list->at[i]);
    rd_junit_end(out);
}

int rd_test_documents_write(const struct rd_test_runs *r) {
    static void (*const write[])(FILE * out, const struct rd_test_runs *r) = {
        [RD_TEST_JSON] = write_json, [RD_TEST_JUNIT] = write_junit, [RD_TEST_SARIF] = rd_test_sarif};
    int status = rd_test_pages_write(r);
    for (unsigned i = 0; i < RD_TEST_DOCUMENTS; i++) {
        if (!files[i])
            continue;
        write[i](files[i], r);
        bool failed = ferror(files[i]) || fflush(files[i]) != 0;
        if (files[i] != stdout)
            failed |= fclose(files[i]) != 0;
        if (failed)
            status = rd_trouble("cannot write '%s'", r->options->documents[i]);
    }
    return status;
}
