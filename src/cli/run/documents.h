/* documents.h - the documents that describe a run in the formats that options have chosen. */
#ifndef RD_CLI_RUN_DOCUMENTS_H
#define RD_CLI_RUN_DOCUMENTS_H

#include "cli/run/run_options.h"

/* Opens a file for writing. NULL after a message. */
FILE *rd_run_document_open(const char *path);
/* Opens the file of each document. False after a message. */
bool rd_run_documents_open(struct rd_run_options *o);
/* Is the report for people printed? Not if a document goes to standard output: it must have that for itself. */
bool rd_run_documents_leave_report(const struct rd_run_options *o);
/* The report for people begins now: tells the formats that write to the same log. */
void rd_run_documents_begin_report(const struct rd_run_options *o);
/* Writes a finding, as soon as it is confirmed, in the report and in each document that takes findings one by one.
 */
void rd_run_documents_finding(struct rd_run_options *o, const struct rd_report *r, const struct rd_look *look);
/* Completes and closes each document. Returns 0, or the exit status after a message. */
int rd_run_documents_write(const struct rd_run_options *o, const struct rd_run *run,
                           const struct rd_report *findings, uint32_t count, const struct rd_look *look);

#endif
