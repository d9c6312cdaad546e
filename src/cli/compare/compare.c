/* compare.c - raddle compare: which findings of a run are new, gone, still there since another run. */
#include "cli/commands.h"
#include "cli/compare/comparison.h"
#include "cli/look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OPT_JSON, OPT_COLOUR, OPT_HELP };

static const struct rd_option options[] = {
    [OPT_JSON] = {0, "json", "FILE", "write the comparison to FILE; '-': to standard output, without the text"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the text"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

static int command(char **args);

const struct rd_command rd_command_compare = {
    .name = "compare",
    .run = command,
    .arguments = "[options] A.json B.json",
    .summary = "which bugs are new, gone, still there",
    .description =
        "Compares two results that 'raddle run --json' or 'raddle test --json' have written, A before B: findings "
        "that are new in B, that are still there, that are gone; how much each has run and proved; and what "
        "differed between them: program, build, arguments, options. A finding that moved to another line is the "
        "same one. Exit status: 0 B has no new bug, 1 B has a new bug, 2 trouble, also that of B.",
    .options = options};

/* Returns 0, or the exit status after a message. */
static int write_json(const json_t *comparison, const char *path) {
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!out)
        return rd_trouble("cannot write '%s': %s", path, strerror(errno));
    bool failed = json_dumpf(comparison, out, JSON_INDENT(1)) != 0;
    failed |= fputc('\n', out) == EOF || fflush(out) != 0;
    if (out != stdout)
        failed |= fclose(out) != 0;
    return failed ? rd_trouble("cannot write '%s'", path) : 0;
}

static int compare(const struct rd_result_document *a, const struct rd_result_document *b, const char *json,
                   int colour) {
    if (a->tests != b->tests) {
        const char *tests = a->tests ? a->path : b->path, *run = a->tests ? b->path : a->path;
        return rd_trouble("'%s' is from 'raddle test', '%s' from 'raddle run': compare two of the same command",
                          tests, run);
    }
    json_t *comparison = rd_comparison(a, b);
    int status = (int)json_integer_value(json_object_get(comparison, "exit_status"));
    if (!json || strcmp(json, "-") != 0) {
        struct rd_look look = rd_look_for(stdout, colour);
        rd_comparison_print(stdout, comparison, &look);
    }
    if (json && write_json(comparison, json) != 0)
        status = RD_EXIT_TROUBLE;
    json_decref(comparison);
    return status;
}

static int command(char **args) {
    struct rd_args a = {.at = args, .command = "compare"};
    struct rd_result_document documents[2] = {{0}};
    const char *value, *json = NULL, *paths[2] = {NULL};
    int colour = RD_WHEN_AUTO;
    uint32_t count = 0;
    for (;;) {
        int option = rd_args_next(&a, options, &value);
        if (option == RD_ARGS_MISTAKE)
            return RD_EXIT_TROUBLE;
        if (option == OPT_HELP)
            return rd_command_help(&rd_command_compare), RD_EXIT_CLEAN;
        if (option == OPT_JSON)
            json = value;
        else if (option == OPT_COLOUR && (colour = rd_parse_word("color", value, RD_WHEN_WORDS)) < 0)
            return RD_EXIT_TROUBLE;
        if (option >= 0)
            continue;
        if (!*a.at)
            break;
        if (count == RD_COUNT(paths))
            return rd_trouble("'%s': only two documents can be compared", *a.at);
        paths[count++] = *a.at++;
    }
    if (count < RD_COUNT(paths))
        return rd_trouble("two JSON documents are needed (see 'raddle help compare')");
    int status = RD_EXIT_TROUBLE;
    if (rd_result_document_read(&documents[0], paths[0]) && rd_result_document_read(&documents[1], paths[1]))
        status = compare(&documents[0], &documents[1], json, colour);
    rd_result_document_free(&documents[0]);
    rd_result_document_free(&documents[1]);
    return status;
}
