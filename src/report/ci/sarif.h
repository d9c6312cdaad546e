/* sarif.h - the parts of a SARIF document (OASIS SARIF 2.1.0), for sarif.c and sarif_*.c. */
#ifndef RD_REPORT_CI_SARIF_H
#define RD_REPORT_CI_SARIF_H

#include "report/json/json_writer.h"
#include "report/report.h"

#include <limits.h>
#include <time.h>

struct rd_sarif {
    struct rd_json j;
    char root[PATH_MAX];    /* rd_source_root */
    uint32_t locations_max; /* of a result's code flow; code scanning shows a limited number, and limits the file */
    uint32_t rows_max;      /* about so many lines of the report for people, whose steps are written */
};

/* About so many steps may be in the code flows of a file: code scanning limits its size. */
enum { RD_SARIF_LOCATIONS = 20000 };

/*
 * Begins a log with one run, of which the tool, the category of code scanning, and the root of the repository are
 * written; other keys of the run follow, the last of them "results".
 */
void rd_sarif_begin(struct rd_sarif *s, FILE *out, const char *version, const char *category);
void rd_sarif_end(struct rd_sarif *s);
/* Writes a time as UTC. */
void rd_sarif_time(struct rd_sarif *s, const char *key, time_t at);
/* Writes an object with the URI of a directory, whose path has no slash at its end. */
void rd_sarif_directory(struct rd_sarif *s, const char *key, const char *path);
/* Writes the finding as an element of the innermost list. */
void rd_sarif_result(struct rd_sarif *s, const struct rd_report *r);
/* Writes the steps of the execution, as a thread flow for each thread, as the key "codeFlows". */
void rd_sarif_code_flows(struct rd_sarif *s, const struct rd_report *r);

/* Writes an object {"text": …}. */
void rd_sarif_message(struct rd_sarif *s, const char *key, const char *text);
/*
 * Writes a location: the line of source of the frame, or the module without a line if that is not known; its
 * function; a text unless it is NULL. `id`: the number of a related location; 0: it is none.
 */
void rd_sarif_location(struct rd_sarif *s, const char *key, const struct rd_report *r, const struct rd_frame *f,
                       const char *text, uint32_t id);
/* Writes the position of the finding as a location. */
void rd_sarif_where(struct rd_sarif *s, const char *key, const struct rd_report *r, const char *text);
/* The number of the rule for a kind of findings. */
uint32_t rd_sarif_rule(unsigned kind);

#endif
