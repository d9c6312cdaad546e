/*
 * section_options.c - see section_options.h. A test is a `raddle run`, so its sections may have the options of that
 * command. Two mean something else for one test than for `raddle test`: the time is a limit for that test, and the
 * jobs are its workers. What is for the whole command (--out, --filter ...) is passed over.
 */
#include "cli/test/section_options.h"

#include "cli/run/run_options.h"

#include <stdlib.h>
#include <string.h>

/* Lets `raddle run` read the option. Returns 0, or the exit status after a message. */
static int check(struct rd_default *x) {
    static struct rd_run_options checked;
    char *words[] = {x->word, "program", NULL};
    struct rd_args a = {.at = words, .command = "run", .words = words, .from = &x, .from_count = 1};
    if (x->was_checked)
        return 0;
    x->was_checked = true;
    return rd_run_options_read(&checked, &a);
}

/* Does the test get the option? RADDLE_OPTIONS and the command line replace it, unless they mean something else. */
static bool gets(const struct rd_default *x, const struct rd_test *t) {
    const char *name = x->option.name;
    bool other = strcmp(name, "time") == 0 || strcmp(name, "jobs") == 0;
    if (!x->option.section || (x->on_line && !other))
        return false;
    if (!rd_default_is_for(x, t->name) && !rd_default_is_for(x, t->program->label))
        return false;
    return strcmp(name, "time") == 0 || rd_test_option_passed_on(name);
}

int rd_section_options_find(struct rd_test_options *o, struct rd_test *t) {
    uint32_t n = 0;
    t->own = calloc(o->defaults.count + 1, sizeof *t->own);
    if (!t->own)
        abort();
    for (uint32_t i = 0; i < o->defaults.count; i++) {
        struct rd_default *x = &o->defaults.at[i];
        if (!gets(x, t))
            continue;
        if (n == RD_TEST_PASSED_ON - 1)
            return rd_trouble("%s: too many options for the test '%s'", x->option.from, t->name);
        int status = check(x);
        if (status)
            return status;
        x->counts = true;
        t->own[n++] = x;
        if (strcmp(x->option.name, "time") == 0)
            t->time_s = strtod(x->option.value, NULL);
        t->keep_going |= strcmp(x->option.name, "keep-going") == 0;
    }
    return 0;
}
