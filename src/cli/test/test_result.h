/* test_result.h - the result of one test, read from what its `raddle run` has left: exit status, JSON, output. */
#ifndef RD_CLI_TEST_TEST_RESULT_H
#define RD_CLI_TEST_TEST_RESULT_H

#include "base/base.h"

#include <jansson.h>

struct rd_framework;

enum rd_test_outcome {
    RD_TEST_NOT_RUN, /* the command ended before the test was run */
    RD_TEST_DISABLED,
    RD_TEST_SKIPPED, /* by itself, while it ran */
    RD_TEST_ALONE,   /* passed; it has no second thread, so it was run once */
    RD_TEST_PASSED,
    RD_TEST_BUG,
    RD_TEST_TROUBLE,
    RD_TEST_OUTCOMES
};

struct rd_test_result {
    enum rd_test_outcome outcome;
    bool unfinished; /* more time would help */
    char words[512]; /* what was proved, what is wrong */
    char *report;    /* what the run printed for people, of a bug; NULL: nothing */
    char *check;     /* the framework's message about the check that failed; NULL: there is none */
    uint64_t executions;
    double seconds; /* of the run that gave this result */
    json_t *run;    /* the document of the run; NULL: there is none */
    char *document; /* its text */
    json_t *sarif;  /* the run of its SARIF log, without the tool; NULL: there is none */
};

/* What a finished `raddle run` has left. */
struct rd_test_run {
    int status;            /* as waitpid gives it */
    const char *json;      /* path of the document */
    const char *sarif;     /* the same as SARIF; NULL: it was not wanted */
    const char *out, *err; /* paths of what it printed */
    double slice_s;        /* the time that it had; 0: no limit */
    double seconds;        /* the time that it took */
    bool stopped;          /* the user has stopped the command meanwhile */
};

/*
 * Fills in `r`. If it has the result of an earlier run of the test, the better of the two stays: a bug never goes,
 * and a run that was cut short takes nothing from one that came further. Returns whether this run is the better
 * one.
 */
bool rd_test_result_read(struct rd_test_result *r, const struct rd_framework *f, const struct rd_test_run *run);
void rd_test_result_free(struct rd_test_result *r);

/* The words for an outcome, for people and in documents: "no threads", "no_threads". */
const char *rd_test_outcome_word(enum rd_test_outcome o);
const char *rd_test_outcome_key(enum rd_test_outcome o);

/* The text of a file, at most some MiB. The caller frees it; never NULL. */
char *rd_test_file_text(const char *path);

/* A text of the document, or "". */
const char *rd_test_json_text(const json_t *object, const char *key);

#endif
