/*
 * format.h - the table of output formats: text, CSV, JSON, JUnit, SARIF, annotations of GitHub, HTML.
 *
 * The command line calls formats through this table only, and generates the options that choose them from it: a
 * format with the name "json" is chosen by `--json`. A new format is one file that defines a `struct rd_format`,
 * and one row in formats.c; it implements the slots of the documents that it can write and leaves the others NULL.
 *
 * A slot writes to `out` and may not close it. It does not check for errors of writing: the caller asks ferror()
 * once, when the document is complete. `look` says how text is to look at that place; formats for machines ignore
 * it. Messages about trouble are no documents: they go to standard error as text, whatever the format
 * (text/trouble.h).
 */
#ifndef RD_REPORT_FORMAT_H
#define RD_REPORT_FORMAT_H

#include "report/report.h"
#include "report/run_report.h"
#include "report/variable_usage.h"

/* The documents that commands print. A document has one option for each format that can write it. */
enum rd_document {
    RD_DOCUMENT_NONE,
    RD_DOCUMENT_RUN,       /* `raddle run`: the findings and the summary */
    RD_DOCUMENT_EXECUTION, /* `raddle show`: one recorded execution */
    RD_DOCUMENT_VARIABLES, /* `raddle list variables` */
    RD_DOCUMENTS
};

struct rd_format {
    const char *name; /* the option --NAME chooses the format */
    /* By document: the help line of the option. NULL: no option chooses the format for this document. */
    const char *help[RD_DOCUMENTS];
    /*
     * The option takes no FILE: the document goes into the log of the command, which is standard output, after the
     * report for people; or standard error if another document has standard output for itself.
     */
    bool in_log;
    /* RD_DOCUMENT_RUN: called before the report for people is printed to the same log. NULL: nothing to say. */
    void (*log)(FILE *out);
    /*
     * RD_DOCUMENT_RUN is a folder, which the option names: `run` goes to the file `index` in it, and `execution` of
     * each finding, as soon as it is confirmed, to a file with the name that `page_name` writes. NULL: it is one
     * file.
     */
    const char *index;
    void (*page_name)(const struct rd_report *finding, char *to, size_t room);

    /*
     * RD_DOCUMENT_RUN. `finding` is called for each finding as soon as it is confirmed, in the order in which they
     * were found; NULL: the format writes findings only in `run`. `run` is called once, after all of them, also
     * when the search ended with trouble (run->summary->end); `findings` are then complete.
     */
    void (*finding)(FILE *out, const struct rd_report *finding, const struct rd_look *look);
    void (*run)(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                const struct rd_look *look);

    /* RD_DOCUMENT_EXECUTION. */
    void (*execution)(FILE *out, const struct rd_report *r, const struct rd_look *look);

    /* `raddle replay`, which uses only the default format: an execution that followed its schedule to the end. */
    void (*replay)(FILE *out, const struct rd_report *r, const struct rd_look *look);

    /* RD_DOCUMENT_VARIABLES. */
    void (*variables)(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look);
};

/* The rows, in the order in which help pages list their options. */
extern const struct rd_format *const rd_formats[];
extern const uint32_t rd_format_count;

/* The format that each command uses if no option chooses another one. It implements every slot. */
const struct rd_format *rd_format_default(void);
/* Can an option choose this format for the document? */
bool rd_format_writes(const struct rd_format *f, enum rd_document document);
/* The format that `--NAME` chooses for the document; NULL: there is none. `name` need not end with a zero. */
const struct rd_format *rd_format_find(enum rd_document document, const char *name, size_t length);

#endif
