/*
 * variables.c - raddle list variables: runs the program, counts every access, and prints the variables that its
 * threads share. The command searches no schedules and stores none.
 */
#include "cli/commands.h"
#include "cli/defaults/defaults.h"
#include "cli/interrupt.h"
#include "cli/look.h"
#include "cli/memory_names.h"
#include "cli/options.h"
#include "cli/program_symbols.h"
#include "cli/run/rule_files.h"
#include "drive/session.h"
#include "report/format.h"
#include "report/text/trouble.h"
#include "drive/process/limits.h"

#include <stdio.h>
#include <string.h>

enum {
    OPT_EXECUTIONS,
    OPT_SEED,
    OPT_ALL,
    OPT_FORMAT,
    OPT_ISOLATION,
    OPT_MAX_STEPS,
    OPT_MAX_SECONDS,
    OPT_COLOUR,
    OPT_NO_CONFIG,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_EXECUTIONS] = {'n', "executions", "N",
                        "count the accesses of N executions, each under another random schedule; default 1"},
    [OPT_SEED] = {0, "seed", "N", "seed of the schedules; default 1"},
    [OPT_ALL] = {'a', "all", NULL, "print also the variables that only one thread uses"},
    [OPT_FORMAT] = {0, RD_OPTION_FORMATS(RD_DOCUMENT_VARIABLES), NULL, NULL},
    [OPT_ISOLATION] = {0, "isolation", "auto|snapshot|fork|exec", "what keeps executions apart; default auto"},
    [OPT_MAX_STEPS] = {0, "max-steps", "N",
                       "an execution with more operations is not run to its end; default 2000000"},
    [OPT_MAX_SECONDS] = {0, "max-seconds", "S", "an execution that takes longer is a hang; default 10"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the list"},
    [OPT_NO_CONFIG] = RD_OPTION_NO_CONFIG,
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

struct list_options {
    struct rd_session session;
    const struct rd_given_option *given; /* the options that are not on the command line */
    uint32_t given_count;
    const struct rd_format *format, *other_format; /* of the options; a second one is a mistake */
    bool all, help;
    struct rd_default *format_by_default; /* NULL: `format` is of the command line; else another may replace it */
    int colour;
};

const struct rd_command rd_command_variables = {
    .name = "list variables",
    .arguments = "[options] [--] PROGRAM [ARGS...]",
    .summary = "which variables threads share, and what protects them",
    .description =
        "Runs PROGRAM once, counts every access of its threads, and prints the variables that they share: how "
        "often "
        "they are used, by how many threads, and which lock protects them. Variables that no lock protects come "
        "first. Compile the program with 'raddle cc' or 'raddle c++'; of any other program only mutexes and other "
        "objects for synchronisation are seen.",
    .options = options};

static bool set_number(struct rd_config *c, int option, const char *value) {
    uint64_t n, max = option == OPT_MAX_STEPS ? 100000000 : UINT64_MAX >> 1;
    if (!rd_parse_count(options[option].name, value, max, &n))
        return false;
    if (n == 0 && option != OPT_SEED)
        return rd_trouble("--%s must be at least 1", options[option].name), false;
    if (option == OPT_EXECUTIONS)
        c->executions_max = n;
    else if (option == OPT_MAX_STEPS)
        c->steps_max = (uint32_t)n;
    else
        c->seed = n;
    return true;
}

static bool apply(struct list_options *o, int option, const char *value) {
    int word;
    switch (option) {
    case OPT_EXECUTIONS:
    case OPT_SEED:
    case OPT_MAX_STEPS:
        return set_number(&o->session.config, option, value);
    case OPT_MAX_SECONDS:
        return rd_parse_seconds("max-seconds", value, &o->session.execution_s_max);
    case OPT_ISOLATION:
        word = rd_parse_word("isolation", value, "auto snapshot fork exec");
        o->session.isolation = (enum rd_isolation)RD_MAX(word, 0);
        return word >= 0;
    case OPT_COLOUR:
        o->colour = rd_parse_word("color", value, RD_WHEN_WORDS);
        return o->colour >= 0;
    case OPT_ALL:
        o->all = true;
        return true;
    case OPT_NO_CONFIG: /* rd_defaults_begin has seen it */
        return true;
    default:
        o->help = true;
        return true;
    }
}

/*
 * Notes the format that an option has chosen, and the first one that differs from it, in the order of the table of
 * formats: the message about two formats names them in that order.
 */
static void choose_format(struct list_options *o, const struct rd_format *f, struct rd_default *by_default) {
    const struct rd_format *chosen = o->format_by_default ? NULL : o->format;
    if (o->format_by_default)
        o->format_by_default->counts = false;
    o->format_by_default = by_default;
    if (!chosen || chosen == f || o->other_format) {
        o->format = chosen ? chosen : f;
        return;
    }
    bool first = false;
    for (uint32_t i = 0; i < rd_format_count && rd_formats[i] != chosen; i++)
        first |= rd_formats[i] == f;
    o->format = first ? f : chosen;
    o->other_format = first ? chosen : f;
}

/* Tells the user that executions had findings: their accesses are counted only up to the finding. */
static void note_findings(const struct rd_run_result *result) {
    const struct rd_summary *s = &result->summary;
    if (s->findings)
        rd_trouble(
            "%llu of %llu executions ended with a finding (%s), which 'raddle run' shows; the accesses before it "
            "are counted",
            (unsigned long long)s->findings, (unsigned long long)s->executions,
            rd_finding_name(result->found[0].finding.kind));
}

static bool is_instrumented(const struct rd_run_result *result) {
    for (uint32_t i = 0; i < result->module_count; i++)
        if (result->modules[i].instrumented)
            return true;
    return false;
}

static int print_variables(struct list_options *o) {
    static struct rd_memory_names names;
    const struct rd_run_result *r = &o->session.result;
    struct rd_look look = rd_look_for(stdout, o->colour);
    if (r->summary.end == RD_END_TROUBLE) {
        rd_print_refused(stderr, o->session.target->args[0], r->summary.message, NULL, 0, &look);
        return RD_EXIT_TROUBLE;
    }
    struct rd_variable_usage u = {.profile = r->profile,
                                  .symbols = rd_symbols_open(r->modules, r->module_count),
                                  .names = rd_memory_names_learn(&names, &o->session),
                                  .program = o->session.target->args[0],
                                  .all = o->all,
                                  .options = o->given,
                                  .option_count = o->given_count,
                                  .instrumented = is_instrumented(r)};
    rd_symbols_profile(u.symbols, u.profile);
    const struct rd_format *format = o->format ? o->format : rd_format_default();
    format->variables(stdout, &u, &look);
    rd_symbols_close(u.symbols);
    rd_memory_names_close(&names);
    note_findings(r);
    return RD_EXIT_CLEAN;
}

int rd_cmd_variables(char **args) {
    static struct list_options o;
    static struct rd_defaults defaults;
    struct rd_args a = {.at = args, .command = "list variables"};
    struct rd_config *c = &o.session.config;
    struct rd_error error;
    const char *value;
    int option;
    *c = (struct rd_config){.steps_max = 2000000, .seed = 1, .timeouts = 3, .keep_going = 1, .executions_max = 1};
    RD_CHECK(rd_session_set_strategy(&o.session, rd_search_profile.name, &error) == 0);
    o.session.execution_s_max = 10;
    if (!rd_defaults_begin(&defaults, &a, options))
        return RD_EXIT_TROUBLE;
    while ((option = rd_args_next(&a, options, &value)) >= 0)
        if (option == OPT_FORMAT)
            choose_format(&o, a.format, a.origin);
        else if (!apply(&o, option, value))
            return RD_EXIT_TROUBLE;
    if (option == RD_ARGS_MISTAKE)
        return RD_EXIT_TROUBLE;
    if (o.help)
        return rd_command_help(&rd_command_variables), RD_EXIT_CLEAN;
    if (o.other_format)
        return rd_trouble("--%s and --%s cannot be used together", o.format->name, o.other_format->name);
    o.given_count = rd_defaults_given(&defaults, &o.given);
    if (!*a.at)
        return rd_trouble("no program given (see 'raddle help list variables')");
    c->fair_after = c->steps_max / 2;
    static struct rd_target target;
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (rd_program_symbols_open_target(&target, a.at, &error) != 0)
        return rd_trouble("%s", error.text);
    o.session.target = &target;
    o.session.globals = rd_program_symbols_globals;
    if (!rd_rule_files_read(&(struct rd_rule_files){0}, &o.session))
        return RD_EXIT_TROUBLE;
    rd_interrupt_install(true);
    if (rd_session_run(&o.session, &error) != 0)
        return rd_trouble("%s", error.text);
    int status = print_variables(&o);
    rd_session_close(&o.session);
    return status;
}
