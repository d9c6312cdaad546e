/* test_options.c - see test_options.h. */
#include "cli/test/test_options.h"

#include "cli/commands.h"
#include "cli/run/run_options.h"
#include "cli/test/framework.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_TIME,
    OPT_AT_ONCE,
    OPT_FILTER,
    OPT_SHARD,
    OPT_LIST,
    OPT_FRAMEWORK,
    OPT_OUT,
    OPT_JSON,
    OPT_JUNIT,
    OPT_SARIF,
    OPT_GITHUB,
    OPT_HTML,
    OPT_QUIET,
    OPT_PROGRESS,
    OPT_COLOUR,
    OPT_NO_CONFIG,
    OPT_HELP,
    OPT_COUNT
};

static_assert((int)OPT_SARIF - OPT_JSON == (int)RD_TEST_SARIF && (int)OPT_JUNIT - OPT_JSON == (int)RD_TEST_JUNIT,
              "the options of documents are in the order of the documents");

const struct rd_option rd_test_option_table[] = {
    [OPT_TIME] = {'t', "time", "SECONDS", "end the whole command after that time; default 60, or no limit with -n"},
    [OPT_AT_ONCE] = {'j', "jobs", "N", "run N tests at the same time; default one for each core"},
    [OPT_FILTER] =
        {0, "filter", "PATTERN",
         "only the tests whose names match, with wildcards as in a shell; '!PATTERN' leaves tests out (may "
         "repeat)"},
    [OPT_SHARD] =
        {0, "shard", "K/N",
         "only the K-th of N parts of the tests, for several machines; the parts are equally large and the "
         "same in each run"},
    [OPT_LIST] = {0, "list", NULL, "print the names of the tests, and run none"},
    [OPT_FRAMEWORK] =
        {0, "framework", "NAME",
         "the test framework of the programs, where raddle does not recognise it: gtest, catch2, catch3 "
         "(version 3), doctest, boost, criterion, cmocka, or plain: a program is one test"},
    [OPT_OUT] = {'o', "out", "DIR",
                 "directory for schedule files, with one of its own for each test; default raddle-out"},
    [OPT_JSON] = {0, "json", "FILE", "write the results of all tests as JSON; '-' is standard output"},
    [OPT_JUNIT] = {0, "junit", "FILE", "write a test case for each test as JUnit XML, for CI systems"},
    [OPT_SARIF] = {0, "sarif", "FILE",
                   "write the findings of all tests as SARIF 2.1.0, for code scanning and editors"},
    [OPT_GITHUB] = {0, "github", NULL,
                    "print each finding as an annotation of GitHub Actions, and append a table of the tests to the "
                    "summary of its job"},
    [OPT_HTML] = {0, "html", "DIR",
                  "write pages for a browser to that folder: an index of the tests, and the pages of each test"},
    [OPT_QUIET] = {'q', "quiet", NULL, "print nothing but errors"},
    [OPT_PROGRESS] =
        {0, "progress", "auto|always|never",
         "show on standard error which tests run: a line on a terminal, else a line for each test that has "
         "ended; auto: only on a terminal"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the table"},
    [OPT_NO_CONFIG] = RD_OPTION_NO_CONFIG,
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

/* Options of `raddle run` that make no sense for several tests, and what to do instead. */
static const struct {
    const char *name, *instead;
} refused[] = {
    {"coverage", "the tests would write one file; use 'raddle run' with one test"},
    {"all-steps", "use 'raddle show --all-steps' with the schedule of a finding"},
    {"statistics", "--json has all numbers of each test"},
    {"show-output", "use 'raddle run --show-output' with one test"},
    {"outcomes", "use 'raddle run --outcomes' with one test"},
};

/* A number of decimal digits alone, up to `max`. Returns what follows it, or NULL. */
static const char *read_number(const char *text, uint32_t max, uint32_t *to) {
    uint32_t n = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && n <= max; at++)
        n = n * 10 + (uint32_t)(*at - '0');
    *to = n;
    return at > text && n <= max ? at : NULL;
}

static bool read_shard(struct rd_test_options *o, const char *value) {
    enum { SHARDS_MAX = 100000 };
    uint32_t k = 0, n = 0;
    const char *at = read_number(value, SHARDS_MAX, &k);
    at = at && *at == '/' ? read_number(at + 1, SHARDS_MAX, &n) : NULL;
    if (!at || *at || k < 1 || k > n)
        return rd_trouble("--shard needs K/N, the K-th of N parts, such as 1/4; not '%s'", value), false;
    o->choice.shard = k;
    o->choice.shards = n;
    return true;
}

static bool apply(struct rd_test_options *o, int option, const char *value) {
    uint64_t n;
    int word;
    switch (option) {
    case OPT_TIME:
        return rd_parse_seconds("time", value, &o->time_s);
    case OPT_AT_ONCE:
        if (!rd_parse_count("jobs", value, 256, &n))
            return false;
        o->at_once = (uint32_t)n;
        o->at_once_given = true;
        return n > 0 || (rd_trouble("--jobs must be from 1 to 256"), false);
    case OPT_FILTER:
        if (o->choice.pattern_count == RD_TEST_PATTERNS)
            return rd_trouble("more than %d --filter", RD_TEST_PATTERNS), false;
        o->patterns[o->choice.pattern_count++] = value;
        return true;
    case OPT_SHARD:
        return read_shard(o, value);
    case OPT_LIST:
        o->list = true;
        return true;
    case OPT_FRAMEWORK:
        o->framework = value;
        return rd_parse_word("framework", value, RD_FRAMEWORK_WORDS) >= 0;
    case OPT_OUT:
        o->out = value;
        return true;
    case OPT_JSON:
    case OPT_JUNIT:
    case OPT_SARIF:
        o->documents[option - OPT_JSON] = value;
        return true;
    case OPT_GITHUB:
        o->github = true;
        return true;
    case OPT_HTML:
        o->html = value;
        return strcmp(value, "-") != 0 ||
               (rd_trouble("--html writes several files: it needs a folder, not '-'"), false);
    case OPT_QUIET:
        o->quiet = true;
        return true;
    case OPT_PROGRESS:
    case OPT_COLOUR:
        word = rd_parse_word(rd_test_option_table[option].name, value, RD_WHEN_WORDS);
        *(option == OPT_PROGRESS ? &o->progress : &o->colour) = word;
        return word >= 0;
    case OPT_NO_CONFIG: /* rd_defaults_begin has seen it */
        return true;
    default:
        o->help = true;
        return true;
    }
}

static const char *instead_of(const char *name) {
    for (uint32_t i = 0; i < RD_COUNT(refused); i++)
        if (strcmp(name, refused[i].name) == 0)
            return refused[i].instead;
    return NULL;
}

const struct rd_option *rd_test_option_passed_on(const char *name) {
    for (const struct rd_option *o = rd_test_option_table; o->name; o++)
        if (strcmp(o->name, name) == 0 && o != &rd_test_option_table[OPT_AT_ONCE])
            return NULL;
    for (const struct rd_option *o = rd_command_run.options; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return instead_of(name) ? NULL : o;
    return NULL;
}

/* Notes an option for `raddle run`. False after a message. */
static bool pass_on(struct rd_test_options *o, const struct rd_args *a, const struct rd_option *option,
                    const char *value) {
    char *word = NULL;
    const char *instead = instead_of(option->name);
    if (a->origin && (a->format || instead)) { /* it is for `raddle run` alone */
        a->origin->counts = false;
        return true;
    }
    if (a->format)
        return rd_trouble("--%s is not possible for several tests", a->format->name), false;
    if (instead)
        return rd_trouble("--%s is not possible for several tests: %s", option->name, instead), false;
    if (o->pass_count == RD_TEST_PASSED_ON)
        return rd_trouble("too many options"), false;
    o->counts |= strcmp(option->name, "executions") == 0;
    o->keep_going |= strcmp(option->name, "keep-going") == 0;
    if (asprintf(&word, "--%s%s%s", option->name, value ? "=" : "", value ? value : "") < 0)
        abort();
    o->pass_before_sections += a->origin && a->origin->option.line;
    o->pass_from[o->pass_count] = a->origin;
    o->pass[o->pass_count++] = word;
    return true;
}

/* The options of this command, then those of `raddle run`; the first one with a name counts. */
static struct rd_option *all_options(void) {
    const struct rd_option *run = rd_command_run.options;
    uint32_t n = 0;
    while (run[n].name)
        n++;
    struct rd_option *all = calloc(OPT_COUNT + n + 1, sizeof *all);
    if (!all)
        abort();
    memcpy(all, rd_test_option_table, OPT_COUNT * sizeof *all);
    memcpy(all + OPT_COUNT, run, n * sizeof *all);
    return all;
}

/* Lets `raddle run` read the options that it will get: a mistake is told once, and before any test runs. */
static int check_passed_on(struct rd_test_options *o) {
    static struct rd_run_options checked;
    char *words[RD_TEST_PASSED_ON + 2];
    memcpy(words, o->pass, o->pass_count * sizeof *words);
    words[o->pass_count] = "program";
    words[o->pass_count + 1] = NULL;
    struct rd_args a = {
        .at = words, .command = "run", .words = words, .from = o->pass_from, .from_count = o->pass_count};
    return rd_run_options_read(&checked, &a);
}

/*
 * All words up to "--" are programs. One that looks like an option is a mistake: after the program of `raddle run`
 * it would be an argument of the program, so it is not clear what the user means.
 */
static int check_words(char *const *word) {
    for (word++; *word && strcmp(*word, "--") != 0; word++)
        if (**word == '-')
            return rd_trouble(
                "'%s' follows a program: put options of 'raddle test' before the programs, and arguments of "
                "the tests after '--'",
                *word);
    return 0;
}

int rd_test_options_read(struct rd_test_options *o, struct rd_args *a) {
    cpu_set_t cores;
    *o = (struct rd_test_options){.out = "raddle-out", .defaults = {.sections_later = true}};
    o->choice.patterns = o->patterns;
    struct rd_option *all = all_options();
    const char *value;
    int option = RD_ARGS_MISTAKE;
    bool begun = rd_defaults_begin(&o->defaults, a, all);
    while (begun && (option = rd_args_next(a, all, &value)) >= 0) {
        bool ok = option < OPT_COUNT ? apply(o, option, value) : pass_on(o, a, &all[option], value);
        if (!ok)
            break;
    }
    free(all);
    if (option != RD_ARGS_END)
        return RD_EXIT_TROUBLE;
    if (o->help)
        return 0;
    int status = check_passed_on(o);
    if (status)
        return status;
    if (!*a->at)
        return rd_trouble("no program given (see 'raddle help test')");
    status = check_words(a->at);
    if (status)
        return status;
    if (o->time_s == 0 && !o->counts)
        o->time_s = 60;
    if (!o->at_once)
        o->at_once = sched_getaffinity(0, sizeof cores, &cores) == 0 ? (uint32_t)CPU_COUNT(&cores) : 1;
    return 0;
}
