/* json_options.h - the options of a command that were not on its command line, in a document. */
#ifndef RD_REPORT_JSON_JSON_OPTIONS_H
#define RD_REPORT_JSON_JSON_OPTIONS_H

#include "report/json/json_writer.h"
#include "report/text/given_options.h"

/* Writes them as the key "options". */
void rd_json_given_options(struct rd_json *j, const struct rd_given_option *list, uint32_t count);

#endif
