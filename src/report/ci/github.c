/*
 * github.c - the output format of GitHub Actions: an annotation for each finding, which GitHub shows at the line of
 * source in the changes of a pull request, and a table in the summary of the job.
 *
 * Annotations are lines of the log ("workflow commands"). Texts of the tested program are in them, so every
 * character that could end the line or a property is escaped. The report for people, which has such texts as they
 * are, stands before them in the same log; while it is printed, GitHub is told to obey nothing.
 */
#include "report/ci/source_root.h"
#include "report/ci/visible_text.h"
#include "report/format.h"
#include "result/run_result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>

enum { SUMMARY_BYTES_MAX = 1 << 20 }; /* GitHub shows no summary of a step that is longer */

/* Writes text of a workflow command; `property`: of a property, which a comma or colon would end. */
static void put(FILE *out, const char *text, bool property) {
    while (*text)
        if (*text == '%' || *text == '\n' || *text == '\r' || (property && (*text == ':' || *text == ',')))
            fprintf(out, "%%%02X", (unsigned char)*text++);
        else
            rd_visible_character(out, &text);
}

static void begin(FILE *out, const char *command, const char *title, const char *program) {
    fprintf(out, "::%s title=", command);
    put(out, title, true);
    put(out, program, true);
}

/* The position of the finding as a path in the repository. False: it is not known, or not in the repository. */
static bool position(const struct rd_report *r, const char *root, char path[PATH_MAX], int *line) {
    struct rd_where w;
    rd_facts_where(r, &w);
    *line = w.line;
    return w.line && w.path[0] && rd_source_path(root, r->schedule->cwd ? r->schedule->cwd : "/", w.path, path);
}

static void annotate(FILE *out, const struct rd_report *r, const char *program, const char *root) {
    char path[PATH_MAX], text[700], command[RD_COMMAND], title[128];
    struct rd_where w;
    int line;
    snprintf(title, sizeof title, "Raddle: %s in ", rd_words_kind(r->schedule->finding.kind));
    begin(out, r->warning ? "warning" : "error", title, program);
    rd_facts_where(r, &w);
    bool known = position(r, root, path, &line);
    if (known) {
        fputs(",file=", out);
        put(out, path, true);
        fprintf(out, ",line=%d,endLine=%d", line, line);
    }
    fputs("::", out);
    rd_facts_headline(r, text, sizeof text);
    put(out, text, false);
    if (!known && w.file[0]) {
        put(out, "\nat ", false);
        put(out, w.file, false);
        if (w.line)
            fprintf(out, ":%d", w.line);
    }
    rd_why_decided(r, text, sizeof text);
    put(out, text[0] ? "\n" : "", false);
    put(out, text, false);
    if (r->schedule_path) {
        put(out, "\nreplay: ", false);
        put(out, rd_words_command(r, "replay", command), false);
    }
    fputc('\n', out);
}

/* What is said of a run without a bug: the trouble, or what the run has proved. */
static void conclude(FILE *out, const struct rd_run *run, const char *program) {
    bool trouble = run->status == 2;
    begin(out, trouble ? "error" : "notice", trouble ? "Raddle: trouble with " : "Raddle: no bug found in ",
          program);
    fputs("::", out);
    put(out, trouble && run->trouble ? run->trouble : trouble && run->error ? run->error : run->guarantee, false);
    fputc('\n', out);
}

/* ---- the summary of the job, in Markdown ---- */

/*
 * Writes a text in one line, in which no character means anything to Markdown or HTML. What looks like an address
 * of the web or of mail does not become a link: the comment separates the name from the '@'.
 */
static void put_markdown(FILE *out, const char *text) {
    while (*text)
        if (strchr("\\`*_{}[]()<>#+-!|~&\"'$:@", *text) || strncasecmp(text, "www.", 4) == 0)
            fprintf(out, "%s&#%d;", *text == '@' ? "<!-- -->" : "", *text), text++;
        else if (*text == '\n' || *text == '\t')
            fputc(' ', out), text++;
        else
            rd_visible_character(out, &text);
}

/* Texts of the program are code: in all other text GitHub looks for @names and :emoji: after Markdown is done. */
static void put_code(FILE *out, const char *text) {
    fputs("<code>", out);
    put_markdown(out, text);
    fputs("</code>", out);
}

/* The position of the finding, as a link to the line of source if GitHub says where the source is. */
static void put_link(FILE *out, const struct rd_report *r, const char *root) {
    const char *server = getenv("GITHUB_SERVER_URL"), *repository = getenv("GITHUB_REPOSITORY"),
               *commit = getenv("GITHUB_SHA");
    char path[PATH_MAX], uri[PATH_MAX * 3], at[PATH_MAX + 16];
    struct rd_where w;
    int line;
    rd_facts_where(r, &w);
    if (!position(r, root, path, &line)) {
        snprintf(at, sizeof at, w.line ? "%s:%d" : "%s", w.file, w.line);
        put_code(out, at);
        return;
    }
    snprintf(at, sizeof at, "%s:%d", path, line);
    if (!server || !repository || !commit) {
        put_code(out, at);
        return;
    }
    fputs("[", out);
    put_code(out, at);
    fputs("](", out);
    fputs(server, out);
    for (int i = 0; i < 3; i++) {
        rd_source_uri(i == 0 ? repository : i == 1 ? commit : path, uri, sizeof uri);
        fprintf(out, "%s%s", i == 1 ? "/blob/" : "/", uri);
    }
    fprintf(out, "#L%d)", line);
}

static void write_row(FILE *out, const struct rd_report *r, const char *root) {
    char text[700], command[RD_COMMAND];
    fprintf(out, "| %s | ", r->warning ? "warning" : "bug");
    rd_facts_headline(r, text, sizeof text);
    put_code(out, text);
    fputs(" | ", out);
    put_link(out, r, root);
    fputs(" | ", out);
    if (r->schedule_path)
        put_code(out, rd_words_command(r, "replay", command));
    fputs(" |\n", out);
}

static void write_summary(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                          const char *root) {
    char *name = rd_shell_line(run->args), number[32];
    fputs("### Raddle: ", out);
    put_code(out, name);
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
        put_code(out, run->error);
    else
        put_markdown(out, run->guarantee);
    fprintf(out, "\n\n%s execution%s, strategy ", rd_words_number(run->summary->executions, number),
            run->summary->executions == 1 ? "" : "s");
    put_markdown(out, run->strategy);
    fprintf(out, ", seed %" PRIu64 ", %.1f s\n\n", run->seed, run->elapsed_s);
    free(name);
}

/* Appends the summary to the file that GitHub has named. Returns NULL, or why it could not. */
static const char *append_summary(const char *path, const char *text, size_t size) {
    struct stat st;
    FILE *out = fopen(path, "ae");
    if (!out)
        return strerror(errno);
    if (fstat(fileno(out), &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size + size > SUMMARY_BYTES_MAX) {
        fclose(out);
        return "the summary of this step is full";
    }
    bool failed = fwrite(text, 1, size, out) != size;
    failed |= fclose(out) != 0;
    return failed ? strerror(errno) : NULL;
}

/* The word that ends the part of the log that is not to be obeyed; "": there is none. */
static char token[33];

static void begin_log(FILE *out) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random)
        return; /* a word that the program can guess is of no use */
    snprintf(token, sizeof token, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    fprintf(out, "::stop-commands::%s\n", token);
    fflush(out);
}

static void end_log(FILE *out) {
    if (token[0])
        fprintf(out, "::%s::\n", token);
    token[0] = 0;
}

static void write_run(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                      const struct rd_look *look) {
    (void)look;
    char root[PATH_MAX], *text = NULL;
    const char *slash = strrchr(run->program, '/'), *program = slash ? slash + 1 : run->program;
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    size_t size;
    rd_source_root(root);
    end_log(out);
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
    const char *why = append_summary(path, text, size);
    if (why) {
        begin(out, "warning", "Raddle: no summary of ", program);
        fputs("::cannot append to GITHUB_STEP_SUMMARY: ", out);
        put(out, why, false);
        fputc('\n', out);
    }
    free(text);
}

const struct rd_format rd_format_github = {
    .name = "github",
    .in_log = true,
    .help = {[RD_DOCUMENT_RUN] = "print each finding as an annotation of GitHub Actions, and append a table to the "
                                 "summary of its job"},
    .log = begin_log,
    .run = write_run,
};
