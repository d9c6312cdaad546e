/* program_output.h - the output of a tested process, for a report. */
#ifndef RD_CLI_PROGRAM_OUTPUT_H
#define RD_CLI_PROGRAM_OUTPUT_H

#include "drive/process/worker.h"

/*
 * Returns the last part of the program's standard output, followed by that of its standard error if the worker
 * keeps the two separate. *size: bytes of that part; *cut: bytes before it. The caller frees the text.
 */
char *rd_program_output_text(const struct rd_worker *w, size_t *size, size_t *cut);

#endif
