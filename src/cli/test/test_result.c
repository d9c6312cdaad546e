/* test_result.c - see test_result.h. */
#include "cli/test/test_result.h"

#include "cli/options.h"
#include "cli/test/framework.h"
#include "report/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const size_t TEXT_MAX = 64u << 20;

const char *rd_test_outcome_word(enum rd_test_outcome o) {
    static const char *const words[] = {"not run", "disabled", "skipped", "no threads", "passed", "bug", "trouble"};
    static_assert(RD_COUNT(words) == RD_TEST_OUTCOMES, "a word for each outcome");
    return words[o];
}

const char *rd_test_outcome_key(enum rd_test_outcome o) {
    return o == RD_TEST_NOT_RUN ? "not_run" : o == RD_TEST_ALONE ? "no_threads" : rd_test_outcome_word(o);
}

char *rd_test_file_text(const char *path) {
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    FILE *f = fopen(path, "re");
    while (text && f && size < TEXT_MAX) {
        size_t n = fread(text + size, 1, room - size, f);
        if (n == 0)
            break;
        size += n;
        if (size == room)
            text = realloc(text, (room *= 2) + 1);
    }
    if (f)
        fclose(f);
    if (!text)
        abort();
    text[size] = 0;
    return text;
}

const char *rd_test_json_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t number(const json_t *object, const char *key) {
    json_int_t n = json_integer_value(json_object_get(object, key));
    return n > 0 ? (uint64_t)n : 0;
}

/*
 * Returns the framework's message about a failed check, "FILE:LINE: Failure" or "FILE(LINE): error: …", in the
 * output of the run, where "  | " stands before each line of the program's output. NULL: the output has no such
 * message.
 */
static const char *failed_check(const struct rd_framework *f, const char *output, const char **mark) {
    const char *first = NULL;
    for (unsigned i = 0; i < RD_COUNT(f->failed) && f->failed[i]; i++) {
        const char *at = strstr(output, f->failed[i]);
        if (at && at > output && (!first || at < first))
            first = at;
    }
    const char *line = first;
    while (line && line > output && line[-1] != '\n')
        line--;
    *mark = first;
    return line;
}

static const char *after_bar(const char *line) { return strncmp(line, "  | ", 4) == 0 ? line + 4 : line; }

/* The name of the file and the line in the message. False: they are not there. */
static bool place_of_check(const char *line, const char *mark, char *to, size_t room) {
    const char *end = mark;
    line = after_bar(line);
    bool brackets = end > line && end[-1] == ')';
    end -= brackets;
    const char *digits = end;
    while (digits > line && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits == end || digits == line || digits[-1] != (brackets ? '(' : ':'))
        return false;
    const char *name = digits - 1;
    while (name > line && !strchr("/ ", name[-1]))
        name--;
    snprintf(to, room, "%.*s:%.*s", (int)(digits - 1 - name), name, (int)(end - digits), digits);
    return true;
}

/* Returns the first lines of the message, up to an empty line or to the first line of the framework's next message.
 */
static char *text_of_check(const char *line) {
    enum { LINES = 8 };
    char *text = calloc(1, strlen(line) + 2), *to = text; /* the last line may have no end */
    if (!text)
        abort();
    for (int i = 0; i < LINES && *line; i++) {
        const char *start = after_bar(line);
        size_t n = strcspn(start, "\n");
        if (n == 0 || (i > 0 && (*start == '[' || strspn(start, "=-*") > 3 || start == line)))
            break;
        to = mempcpy(to, start, n);
        *to++ = '\n';
        line = start + n + (start[n] == '\n');
    }
    return text;
}

/* "assertion failed at bank.c:58": the first finding. */
static void bug_words(struct rd_test_result *r, const struct rd_framework *f, const char *output, bool alone) {
    const json_t *list = json_object_get(r->run, "findings");
    if (json_array_size(list) == 0)
        list = json_object_get(r->run, "warnings"); /* --fail-on-predicted */
    const json_t *first = json_array_get(list, 0);
    const char *kind = rd_test_json_text(first, "kind"), *file = rd_test_json_text(first, "file");
    char at[256] = "", more[32] = "";
    const char *mark, *line = strcmp(kind, "exit-status") == 0 ? failed_check(f, output, &mark) : NULL;
    bool check = line && place_of_check(line, mark, at, sizeof at);
    if (check)
        r->check = text_of_check(line);
    if (!check && *file) {
        const char *slash = strrchr(file, '/');
        snprintf(at, sizeof at, "%s:%d", slash ? slash + 1 : file, (int)number(first, "line"));
    }
    if (json_array_size(list) > 1)
        snprintf(more, sizeof more, " and %zu more", json_array_size(list) - 1);
    char words[64];
    snprintf(words, sizeof words, "%s", check ? "check" : *kind ? kind : "bug");
    for (char *c = words; *c; c++)
        if (*c == '-')
            *c = ' ';
    snprintf(r->words, sizeof r->words, "%s%s%s%s%s", words, *at ? " at " : "", at, more,
             alone ? ", in its only execution" : "");
}

/* What the search has proved, in few words. */
static void passed_words(struct rd_test_result *r) {
    const json_t *bounds = json_object_get(r->run, "bounds");
    const json_t *preemptions = json_object_get(bounds, "preemptions");
    bool seen = json_is_true(json_object_get(r->run, "complete"));
    bool finished = json_is_true(json_object_get(r->run, "finished"));
    const char *of = seen                                                    ? ""
                     : json_is_true(json_object_get(r->run, "instrumented")) ? " (not all code is seen)"
                                                                             : " (memory accesses are not seen)";
    if (json_array_size(json_object_get(bounds, "void")))
        snprintf(r->words, sizeof r->words, "nothing is proved");
    else if (finished && json_is_true(json_object_get(bounds, "complete")))
        snprintf(r->words, sizeof r->words, "every schedule");
    else if (finished && !json_is_integer(preemptions))
        snprintf(r->words, sizeof r->words, "every schedule%s", of);
    else if (json_is_integer(preemptions))
        snprintf(r->words, sizeof r->words, "up to %d preemption%s%s", (int)json_integer_value(preemptions),
                 json_integer_value(preemptions) == 1 ? "" : "s", of);
    else
        snprintf(r->words, sizeof r->words, "a sample of the schedules%s", of);
}

/* The reason of the trouble: the document's, or the first message on standard error. */
static void trouble_words(struct rd_test_result *r, const struct rd_test_run *run) {
    const char *error = rd_test_json_text(r->run, "error");
    char *text = rd_test_file_text(run->err), *says = strstr(text, "raddle: ");
    if (*error)
        snprintf(r->words, sizeof r->words, "%s", error);
    else if (says)
        snprintf(r->words, sizeof r->words, "%.*s", (int)strcspn(says + 8, "\n"), says + 8);
    else if (WIFSIGNALED(run->status))
        snprintf(r->words, sizeof r->words, "raddle was killed by signal %d", WTERMSIG(run->status));
    else
        snprintf(r->words, sizeof r->words, "raddle ended with status %d", WEXITSTATUS(run->status));
    free(text);
}

void rd_test_result_free(struct rd_test_result *r) {
    json_decref(r->run);
    json_decref(r->sarif);
    free(r->document);
    free(r->check);
    free(r->report);
    *r = (struct rd_test_result){0};
}

/* Does the earlier result say more about the test than the later one? */
static bool is_better(const struct rd_test_result *earlier, const struct rd_test_result *later) {
    bool no_answer = later->outcome == RD_TEST_NOT_RUN ||
                     (later->outcome == RD_TEST_TROUBLE && later->unfinished && later->executions == 0);
    if (earlier->outcome == RD_TEST_BUG)
        return later->outcome != RD_TEST_BUG || json_array_size(json_object_get(earlier->run, "findings")) >
                                                    json_array_size(json_object_get(later->run, "findings"));
    if (earlier->outcome != RD_TEST_PASSED)
        return earlier->outcome != RD_TEST_NOT_RUN && later->outcome == RD_TEST_NOT_RUN;
    return no_answer ||
           (later->outcome == RD_TEST_PASSED && later->unfinished && later->executions < earlier->executions);
}

/* Keeps what differs between the tests: the tool with its rules is the same. */
static json_t *read_sarif(const char *path) {
    char *text = path ? rd_test_file_text(path) : NULL;
    json_t *log = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    json_t *run = json_incref(json_array_get(json_object_get(log, "runs"), 0));
    json_object_del(run, "tool");
    json_decref(log);
    free(text);
    return run;
}

static void read_run(struct rd_test_result *r, const struct rd_framework *f, const struct rd_test_run *run) {
    r->document = rd_test_file_text(run->json);
    r->run = json_loads(r->document, JSON_REJECT_DUPLICATES, NULL);
    r->sarif = read_sarif(run->sarif);
    r->executions = number(r->run, "executions");
    r->seconds = run->seconds;
    int status = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : RD_EXIT_TROUBLE;
    bool alone = r->run && number(r->run, "threads_max") <= 1 && r->executions == 1;
    bool finished = json_is_true(json_object_get(r->run, "finished"));
    bool found = json_array_size(json_object_get(r->run, "findings")) > 0 || status == RD_EXIT_BUG;
    char *output = rd_test_file_text(run->out);
    bool none_ran = r->run && (alone || !found) && rd_frameworks_none_ran(f, output);
    if (none_ran) { /* the framework's exit status says nothing about a test: it may be 0 */
        r->outcome = RD_TEST_TROUBLE;
        snprintf(r->words, sizeof r->words, "the framework's filter does not find it by its name");
    } else if (r->run && found) {
        r->outcome = RD_TEST_BUG;
        r->unfinished = !finished;
        bug_words(r, f, output, alone);
        r->report = output;
        output = NULL;
    } else if (status != RD_EXIT_CLEAN || !r->run) {
        r->outcome = run->stopped && r->executions == 0 ? RD_TEST_NOT_RUN : RD_TEST_TROUBLE;
        r->unfinished = run->stopped || (run->slice_s > 0 && run->seconds > run->slice_s * 0.8);
        trouble_words(r, run);
    } else if (f->skipped && strstr(output, f->skipped)) {
        r->outcome = RD_TEST_SKIPPED;
        snprintf(r->words, sizeof r->words, "by itself");
    } else if (alone) {
        r->outcome = RD_TEST_ALONE;
        snprintf(r->words, sizeof r->words, "run once");
    } else {
        r->outcome = RD_TEST_PASSED;
        r->unfinished = !finished;
        passed_words(r);
    }
    free(output);
}

bool rd_test_result_read(struct rd_test_result *r, const struct rd_framework *f, const struct rd_test_run *run) {
    struct rd_test_result earlier = *r, now = {0};
    read_run(&now, f, run);
    bool keep = is_better(&earlier, &now);
    *r = keep ? earlier : now;
    rd_test_result_free(keep ? &now : &earlier);
    return !keep;
}
