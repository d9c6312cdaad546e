/*
 * comparison.h - what differs between two results, A and B, of `raddle run` or of `raddle test`.
 *
 * The comparison is a JSON value, the document that `raddle compare --json` writes; docs/compare.md and
 * share/raddle/schema/compare-1.schema.json explain its keys. The text for people is printed from it, so both say
 * the same.
 */
#ifndef RD_CLI_COMPARE_COMPARISON_H
#define RD_CLI_COMPARE_COMPARISON_H

#include "cli/compare/result_document.h"

#include <stdio.h>

struct rd_look;

/* pre: both documents are of the same command. Never NULL; the caller drops the reference. */
json_t *rd_comparison(const struct rd_result_document *a, const struct rd_result_document *b);
/* Prints the comparison for people. */
void rd_comparison_print(FILE *out, const json_t *comparison, const struct rd_look *look);

/* ---- settings.c ---- */

/*
 * Notes in `differences` how two runs were asked for different things: program, build, arguments, options … An
 * entry stands for all runs that differ in the same setting, with the values of the first of them. `test` is the
 * name of the test, or null.
 */
void rd_settings_compare(json_t *differences, const json_t *test, const json_t *a, const json_t *b);

/* A new list, object … that could not be made: the process ends. */
json_t *rd_json_made(json_t *value);
/* Sets a key of an object, or appends to a list. Takes the reference of the value. */
void rd_json_put(json_t *object, const char *key, json_t *value);
void rd_json_add(json_t *list, json_t *value);
/* A new reference to a value of a document, which the comparison does not change; null for NULL. */
json_t *rd_json_shared(const json_t *value);

#endif
