/* test_documents.c - see test_documents.h. The document of each run stands in it as that run has written it. */
#include "cli/test/test_documents.h"

#include "cli/test/framework.h"
#include "cli/test/test_table.h"
#include "report/json/json_writer.h"

#include <errno.h>
#include <string.h>

enum { VERSION = 1 }; /* of the document: a new one when a key changes its meaning or goes */

bool rd_test_document_open(struct rd_test_document *d, const char *path) {
    *d = (struct rd_test_document){.path = path};
    if (!path)
        return true;
    d->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!d->file)
        rd_trouble("cannot write '%s': %s", path, strerror(errno));
    return d->file != NULL;
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
    uint32_t totals[RD_TEST_OUTCOMES];
    rd_test_totals(r->list, totals);
    rd_json_open(&j, NULL, '{');
    rd_json_string(&j, "raddle", RADDLE_VERSION);
    rd_json_number(&j, "version", VERSION);
    rd_json_string(&j, "command", "test");
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

int rd_test_document_write(struct rd_test_document *d, const struct rd_test_runs *r) {
    if (!d->file)
        return 0;
    write_json(d->file, r);
    bool failed = ferror(d->file) || fflush(d->file) != 0;
    if (d->file != stdout)
        failed |= fclose(d->file) != 0;
    return failed ? rd_trouble("cannot write '%s'", d->path) : 0;
}
