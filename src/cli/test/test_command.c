/*
 * test_command.c - raddle test: finds out which framework each program uses, asks it for its tests, runs each of
 * them by itself and prints a table.
 */
#include "base/sha256.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/look.h"
#include "cli/run/make_folder.h"
#include "cli/test/documents/test_documents.h"
#include "cli/test/framework.h"
#include "cli/test/run_tests.h"
#include "cli/test/section_options.h"
#include "cli/test/test_table.h"
#include "drive/process/target.h"
#include "drive/real_clock.h"
#include "report/text/report_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIR_NAME = 64, HASH_DIGITS = 8 };

const struct rd_command rd_command_test = {
    .name = "test",
    .run = rd_cmd_test,
    .arguments = "[options] PROGRAM... [-- ARGS...]",
    .summary = "run each test of test programs by itself (GoogleTest, Catch2, doctest ...)",
    .description =
        "Lists the tests of each PROGRAM and runs each of them as 'raddle run' does, in a share of the time, "
        "several at once. Knows GoogleTest, Catch2, doctest and Boost.Test; any other program is one test. Prints "
        "a table of the results, and each bug with its schedule. ARGS are given to every test.\n"
        "\n"
        "Exit status: 1 if a test has a bug; else 2 if there was trouble, for example no test to run; else 0.\n"
        "\n"
        "All options of 'raddle run' that are not among these are possible, too, and hold for each test.",
    .options = rd_test_option_table};

static bool same_file_name(const struct rd_test_program *a, const struct rd_test_program *b) {
    const char *slash_a = strrchr(a->word, '/'), *slash_b = strrchr(b->word, '/');
    return strcmp(slash_a ? slash_a + 1 : a->word, slash_b ? slash_b + 1 : b->word) == 0;
}

/* Programs, and the words after "--" that all of them get; the list lives as long as the process. */
static struct rd_test_program *split_words(char **words, uint32_t *count) {
    struct rd_test_program *programs = calloc(rd_test_count_words(words) + 1, sizeof *programs);
    uint32_t n = 0;
    if (!programs)
        abort();
    char **after = NULL;
    for (; *words && !after; words++)
        if (strcmp(*words, "--") == 0)
            after = words + 1;
        else
            programs[n++] = (struct rd_test_program){.word = *words};
    for (uint32_t i = 0; i < n; i++) {
        const char *slash = strrchr(programs[i].word, '/');
        programs[i].label = slash ? slash + 1 : programs[i].word;
        programs[i].args = after;
    }
    for (uint32_t i = 0; i < n; i++) /* two files of one name in different folders */
        for (uint32_t k = 0; k < n; k++)
            if (k != i && strcmp(programs[i].word, programs[k].word) != 0 &&
                same_file_name(&programs[i], &programs[k]))
                programs[i].label = programs[i].word;
    *count = n;
    return programs;
}

static const struct rd_framework *framework_named(const char *word) {
    for (uint32_t i = 0; i < rd_framework_count; i++)
        if (strcmp(rd_frameworks[i]->word, word) == 0)
            return rd_frameworks[i];
    return NULL;
}

/* Adds the tests of a program; `end_s`: see rd_frameworks_list. Returns 0, or the exit status after a message. */
static int list_program(struct rd_test_list *list, struct rd_test_program *p, const struct rd_test_options *o,
                        double end_s) {
    struct rd_error error;
    static struct rd_target target;
    char *args[] = {(char *)p->word, NULL};
    if (rd_target_open(&target, args, &error) != 0)
        return rd_trouble("%s", error.text);
    p->path = strdup(target.path);
    if (!p->path)
        abort();
    p->framework = o->framework ? framework_named(o->framework) : rd_frameworks_find(p->path);
    if (rd_frameworks_list(list, p, end_s, &error) == 0)
        return 0;
    return rd_trouble("cannot list the tests of '%s' (%s): %s", p->word, p->framework->name, error.text);
}

/* A few digits that differ for tests that differ, and are the same for a test whichever others are run. */
static void hash_test(const struct rd_test *t, const char *full, char to[HASH_DIGITS + 1]) {
    struct rd_sha256 h;
    uint8_t hash[RD_SHA256_SIZE];
    rd_sha256_begin(&h);
    rd_sha256_add_text(&h, full);
    for (uint32_t i = 0; t->args[i]; i++)
        rd_sha256_add_text(&h, t->args[i]);
    rd_sha256_end(&h, hash);
    rd_sha256_hex(hash, HASH_DIGITS, to);
}

/* The name of folders for a test: its own, with a hash if that cannot be part of a path. It begins with no dot. */
static char *make_folder_name(const struct rd_test *t, bool several) {
    char name[DIR_NAME], hash[HASH_DIGITS + 1], *full = NULL, *folder = NULL;
    bool exact = true;
    size_t n = 0;
    if (asprintf(&full, "%s%s%s", several ? t->program->label : "", several ? ": " : "", t->name) < 0)
        abort();
    for (const char *c = full; *c; c++) {
        bool fits = isalnum((unsigned char)*c) || (strchr("_.-", *c) && n > 0);
        exact &= fits;
        if (n < sizeof name - 1 && (fits || (n > 0 && name[n - 1] != '_')))
            name[n++] = fits ? *c : '_';
    }
    name[n] = 0;
    exact &= strlen(full) < sizeof name;
    hash_test(t, full, hash);
    free(full);
    if (asprintf(&folder, "%s%s%s", name, exact ? "" : "-", exact ? "" : hash) < 0)
        abort();
    return folder;
}

/* Names the folders of a test. */
static void name_folders(const struct rd_test_options *o, struct rd_test *t, bool several) {
    t->folder = make_folder_name(t, several);
    if (asprintf(&t->dir, "%s/%s", o->out, t->folder) < 0 ||
        (o->html && asprintf(&t->pages, "%s/%s", o->html, t->folder) < 0) ||
        (o->html && asprintf(&t->new_pages, "%s/.%s", o->html, t->folder) < 0))
        abort();
}

static void print_list(const struct rd_test_list *list, bool several) {
    char name[4096];
    FILE *out = rd_wrap_open(stdout, NULL);
    for (uint32_t i = 0; i < list->count; i++)
        fprintf(out, "%s%s\n", rd_test_full_name(&list->at[i], several, name, sizeof name),
                list->at[i].disabled ? "  (disabled)" : "");
    rd_wrap_close(out);
}

/* Runs the tests and writes their results. Returns the exit status. */
static int run(struct rd_test_runs *r) {
    const struct rd_test_options *o = r->options;
    bool made_out;
    if (!rd_make_folder(o->out, &made_out))
        return rd_trouble("cannot write to directory '%s': %s", o->out, strerror(errno));
    if (!rd_test_documents_open(o))
        return RD_EXIT_TROUBLE;
    rd_run_tests(r);
    struct rd_look look = rd_look_for(stdout, o->colour);
    if (!o->quiet && !rd_test_documents_take_stdout(o))
        rd_test_table(stdout, r, &look);
    int status = rd_test_documents_write(r);
    rd_test_github(r);
    if (made_out)
        rmdir(o->out); /* fails, and the directory stays, if it holds a schedule */
    return status ? status : rd_tests_exit_status(r);
}

/* Lists the tests and runs them. Returns the exit status. */
static int list_and_run(struct rd_test_options *o, char **words, const char **command) {
    struct rd_test_list list = {0};
    int status = 0;
    double began = rd_clock_s();
    uint32_t n;
    static struct rd_test_program *programs; /* the tests refer to them */
    programs = split_words(words, &n);
    for (uint32_t i = 0; i < n; i++)
        status |= list_program(&list, &programs[i], o, o->time_s > 0 ? began + o->time_s : 0);
    if (status) {
        rd_test_list_free(&list);
        return status;
    }
    uint32_t all = list.count;
    rd_test_list_choose(&list, &o->choice);
    if (list.count == 0 && !(o->choice.shards > 1 && all))
        return rd_trouble("none of the %u tests matches --filter ('raddle test --list' prints them)", all);
    for (uint32_t i = 0; i < list.count; i++)
        name_folders(o, &list.at[i], n > 1);
    for (uint32_t i = 0; i < list.count && !status; i++)
        status = rd_section_options_find(o, &list.at[i]);
    struct rd_test_runs r = {.options = o,
                             .list = &list,
                             .programs = programs,
                             .program_count = n,
                             .several = n > 1,
                             .command = command,
                             .began = began};
    if (o->list && !status)
        print_list(&list, n > 1);
    else if (!status)
        status = run(&r);
    rd_test_list_free(&list);
    return status;
}

int rd_cmd_test(char **args) {
    static struct rd_test_options o;
    static const char **command;
    struct rd_args a = {.at = args, .command = "test"};
    int status = rd_test_options_read(&o, &a);
    if (status)
        return status;
    if (o.help)
        return rd_command_help(&rd_command_test), RD_EXIT_CLEAN;
    rd_interrupt_install(false);
    rd_interrupt_for_commands();
    rd_test_github_begin(&o);
    command = rd_command_words("test", args);
    status = list_and_run(&o, a.at, command);
    rd_test_github_end(&o);
    return status;
}
