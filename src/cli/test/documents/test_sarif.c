/*
 * test_sarif.c - the results of all tests as one run of SARIF: code scanning takes only one run of a tool in a
 * category. Each test's `raddle run` has written a log of its own; the results of these are copied, and what they
 * say by index stays right: the rules are the same in each log, and an invocation is named by its index here.
 *
 * Invocation 0 is `raddle test`, those after it are of the tests that ran.
 */
#include "base/sha256.h"
#include "cli/test/documents/test_documents.h"
#include "cli/test/framework.h"
#include "cli/test/test_table.h"
#include "report/ci/sarif.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CATEGORY = 160, HASH = 8, NAME = 4096 };

static void hash_text(const char *text, unsigned digits, char *to) {
    struct rd_sha256 h;
    uint8_t hash[RD_SHA256_SIZE];
    rd_sha256_begin(&h);
    rd_sha256_add_text(&h, text);
    rd_sha256_end(&h, hash);
    rd_sha256_hex(hash, digits, to);
}

/*
 * The category of code scanning, in which the results of this command replace those of an earlier one: the
 * programs, the shard, and the patterns, so that commands which run different tests do not replace each other's
 * results.
 */
static char *make_category(const struct rd_test_runs *r) {
    char *text = NULL, hash[HASH + 1], *patterns = NULL;
    size_t size, patterns_size;
    const struct rd_test_choice *c = &r->options->choice;
    FILE *out = open_memstream(&text, &size), *list = open_memstream(&patterns, &patterns_size);
    if (!out || !list)
        abort();
    for (uint32_t i = 0; i < r->program_count; i++)
        fprintf(out, "%s%s", i ? "+" : "", r->programs[i].label);
    for (uint32_t i = 0; i < c->pattern_count; i++)
        fprintf(list, "%s\n", c->patterns[i]);
    if (fclose(out) != 0 || fclose(list) != 0)
        abort();
    char *category = NULL, shard[48] = "", filter[32] = "", cut[32] = "";
    if (size > CATEGORY) {
        hash_text(text, HASH, hash);
        text[CATEGORY] = 0;
        snprintf(cut, sizeof cut, "...-%s", hash);
    }
    if (c->shards)
        snprintf(shard, sizeof shard, "shard-%u-of-%u/", c->shard, c->shards);
    if (c->pattern_count) {
        hash_text(patterns, HASH, hash);
        snprintf(filter, sizeof filter, "filter-%s/", hash);
    }
    if (asprintf(&category, "raddle/test/%s%s/%s%s", text, cut, shard, filter) < 0)
        abort();
    free(text);
    free(patterns);
    return category;
}

/* Copies a value of jansson's. */
static void copy(struct rd_json *j, const char *key, const json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
    if (!text)
        abort();
    rd_json_copy(j, key, text);
    free(text);
}

/* ---- invocations ---- */

/*
 * The words of the test's command line without the options by which its results came here: what is left can be
 * typed. They belong to the list.
 */
static const char **words_of(const json_t *arguments) {
    static const char *const alone[] = {"--show-output", "--color=never", "--progress=never"};
    const char **words = calloc(json_array_size(arguments) + 2, sizeof *words);
    size_t n = 0;
    bool options = true;
    if (!words)
        abort();
    words[n++] = "raddle";
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const char *word = json_string_value(json_array_get(arguments, i));
        bool drop = !word;
        for (unsigned k = 0; options && word && k < RD_COUNT(alone); k++)
            drop |= strcmp(word, alone[k]) == 0;
        if (options && word &&
            (strcmp(word, "--json") == 0 || strcmp(word, "--sarif") == 0 || strcmp(word, "--html") == 0)) {
            i++; /* and its value */
            continue;
        }
        options &= word && strcmp(word, "--") != 0;
        if (!drop)
            words[n++] = word;
    }
    return words;
}

static void write_command(struct rd_json *j, const char *const *words) {
    char *line = rd_shell_line(words);
    rd_json_string(j, "commandLine", line);
    free(line);
    rd_json_open(j, "arguments", '[');
    for (words++; *words; words++)
        rd_json_string(j, NULL, *words);
    rd_json_close(j, ']');
}

static void write_notification(struct rd_sarif *s, const char *text) {
    rd_json_open(&s->j, NULL, '{');
    rd_json_string(&s->j, "level", "error");
    rd_sarif_message(s, "message", text);
    rd_json_close(&s->j, '}');
}

/* A test that could not be run, or whose run has left no log, has no invocation: the command says what is wrong. */
static void write_lost_tests(struct rd_sarif *s, const struct rd_test_runs *r) {
    char name[NAME], *text = NULL;
    bool any = false;
    for (uint32_t i = 0; i < r->list->count; i++) {
        const struct rd_test *t = &r->list->at[i];
        enum rd_test_outcome o = t->result.outcome;
        if (t->result.sarif || (o != RD_TEST_TROUBLE && o != RD_TEST_NOT_RUN && o != RD_TEST_BUG))
            continue;
        if (!any)
            rd_json_open(&s->j, "toolExecutionNotifications", '[');
        any = true;
        rd_test_full_name(t, r->several, name, sizeof name);
        if (asprintf(&text, "test %s: %s%s%s", name, rd_test_outcome_word(t->result.outcome),
                     *t->result.words ? ": " : "", t->result.words) < 0)
            abort();
        write_notification(s, text);
        free(text);
    }
    if (any)
        rd_json_close(&s->j, ']');
}

static void write_own_invocation(struct rd_sarif *s, const struct rd_test_runs *r) {
    struct rd_json *j = &s->j;
    char cwd[PATH_MAX];
    int status = rd_tests_exit_status(r);
    time_t now = time(NULL);
    rd_json_open(j, NULL, '{');
    rd_json_bool(j, "executionSuccessful", status != RD_EXIT_TROUBLE);
    rd_json_number(j, "exitCode", (uint64_t)status);
    write_command(j, r->command);
    rd_sarif_time(s, "startTimeUtc", now - (time_t)r->seconds);
    rd_sarif_time(s, "endTimeUtc", now);
    if (getcwd(cwd, sizeof cwd))
        rd_sarif_directory(s, "workingDirectory", strcmp(cwd, "/") ? cwd : "");
    write_lost_tests(s, r);
    rd_json_close(j, '}');
}

static void write_test_properties(struct rd_json *j, const struct rd_test *t) {
    rd_json_string(j, "test", t->name);
    rd_json_string(j, "program", t->program->word);
}

static void write_invocation(struct rd_sarif *s, const struct rd_test *t) {
    struct rd_json *j = &s->j;
    const json_t *all = json_object_get(t->result.sarif, "invocations"), *from = json_array_get(all, 0), *value;
    const char *key;
    rd_json_open(j, NULL, '{');
    json_object_foreach((json_t *)from, key, value) {
        if (strcmp(key, "commandLine") == 0) {
            const char **words = words_of(json_object_get(from, "arguments"));
            write_command(j, words);
            free(words);
        } else if (strcmp(key, "arguments") != 0) {
            copy(j, key, value);
        }
    }
    rd_json_open(j, "properties", '{');
    write_test_properties(j, t);
    rd_json_string(j, "result", rd_test_outcome_key(t->result.outcome));
    rd_json_close(j, '}');
    rd_json_close(j, '}');
}

/* ---- results ---- */

/* "HEADLINE …\nTest: NAME" */
static void write_message(struct rd_sarif *s, const struct rd_test_runs *r, const struct rd_test *t,
                          const json_t *message) {
    char name[NAME], *text = NULL;
    rd_test_full_name(t, r->several, name, sizeof name);
    if (asprintf(&text, "%s\nTest: %s", rd_test_json_text(message, "text"), name) < 0)
        abort();
    rd_sarif_message(s, "message", text);
    free(text);
}

/*
 * Is a finding with this rule the failure of the test, and not of the code at a place? Its identity says little
 * then: checks in two tests may read the same, and a hang is known by the function in which its thread began.
 */
static bool is_of_test(const char *rule) {
    static const unsigned kinds[] = {RD_EXIT_STATUS, RD_OUTPUT, RD_HANG};
    for (unsigned i = 0; i < RD_COUNT(kinds); i++)
        if (strcmp(rule, rd_finding_name(kinds[i])) == 0)
            return true;
    return false;
}

void rd_test_fingerprint(const struct rd_test *t, const json_t *result, char to[RD_IDENTITY]) {
    const char *id = rd_test_json_text(json_object_get(result, "partialFingerprints"), "raddleFinding/v1");
    char *text = NULL;
    snprintf(to, RD_IDENTITY, "%s", id);
    if (!is_of_test(rd_test_json_text(result, "ruleId")))
        return;
    if (asprintf(&text, "%s\n%s\n%s", id, t->program->label, t->name) < 0)
        abort();
    hash_text(text, RD_IDENTITY - 1, to);
    free(text);
}

static void write_fingerprint(struct rd_json *j, const struct rd_test *t, const json_t *result) {
    char id[RD_IDENTITY];
    rd_test_fingerprint(t, result, id);
    rd_json_open(j, "partialFingerprints", '{');
    rd_json_string(j, "raddleFinding/v1", id);
    rd_json_close(j, '}');
}

static size_t count_steps(const json_t *result) {
    const json_t *flow = json_array_get(json_object_get(result, "codeFlows"), 0), *thread;
    size_t i, n = 0;
    json_array_foreach(json_object_get(flow, "threadFlows"), i, thread) n +=
        json_array_size(json_object_get(thread, "locations"));
    return n;
}

/* `room`: steps that the code flows of this result and those after it may have. */
static void write_result(struct rd_sarif *s, const struct rd_test_runs *r, const struct rd_test *t,
                         const json_t *from, uint32_t invocation, size_t *room) {
    struct rd_json *j = &s->j;
    const json_t *value, *more;
    const char *key, *also;
    size_t steps = count_steps(from);
    bool flow = steps <= *room;
    *room = flow ? *room - steps : 0;
    rd_json_open(j, NULL, '{');
    json_object_foreach((json_t *)from, key, value) {
        if (strcmp(key, "message") == 0) {
            write_message(s, r, t, value);
        } else if (strcmp(key, "partialFingerprints") == 0) {
            write_fingerprint(j, t, from);
        } else if (strcmp(key, "properties") == 0) {
            rd_json_open(j, key, '{');
            write_test_properties(j, t);
            json_object_foreach((json_t *)value, also, more) copy(j, also, more);
            rd_json_close(j, '}');
        } else if (strcmp(key, "codeFlows") != 0 || flow) {
            copy(j, key, value);
        }
    }
    rd_json_open(j, "provenance", '{');
    rd_json_number(j, "invocationIndex", invocation);
    rd_json_close(j, '}');
    rd_json_close(j, '}');
}

void rd_test_sarif(FILE *out, const struct rd_test_runs *r) {
    static struct rd_sarif s;
    struct rd_json *j = &s.j;
    char *category = make_category(r);
    const json_t *result;
    size_t k, room = RD_SARIF_LOCATIONS;
    uint32_t invocation = 0;
    rd_sarif_begin(&s, out, RADDLE_VERSION, category);
    free(category);
    rd_json_open(j, "invocations", '[');
    write_own_invocation(&s, r);
    for (uint32_t i = 0; i < r->list->count; i++)
        if (r->list->at[i].result.sarif)
            write_invocation(&s, &r->list->at[i]);
    rd_json_close(j, ']');
    rd_json_open(j, "results", '[');
    for (uint32_t i = 0; i < r->list->count; i++) {
        const struct rd_test *t = &r->list->at[i];
        if (!t->result.sarif)
            continue;
        invocation++;
        json_array_foreach(json_object_get(t->result.sarif, "results"), k, result)
            write_result(&s, r, t, result, invocation, &room);
    }
    rd_json_close(j, ']');
    rd_sarif_end(&s);
}
