/*
 * test_github.c - what GitHub Actions shows of raddle test: an annotation for each finding, and one summary of all
 * tests. What is known of the findings is taken from the SARIF of their runs, whose paths are relative to the root
 * of the repository already.
 */
#include "cli/test/documents/test_documents.h"
#include "cli/test/test_table.h"
#include "report/ci/github_log.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 4096 };

static FILE *log_of(const struct rd_test_options *o) { return rd_test_documents_take_stdout(o) ? stderr : stdout; }

void rd_test_github_begin(const struct rd_test_options *o) {
    if (o->github)
        rd_github_obey_nothing(log_of(o));
}

void rd_test_github_end(const struct rd_test_options *o) {
    if (o->github)
        rd_github_obey(log_of(o));
}

/* ---- a finding ---- */

struct found {
    const struct rd_test *test;
    bool warning, inside; /* inside: `path` is relative to the root of the repository */
    const char *kind;     /* in words */
    const char *text;     /* the sentence, and on lines after it what decides the execution, and how to replay it */
    const char *schedule;
    char path[PATH_MAX];
    int line; /* 0: not known */
};

static unsigned digit(char c) {
    return isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)(toupper(c) - 'A' + 10);
}

/* Undoes rd_source_uri. */
static void decode(const char *uri, char to[PATH_MAX]) {
    size_t n = 0;
    for (; *uri && n + 1 < PATH_MAX; n++)
        if (*uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2])) {
            to[n] = (char)(digit(uri[1]) * 16 + digit(uri[2]));
            uri += 3;
        } else {
            to[n] = *uri++;
        }
    to[n] = 0;
}

static void read_finding(struct found *f, const struct rd_test *t, const json_t *result) {
    static const char scheme[] = "file://";
    const json_t *place =
        json_object_get(json_array_get(json_object_get(result, "locations"), 0), "physicalLocation");
    const json_t *file = json_object_get(place, "artifactLocation");
    const char *uri = rd_test_json_text(file, "uri");
    json_int_t rule = json_integer_value(json_object_get(result, "ruleIndex"));
    *f =
        (struct found){.test = t,
                       .warning = strcmp(rd_test_json_text(result, "level"), "warning") == 0,
                       .inside = json_object_get(file, "uriBaseId") != NULL,
                       .kind = rule >= 0 && rule < RD_FINDING_KINDS - 1 ? rd_words_kind((unsigned)rule + 1) : "bug",
                       .text = rd_test_json_text(json_object_get(result, "message"), "text"),
                       .schedule = rd_test_json_text(json_object_get(result, "properties"), "schedule")};
    f->line = (int)json_integer_value(json_object_get(json_object_get(place, "region"), "startLine"));
    decode(strncmp(uri, scheme, strlen(scheme)) == 0 ? uri + strlen(scheme) : uri, f->path);
}

/* The findings of all tests; `again`: the same bug is in the list before. */
struct findings {
    struct {
        const struct rd_test *test;
        const json_t *result;
        char id[RD_IDENTITY];
        bool again;
    } * at;
    uint32_t count;
};

static void list_findings(struct findings *list, const struct rd_test_runs *r) {
    const json_t *result;
    size_t k, all = 0;
    for (uint32_t i = 0; i < r->list->count; i++)
        all += json_array_size(json_object_get(r->list->at[i].result.sarif, "results"));
    list->count = 0;
    list->at = calloc(all + 1, sizeof *list->at);
    if (!list->at)
        abort();
    for (uint32_t i = 0; i < r->list->count; i++) {
        const struct rd_test *t = &r->list->at[i];
        json_array_foreach(json_object_get(t->result.sarif, "results"), k, result) {
            uint32_t n = list->count++;
            list->at[n].test = t;
            list->at[n].result = result;
            rd_test_fingerprint(t, result, list->at[n].id);
            for (uint32_t earlier = 0; earlier < n && !list->at[n].again; earlier++)
                list->at[n].again = strcmp(list->at[earlier].id, list->at[n].id) == 0;
        }
    }
}

/* ---- annotations ---- */

static void annotate(FILE *out, const struct rd_test_runs *r, const struct found *f) {
    char title[128], name[NAME];
    snprintf(title, sizeof title, "Raddle: %s in ", f->kind);
    rd_github_begin(out, f->warning ? "warning" : "error", title,
                    rd_test_full_name(f->test, r->several, name, sizeof name));
    if (f->inside && f->line) {
        fputs(",file=", out);
        rd_github_put(out, f->path, true);
        fprintf(out, ",line=%d,endLine=%d", f->line, f->line);
    }
    fputs("::", out);
    rd_github_put(out, f->text, false);
    if (f->line && !f->inside) {
        rd_github_put(out, "\nat ", false);
        rd_github_put(out, f->path, false);
        fprintf(out, ":%d", f->line);
    }
    fputc('\n', out);
}

/* GitHub shows only the first annotations of a step, so those of a bug that an earlier test has come last. */
static void annotate_findings(FILE *out, const struct rd_test_runs *r, const struct findings *list) {
    static struct found f;
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < list->count; i++) {
            if (list->at[i].again != again)
                continue;
            read_finding(&f, list->at[i].test, list->at[i].result);
            annotate(out, r, &f);
        }
}

/* A bug of which no log is left, as its run was killed, or trouble. */
static void annotate_rest(FILE *out, const struct rd_test_runs *r, const struct rd_test *t) {
    char name[NAME];
    bool bug = t->result.outcome == RD_TEST_BUG && !json_array_size(json_object_get(t->result.sarif, "results"));
    if (!bug && t->result.outcome != RD_TEST_TROUBLE)
        return;
    rd_github_begin(out, "error", bug ? "Raddle: bug in " : "Raddle: trouble with ",
                    rd_test_full_name(t, r->several, name, sizeof name));
    fputs("::", out);
    rd_github_put(out, t->result.words, false);
    fputc('\n', out);
}

/* The totals in one line. The caller frees them. */
static char *totals_line(const struct rd_test_runs *r) {
    const struct rd_look plain = {0};
    static char *text; /* of a local variable gcc 12 believes that the result points into it */
    static size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    rd_test_print_totals(memory, r, &plain);
    if (fclose(memory) != 0)
        abort();
    text[strcspn(text, "\n")] = 0;
    return text;
}

/* ---- the summary of the job, in Markdown ---- */

static void write_finding_row(FILE *out, const struct rd_test_runs *r, const struct found *f) {
    char name[NAME], command[RD_COMMAND];
    const struct rd_report report = {.schedule_path = f->schedule};
    char *sentence = strndup(f->text, strcspn(f->text, "\n"));
    if (!sentence)
        abort();
    fprintf(out, "| %s | ", f->warning ? "warning" : "bug");
    rd_github_code(out, rd_test_full_name(f->test, r->several, name, sizeof name));
    fputs(" | ", out);
    rd_github_code(out, sentence);
    fputs(" | ", out);
    rd_github_link(out, f->path, f->line, f->inside && f->line);
    fputs(" | ", out);
    if (*f->schedule)
        rd_github_code(out, rd_words_command(&report, "replay", command));
    fputs(" |\n", out);
    free(sentence);
}

static void write_test_row(FILE *out, const struct rd_test_runs *r, const struct rd_test *t) {
    char name[NAME], number[32];
    const struct rd_test_result *x = &t->result;
    fputs("| ", out);
    rd_github_code(out, rd_test_full_name(t, r->several, name, sizeof name));
    fprintf(out, " | %s%s", rd_test_outcome_word(x->outcome), *x->words ? ": " : "");
    if (*x->words)
        rd_github_code(out, x->words);
    if (x->executions)
        fprintf(out, " | %s | %.2f s |\n", rd_words_number(x->executions, number), x->seconds);
    else
        fputs(" | | |\n", out);
}

/* How much of the tests stands in the summary. */
enum detail { ONLY_TOTALS, NOT_PASSED, EVERY_TEST };

static bool has_row(const struct rd_test *t, enum detail detail) {
    enum rd_test_outcome o = t->result.outcome;
    return detail == EVERY_TEST ||
           (detail == NOT_PASSED && (o == RD_TEST_BUG || o == RD_TEST_TROUBLE || o == RD_TEST_NOT_RUN));
}

/* The caller frees the text. */
static char *make_summary(const struct rd_test_runs *r, const struct findings *list, enum detail detail,
                          size_t *size) {
    static struct found f;
    char *text = NULL, *totals = totals_line(r);
    uint32_t rows = 0;
    FILE *out = open_memstream(&text, size);
    if (!out)
        abort();
    fputs("### Raddle: ", out);
    rd_github_markdown(out, totals);
    fputs("\n\n", out);
    free(totals);
    for (uint32_t i = 0; i < r->list->count; i++)
        if (has_row(&r->list->at[i], detail)) {
            fputs(rows++ ? "" : "| test | result | executions | time |\n|---|---|---:|---:|\n", out);
            write_test_row(out, r, &r->list->at[i]);
        }
    if (rows < r->list->count)
        fprintf(out, "\n%u of the tests %s not shown.\n", r->list->count - rows,
                r->list->count - rows == 1 ? "is" : "are");
    if (detail != ONLY_TOTALS && list->count)
        fputs("\n| | test | finding | where | replay |\n|---|---|---|---|---|\n", out);
    for (uint32_t i = 0; detail != ONLY_TOTALS && i < list->count; i++) {
        read_finding(&f, list->at[i].test, list->at[i].result);
        write_finding_row(out, r, &f);
    }
    fputs("\n", out);
    if (fclose(out) != 0)
        abort();
    return text;
}

/* Appends as much as the summary has room for. */
static void append_summary(FILE *out, const struct rd_test_runs *r, const struct findings *list) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!path || !path[0])
        return;
    size_t size;
    enum detail detail = EVERY_TEST;
    char *text = make_summary(r, list, detail, &size);
    while (size > rd_github_room(path) && detail > ONLY_TOTALS) {
        free(text);
        text = make_summary(r, list, --detail, &size);
    }
    const char *why = rd_github_append(path, text, size);
    if (why)
        rd_github_no_summary(out, "raddle test", why);
    free(text);
}

void rd_test_github(const struct rd_test_runs *r) {
    FILE *out = log_of(r->options);
    if (!r->options->github)
        return;
    struct findings list;
    rd_github_obey(out);
    list_findings(&list, r);
    annotate_findings(out, r, &list);
    for (uint32_t i = 0; i < r->list->count; i++)
        annotate_rest(out, r, &r->list->at[i]);
    uint32_t totals_of[RD_TEST_OUTCOMES];
    rd_test_totals(r->list, totals_of);
    bool clean = rd_tests_exit_status(r) == RD_EXIT_CLEAN;
    if (clean || totals_of[RD_TEST_NOT_RUN]) {
        char *totals = totals_line(r);
        rd_github_begin(out, clean ? "notice" : "error",
                        "Raddle: ", clean ? "no bug found" : "not every test was run");
        fputs("::", out);
        rd_github_put(out, totals, false);
        fputc('\n', out);
        free(totals);
    }
    append_summary(out, r, &list);
    free(list.at);
}
