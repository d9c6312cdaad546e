/*
 * variables.c - raddle list variables: runs the program with every access counted, and prints what its threads
 * share. Nothing is searched and nothing is stored.
 */
#include "cli/commands.h"
#include "cli/run/confirm_finding.h"
#include "cli/run/named_code.h"
#include "cli/options.h"
#include "cli/run/rule_files.h"
#include "cli/interrupt.h"
#include "report/variable_usage.h"
#include "drive/process/limits.h"

#include <stdio.h>
#include <string.h>

enum option_index {
    OPT_EXECUTIONS,
    OPT_SEED,
    OPT_ALL,
    OPT_CSV,
    OPT_JSON,
    OPT_ISOLATION,
    OPT_MAX_STEPS,
    OPT_MAX_SECONDS,
    OPT_COLOUR,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_EXECUTIONS] = {'n', "executions", "N",
                        "profile N executions, each under another random schedule; default 1"},
    [OPT_SEED] = {0, "seed", "N", "seed of the schedules; default 1"},
    [OPT_ALL] = {'a', "all", NULL, "show variables that only one thread uses, too"},
    [OPT_CSV] = {0, "csv", NULL, "every variable as comma-separated values, the most used first"},
    [OPT_JSON] = {0, "json", NULL, "every variable as JSON"},
    [OPT_ISOLATION] = {0, "isolation", "auto|snapshot|fork|exec", "what keeps executions apart; default auto"},
    [OPT_MAX_STEPS] = {0, "max-steps", "N",
                       "an execution with more operations is not run to its end; default 2000000"},
    [OPT_MAX_SECONDS] = {0, "max-seconds", "S", "an execution that takes longer is a hang; default 10"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the list"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

struct list_options {
    struct rd_session session;
    bool all, csv, json, help;
    int colour;
};

void rd_help_list(void) {
    puts(
        "raddle list [strategies|detectors|findings|operations]\n\n"
        "Prints what there is.\n\n"
        "raddle list variables [options] [--] PROGRAM [ARGS...]\n\n"
        "Runs PROGRAM once, counts every access of its threads, and prints the variables that they share: how\n"
        "often they are used, by how many threads, and which lock protects them. Those that no lock protects come\n"
        "first. Compile the program with 'raddle cc' or 'raddle c++', or only its mutexes and the like are "
        "seen.\n");
    rd_options_help(options);
}

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
        o->colour = rd_parse_word("color", value, "auto always never");
        return o->colour >= 0;
    case OPT_ALL:
        o->all = true;
        return true;
    case OPT_CSV:
        o->csv = true;
        return true;
    case OPT_JSON:
        o->json = true;
        return true;
    default:
        o->help = true;
        return true;
    }
}

/* Executions that went wrong were counted as far as they went. */
static void tell_findings(const struct rd_channel *c) {
    const struct rd_summary *s = &c->result.summary;
    if (s->findings)
        rd_trouble(
            "%llu of %llu executions ended with a finding (%s), which 'raddle run' shows; what came before it "
            "is counted",
            (unsigned long long)s->findings, (unsigned long long)s->executions,
            rd_finding_name(c->result.found[0].finding.kind));
}

static bool any_instrumented(const struct rd_channel *c) {
    for (uint32_t i = 0; i < c->execution.module_count; i++)
        if (c->execution.modules[i].instrumented)
            return true;
    return false;
}

static int print(const struct list_options *o) {
    struct rd_channel *c = o->session.worker.channel;
    struct rd_look look = rd_look_for(stdout, o->colour);
    if (c->result.summary.end == RD_END_TROUBLE) {
        rd_print_refused(stderr, o->session.target->args[0], c->result.summary.message, NULL, 0, &look);
        return RD_EXIT_TROUBLE;
    }
    struct rd_variable_usage u = {.profile = rd_channel_profile(c),
                                  .symbols = rd_symbols_open(c->execution.modules, c->execution.module_count),
                                  .program = o->session.target->args[0],
                                  .all = o->all,
                                  .instrumented = any_instrumented(c)};
    rd_symbols_profile(u.symbols, u.profile);
    if (o->csv)
        rd_variable_usage_csv(stdout, &u);
    else if (o->json)
        rd_variable_usage_json(stdout, &u);
    else
        rd_variable_usage_text(stdout, &u, &look);
    rd_symbols_close(u.symbols);
    tell_findings(c);
    return RD_EXIT_CLEAN;
}

int rd_cmd_variables(char **args) {
    static struct list_options o;
    struct rd_args a = {args, "list"};
    struct rd_config *c = &o.session.config;
    struct rd_error error;
    const char *value;
    int option;
    *c = (struct rd_config){.steps_max = 2000000,
                            .seed = 1,
                            .timeouts = 3,
                            .keep_going = 1,
                            .executions_max = 1,
                            .strategy = "profile"};
    o.session.execution_s_max = 10;
    while ((option = rd_args_next(&a, options, &value)) >= 0)
        if (!apply(&o, option, value))
            return RD_EXIT_TROUBLE;
    if (option == -2)
        return RD_EXIT_TROUBLE;
    if (o.help)
        return rd_help_list(), RD_EXIT_CLEAN;
    if (o.csv && o.json)
        return rd_trouble("--csv and --json cannot be used together");
    if (!*a.at)
        return rd_trouble("no program given (see 'raddle help list')");
    c->fair_after = c->steps_max / 2;
    static struct rd_target target;
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (rd_names_target(&target, a.at, &error) != 0)
        return rd_trouble("%s", error.text);
    o.session.target = &target;
    o.session.globals = rd_names_globals;
    if (!rd_rules_read(&(struct rd_rule_files){0}, &o.session))
        return RD_EXIT_TROUBLE;
    rd_stop_install(true);
    if (rd_session_run(&o.session, &error) != 0)
        return rd_trouble("%s", error.text);
    int status = print(&o);
    rd_session_close(&o.session);
    return status;
}
