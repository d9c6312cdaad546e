/* text.c - the report of a finding: its parts in the order that reads at first sight. */
#include "report/text/report_text.h"

#include "base/text.h"

#include <string.h>

enum { OUTPUT_LINES = 24 };       /* enough for the failure of one test in most frameworks … */
enum { OUTPUT_BYTES = 16 << 10 }; /* … whose lines are not endless */

/* The last lines of what the program printed. */
static void print_output(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    if (!r->output || r->output_size == 0)
        return;
    size_t start = r->output_size, lines = 0;
    while (start > 0 && lines <= OUTPUT_LINES && r->output_size - start < OUTPUT_BYTES)
        if (r->output[--start] == '\n' && start + 1 < r->output_size)
            lines++;
    if (lines > OUTPUT_LINES)
        start++;
    fprintf(out, "\n%sthe program's output%s%s\n", rd_paint(look, RD_BOLD),
            start + r->output_cut > 0 ? " (its end)" : "", rd_paint(look, RD_UNHOOKED));
    bool begin = true;
    for (size_t i = start; i < r->output_size; i++) {
        unsigned char c = (unsigned char)r->output[i];
        if (begin)
            fputs("  | ", out);
        begin = c == '\n';
        fputc(c >= 0x20 || c == '\n' || c == '\t' ? c : '?', out);
    }
    if (!begin)
        fputs("\n", out);
}

bool rd_compilers_optimise(const char *compilers) {
    return strstr(compilers, " -O") && (!strstr(compilers, " -O0") || strchr(compilers, ','));
}

/* What the optimiser removed or merged cannot be seen in the steps: say so where accesses are among them. */
static void print_compilers(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    char compilers[256];
    bool accesses = false;
    for (uint32_t i = 0; i < r->schedule->step_count && !accesses; i++)
        accesses = rd_op_flags(r->schedule->steps[i].op) & (RD_F_READS | RD_F_WRITES);
    if (!accesses || !rd_symbols_compilers(r->symbols, compilers, sizeof compilers))
        return;
    fprintf(out, "\n%scompiled by %s%s%s\n", rd_paint(look, RD_DIM), compilers,
            rd_compilers_optimise(compilers)
                ? ": accesses that the optimiser removed or merged are not among the steps"
                : "",
            rd_paint(look, RD_UNHOOKED));
}

/* OpenMP's variables decide how many threads there are, and are not in the schedule. Those without quotes are few.
 */
const char *rd_replay_settings(char *to, size_t room) {
    extern char **environ;
    struct rd_text t;
    rd_text_init(&t, to, room);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "OMP_", 4) == 0 && !strchr(*e, '\'')) {
            const char *value = strchr(*e, '=') + 1;
            for (const char *c = *e; c < value; c++)
                rd_text_char(&t, *c);
            rd_text_str(&t, "'");
            rd_text_str(&t, value);
            rd_text_str(&t, "' ");
        }
    return to;
}

static void print_replay(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    if (!r->schedule_path)
        return;
    fprintf(out, "\nschedule: %s\n", r->schedule_path);
    char settings[256];
    rd_replay_settings(settings, sizeof settings);
    fprintf(out, "replay:   %s%sraddle replay %s%s\n", rd_paint(look, RD_BOLD), settings, r->schedule_path,
            rd_paint(look, RD_UNHOOKED));
    fprintf(out, "debug:    %sraddle replay --gdb %s\n", settings, r->schedule_path);
}

void rd_print_report(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    rd_print_finding(out, r, look);
    rd_print_why(out, r, look);
    rd_print_columns(out, r, look);
    rd_print_threads(out, r, look);
    print_output(out, r, look);
    print_compilers(out, r, look);
    print_replay(out, r, look);
}
