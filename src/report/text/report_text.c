/* report_text.c - the output format text: the parts of a report in their order. The other files print the parts. */
#include "report/format.h"
#include "report/text/report_text.h"

#include <string.h>

enum { OUTPUT_LINES = 24 };       /* enough for the message about one failed test in most frameworks … */
enum { OUTPUT_BYTES = 16 << 10 }; /* … and a limit for lines that are very long */

/* Is the output one line, with the condition of an assertion that the headline has already? */
static bool is_said(const struct rd_report *r) {
    const struct rd_finding *f = &r->schedule->finding;
    const char *end = memchr(r->output, '\n', r->output_size);
    size_t length = end ? (size_t)(end - r->output) : r->output_size;
    bool one = !r->output_cut && (!end || length + 1 == r->output_size);
    return one && f->kind == RD_ASSERTION && f->line && f->message[0] &&
           memmem(r->output, length, f->message, strlen(f->message));
}

/* The last lines of the program's output. */
void rd_print_output(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    if (!r->output || r->output_size == 0 || is_said(r))
        return;
    size_t start = r->output_size, lines = 0;
    while (start > 0 && lines <= OUTPUT_LINES && r->output_size - start < OUTPUT_BYTES)
        if (r->output[--start] == '\n' && start + 1 < r->output_size)
            lines++;
    if (lines > OUTPUT_LINES)
        start++;
    fprintf(out, "\n%sthe program's output%s%s\n", rd_paint(look, RD_BOLD),
            start + r->output_cut > 0 ? " (its end)" : "", rd_paint(look, RD_UNPAINTED));
    bool begin = true;
    for (size_t i = start; i < r->output_size; i++) {
        unsigned char c = (unsigned char)r->output[i];
        if (begin)
            fputs("  | ", out);
        begin = c == '\n';
        fputc(c, out);
    }
    if (!begin)
        fputs("\n", out);
}

static void print_replay(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    if (!r->schedule_path)
        return;
    char command[RD_COMMAND];
    fprintf(out, "\nschedule: %s\n", r->schedule_path);
    fprintf(out, "replay:   %s%s%s\n", rd_paint(look, RD_BOLD), rd_words_command(r, "replay", command),
            rd_paint(look, RD_UNPAINTED));
    fprintf(out, "debug:    %s\n", rd_words_command(r, "replay --gdb", command));
}

/* The blocks of the heap that the finding is about, each with where it comes from. */
void rd_print_blocks(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    enum { SHOWN = 6 };
    const struct rd_used_block *blocks[SHOWN];
    uint32_t n = rd_facts_blocks(r, blocks, SHOWN);
    for (uint32_t i = 0; i < n; i++) {
        char name[RD_PHRASE], origin[RD_PHRASE + RD_LOCATION];
        rd_words_block_name(r, blocks[i], name, sizeof name);
        rd_words_block_origin(r, blocks[i], origin, sizeof origin);
        fprintf(out, "%s  %s%s%s is %s\n", i ? "" : "\n", rd_paint(look, RD_BOLD), name,
                rd_paint(look, RD_UNPAINTED), origin);
    }
}

void rd_print_report(FILE *to, const struct rd_report *r, const struct rd_look *look) {
    FILE *out = rd_wrap_open(to, look);
    rd_print_finding(out, r, look);
    rd_print_why(out, r, look);
    rd_print_blocks(out, r, look);
    rd_print_columns(out, r, look);
    rd_print_threads(out, r, look);
    rd_print_output(out, r, look);
    print_replay(out, r, look);
    rd_wrap_close(out);
}

/* The replay of a schedule without a finding: the number of steps, and the output. */
static void print_passed(FILE *to, const struct rd_report *r) {
    FILE *out = rd_wrap_open(to, NULL);
    const char *output = r->output;
    size_t size = r->output_size;
    char number[32];
    fprintf(out, "the execution followed the schedule to its end (%s step%s)\n",
            rd_words_number(r->schedule->step_count, number), r->schedule->step_count == 1 ? "" : "s");
    if (size)
        fprintf(out, "%s\n", r->output_cut ? "the program's output (its end)" : "the program's output");
    for (size_t i = 0; i < size; i++) {
        if (i == 0 || output[i - 1] == '\n')
            fputs("  | ", out);
        fputc(output[i], out);
    }
    if (size && output[size - 1] != '\n')
        fputc('\n', out);
    rd_wrap_close(out);
}

static void write_replay(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    if (r->schedule->finding.kind == RD_NO_FINDING)
        print_passed(out, r);
    else
        rd_print_report(out, r, look);
}

/* The reports of the findings are printed already. After trouble the message on standard error stands for the
 * summary. */
static void write_run(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                      const struct rd_look *look) {
    FILE *wrapped = rd_wrap_open(out, look);
    rd_print_findings(wrapped, findings, count, look);
    if (run->summary->end != RD_END_TROUBLE)
        rd_print_summary(wrapped, run, look);
    rd_wrap_close(wrapped);
}

static void write_variables(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look) {
    FILE *safe = rd_wrap_open(out, NULL); /* a table is not wrapped */
    rd_print_variables(safe, u, look);
    rd_wrap_close(safe);
}

const struct rd_format rd_format_text = {
    .name = "text",
    .finding = rd_print_report,
    .run = write_run,
    .execution = rd_print_report,
    .replay = write_replay,
    .variables = write_variables,
};
