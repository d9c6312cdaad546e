/*
 * sarif.c - the output format SARIF 2.1.0: a rule for each kind of findings, a result for each finding.
 *
 * The document fits GitHub's code scanning and its limits: paths are relative to the root of the repository; the id
 * of the run is its category, so that the results of one program do not replace the results of another; the number
 * of steps in the code flows is limited. docs/formats.md lists the parts on which a reader may rely.
 */
#include "report/ci/sarif.h"

#include "report/ci/source_root.h"
#include "report/format.h"
#include "result/run_result.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOCATIONS_OF_RESULT = 900 };

void rd_sarif_message(struct rd_sarif *s, const char *key, const char *text) {
    rd_json_open(&s->j, key, '{');
    rd_json_string(&s->j, "text", text);
    rd_json_close(&s->j, '}');
}

uint32_t rd_sarif_rule(unsigned kind) {
    RD_CHECK(kind > RD_NO_FINDING && kind < RD_FINDING_KINDS);
    return kind - 1;
}

/* Is a finding of this kind usually no certain bug, so that its result is a warning? */
static bool warns(unsigned kind) { return kind == RD_LOCK_DISCIPLINE || kind == RD_PREDICTED_DEADLOCK; }

static void write_rule(struct rd_sarif *s, unsigned kind) {
    struct rd_json *j = &s->j;
    const char *id = rd_finding_name(kind), *level = warns(kind) ? "warning" : "error";
    char help[400];
    snprintf(
        help, sizeof help,
        "Raddle has found this by running the program under schedules that it chooses. The steps of each thread "
        "are in the code flow of the result. `raddle replay` runs the schedule again; the message of the result "
        "names its file. Meaning: %s.",
        rd_finding_meaning(kind));
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "id", id);
    rd_sarif_message(s, "shortDescription", rd_words_kind(kind));
    rd_sarif_message(s, "fullDescription", rd_finding_meaning(kind));
    rd_sarif_message(s, "help", help);
    rd_json_open(j, "defaultConfiguration", '{');
    rd_json_string(j, "level", level);
    rd_json_close(j, '}');
    rd_json_open(j, "properties", '{');
    rd_json_open(j, "tags", '[');
    rd_json_string(j, NULL, "concurrency");
    rd_json_string(j, NULL, "correctness");
    rd_json_close(j, ']');
    rd_json_string(j, "precision", warns(kind) ? "medium" : "very-high");
    rd_json_string(j, "problem.severity", level);
    rd_json_close(j, '}');
    rd_json_close(j, '}');
}

static void write_tool(struct rd_sarif *s, const char *version) {
    rd_json_open(&s->j, "tool", '{');
    rd_json_open(&s->j, "driver", '{');
    rd_json_string(&s->j, "name", "Raddle");
    rd_json_string(&s->j, "version", version);
    rd_json_string(&s->j, "semanticVersion", version);
    rd_json_open(&s->j, "rules", '[');
    for (unsigned kind = RD_NO_FINDING + 1; kind < RD_FINDING_KINDS; kind++)
        write_rule(s, kind);
    rd_json_close(&s->j, ']');
    rd_json_close(&s->j, '}');
    rd_json_close(&s->j, '}');
}

/* Writes an object with the URI of a directory, which ends in a slash. */
void rd_sarif_directory(struct rd_sarif *s, const char *key, const char *path) {
    char uri[PATH_MAX * 3 + 16] = "file://";
    rd_source_uri(path, uri + strlen(uri), sizeof uri - strlen(uri) - 1);
    strcat(uri, "/");
    rd_json_open(&s->j, key, '{');
    rd_json_string(&s->j, "uri", uri);
    rd_json_close(&s->j, '}');
}

void rd_sarif_time(struct rd_sarif *s, const char *key, time_t at) {
    char text[32];
    struct tm utc;
    if (gmtime_r(&at, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        rd_json_string(&s->j, key, text);
}

static void write_invocation(struct rd_sarif *s, const struct rd_run *run) {
    struct rd_json *j = &s->j;
    char cwd[PATH_MAX], *line = rd_shell_line(run->command);
    time_t now = time(NULL);
    rd_json_open(j, "invocations", '[');
    rd_json_open(j, NULL, '{');
    rd_json_bool(j, "executionSuccessful", run->status != 2);
    rd_json_number(j, "exitCode", (uint64_t)run->status);
    rd_json_string(j, "commandLine", line);
    rd_json_open(j, "arguments", '[');
    for (uint32_t i = 1; run->command[i]; i++)
        rd_json_string(j, NULL, run->command[i]);
    rd_json_close(j, ']');
    rd_sarif_time(s, "startTimeUtc", now - (time_t)run->elapsed_s);
    rd_sarif_time(s, "endTimeUtc", now);
    if (getcwd(cwd, sizeof cwd))
        rd_sarif_directory(s, "workingDirectory", strcmp(cwd, "/") ? cwd : "");
    if (run->status == 2) {
        rd_json_open(j, "toolExecutionNotifications", '[');
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "level", "error");
        rd_sarif_message(s, "message", run->trouble ? run->trouble : run->error ? run->error : run->guarantee);
        rd_json_close(j, '}');
        rd_json_close(j, ']');
    }
    rd_json_close(j, '}');
    rd_json_close(j, ']');
    free(line);
}

/* What the run has proved, in the terms of the JSON format. */
static void write_properties(struct rd_sarif *s, const struct rd_run *run) {
    struct rd_json *j = &s->j;
    rd_json_open(j, "properties", '{');
    rd_json_string(j, "program", run->program);
    rd_json_string(j, "strategy", run->strategy);
    rd_json_number(j, "seed", run->seed);
    rd_json_number(j, "executions", run->summary->executions);
    rd_json_number(j, "distinct_orders", run->summary->classes);
    rd_json_bool(j, "complete", run->complete);
    rd_json_string(j, "guarantee", run->guarantee);
    rd_json_close(j, '}');
}

/* The steps of a result: those of the report for people, as long as the file does not get too large. */
static void find_limits(struct rd_sarif *s, uint32_t count, const struct rd_look *look) {
    s->locations_max = RD_MIN((uint32_t)LOCATIONS_OF_RESULT, RD_SARIF_LOCATIONS / RD_MAX(count, 1u));
    s->rows_max = look->rows_max ? RD_MIN(look->rows_max, s->locations_max) : s->locations_max;
}

void rd_sarif_begin(struct rd_sarif *s, FILE *out, const char *version, const char *category) {
    struct rd_json *j = &s->j;
    *s = (struct rd_sarif){.j = {.out = out}};
    rd_source_root(s->root);
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    rd_json_string(j, "version", "2.1.0");
    rd_json_open(j, "runs", '[');
    rd_json_open(j, NULL, '{');
    write_tool(s, version);
    rd_json_open(j, "automationDetails", '{');
    rd_json_string(j, "id", category);
    rd_json_close(j, '}');
    rd_json_open(j, "originalUriBaseIds", '{');
    rd_sarif_directory(s, "%SRCROOT%", s->root);
    rd_json_close(j, '}');
}

void rd_sarif_end(struct rd_sarif *s) {
    rd_json_close(&s->j, '}');
    rd_json_close(&s->j, ']');
    rd_json_close(&s->j, '}');
}

static void write_run(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                      const struct rd_look *look) {
    static struct rd_sarif s;
    const char *slash = strrchr(run->program, '/');
    char category[PATH_MAX];
    snprintf(category, sizeof category, "raddle/%s/", slash ? slash + 1 : run->program);
    rd_sarif_begin(&s, out, run->version, category);
    find_limits(&s, count, look);
    write_invocation(&s, run);
    write_properties(&s, run);
    rd_json_open(&s.j, "results", '[');
    for (uint32_t i = 0; i < count; i++)
        rd_sarif_result(&s, &findings[i]);
    rd_json_close(&s.j, ']');
    rd_sarif_end(&s);
}

const struct rd_format rd_format_sarif = {
    .name = "sarif",
    .help = {[RD_DOCUMENT_RUN] = "write the findings as SARIF 2.1.0, for code scanning and editors"},
    .run = write_run,
};
