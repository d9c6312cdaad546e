/*
 * github.c - the output format of GitHub Actions: an annotation for each finding, which GitHub shows at the line of
 * source in the changes of a pull request, and a table in the summary of the job.
 *
 * Texts of the tested program are in both, so they are escaped (github_log.h). The report for people, which has
 * such texts as they are, stands before the annotations in the same log; while it is printed, GitHub is told to
 * obey nothing.
 */
#include "report/ci/github_log.h"
#include "report/ci/source_root.h"
#include "report/format.h"
#include "result/run_result.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The position of the finding as a path in the repository. False: it is not known, or not in the repository. */
static bool position(const struct rd_report *r, const char *root, char path[PATH_MAX], int *line) {
    struct rd_where w;
    rd_facts_where(r, &w);
    *line = w.line;
    const char *file =
        w.path[0] ? w.path : w.file; /* a failed check has the name that the test framework printed */
    return w.line && file[0] && rd_source_path(root, r->schedule->cwd ? r->schedule->cwd : "/", file, path);
}

static void annotate(FILE *out, const struct rd_report *r, const char *program, const char *root) {
    char path[PATH_MAX], text[700], command[RD_COMMAND], title[128];
    struct rd_where w;
    int line;
    snprintf(title, sizeof title, "Raddle: %s in ", rd_words_kind(r->schedule->finding.kind));
    rd_github_begin(out, r->warning ? "warning" : "error", title, program);
    rd_facts_where(r, &w);
    bool known = position(r, root, path, &line);
    if (known) {
        fputs(",file=", out);
        rd_github_put(out, path, true);
        fprintf(out, ",line=%d,endLine=%d", line, line);
    }
    fputs("::", out);
    rd_facts_headline(r, text, sizeof text);
    rd_github_put(out, text, false);
    if (!known && w.file[0]) {
        rd_github_put(out, "\nat ", false);
        rd_github_put(out, w.file, false);
        if (w.line)
            fprintf(out, ":%d", w.line);
    }
    rd_why_decided(r, text, sizeof text);
    rd_github_put(out, text[0] ? "\n" : "", false);
    rd_github_put(out, text, false);
    if (r->schedule_path) {
        rd_github_put(out, "\nreplay: ", false);
        rd_github_put(out, rd_words_command(r, "replay", command), false);
    }
    fputc('\n', out);
}

/* What is said of a run without a bug: the trouble, or what the run has proved. */
static void conclude(FILE *out, const struct rd_run *run, const char *program) {
    bool trouble = run->status == 2;
    rd_github_begin(out, trouble ? "error" : "notice",
                    trouble ? "Raddle: trouble with " : "Raddle: no bug found in ", program);
    fputs("::", out);
    rd_github_put(out,
                  trouble && run->trouble ? run->trouble
                  : trouble && run->error ? run->error
                                          : run->guarantee,
                  false);
    fputc('\n', out);
}

/* ---- the summary of the job, in Markdown ---- */

/* The position of the finding, as a link to the line of source if GitHub says where the source is. */
static void put_link(FILE *out, const struct rd_report *r, const char *root) {
    char path[PATH_MAX];
    struct rd_where w;
    int line;
    rd_facts_where(r, &w);
    bool inside = position(r, root, path, &line);
    rd_github_link(out, inside ? path : w.file, w.line, inside);
}

static void write_row(FILE *out, const struct rd_report *r, const char *root) {
    char text[700], command[RD_COMMAND];
    fprintf(out, "| %s | ", r->warning ? "warning" : "bug");
    rd_facts_headline(r, text, sizeof text);
    rd_github_code(out, text);
    fputs(" | ", out);
    put_link(out, r, root);
    fputs(" | ", out);
    if (r->schedule_path)
        rd_github_code(out, rd_words_command(r, "replay", command));
    fputs(" |\n", out);
}

static void write_summary(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                          const char *root) {
    char *name = rd_shell_line(run->args), number[32];
    fputs("### Raddle: ", out);
    rd_github_code(out, name);
    fputs(": ", out);
    if (run->findings)
        fprintf(out, "%" PRIu64 " bug%s\n\n", run->findings, run->findings == 1 ? "" : "s");
    else
        fprintf(out, "%s\n\n", run->status == 2 ? "trouble" : "no bug found");
    if (count)
        fputs("| | finding | where | replay |\n|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < count; i++)
        write_row(out, &findings[i], root);
    if (count)
        fputs("\n", out);
    if (run->status == 2 && run->error)
        rd_github_code(out, run->error);
    else
        rd_github_markdown(out, run->guarantee);
    fprintf(out, "\n\n%s execution%s, strategy ", rd_words_number(run->summary->executions, number),
            run->summary->executions == 1 ? "" : "s");
    rd_github_markdown(out, run->strategy);
    fprintf(out, ", seed %" PRIu64 ", %.1f s\n\n", run->seed, run->elapsed_s);
    free(name);
}

static void write_run(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                      const struct rd_look *look) {
    (void)look;
    char root[PATH_MAX], *text = NULL;
    const char *slash = strrchr(run->program, '/'), *program = slash ? slash + 1 : run->program;
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    size_t size;
    rd_source_root(root);
    rd_github_obey(out);
    for (uint32_t i = 0; i < count; i++)
        annotate(out, &findings[i], program, root);
    if (!run->findings)
        conclude(out, run, program);
    if (!path || !path[0])
        return;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    write_summary(memory, run, findings, count, root);
    if (fclose(memory) != 0)
        abort();
    const char *why = rd_github_append(path, text, size);
    if (why)
        rd_github_no_summary(out, program, why);
    free(text);
}

const struct rd_format rd_format_github = {
    .name = "github",
    .in_log = true,
    .help = {[RD_DOCUMENT_RUN] = "print each finding as an annotation of GitHub Actions, and append a table to the "
                                 "summary of its job"},
    .log = rd_github_obey_nothing,
    .run = write_run,
};
