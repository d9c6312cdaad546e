/* test_hint.c - see test_hint.h. */
#include "cli/run/test_hint.h"

#include "cli/program_output.h"
#include "cli/test/framework.h"
#include "report/report.h"
#include "report/text/report_text.h"

#include <stdlib.h>

void rd_test_hint(FILE *to, const struct rd_session *s) {
    const struct rd_summary *x = &s->result.summary;
    size_t size, cut;
    if (x->found_count == 0 && x->end != RD_END_BUDGET)
        return;
    char *output = rd_program_output_text(&s->worker, &size, &cut);
    const struct rd_framework *f = rd_frameworks_find(s->target->path);
    uint32_t tests = f->cannot ? 0 : rd_frameworks_tests_in(f, output);
    free(output);
    if (tests < 2)
        return;
    const char *const words[] = {rd_called_as ? rd_called_as : "raddle", "test", s->target->args[0], NULL};
    char *line = rd_shell_line(words);
    FILE *out = rd_wrap_open(to, NULL); /* a command to copy is not wrapped */
    fprintf(out, "hint: each execution ran %u tests; a search for each of them comes further: %s\n", tests, line);
    rd_wrap_close(out);
    free(line);
}
