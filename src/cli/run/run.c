/*
 * run.c - raddle run, from top to bottom of the last function: read the options, open the program and the output
 * files, search, confirm and report each finding (confirm_finding.h), write the summary.
 */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/defaults/defaults.h"
#include "cli/interrupt.h"
#include "cli/look.h"
#include "cli/options.h"
#include "cli/program_output.h"
#include "cli/program_symbols.h"
#include "cli/run/documents.h"
#include "cli/run/run_findings.h"
#include "cli/run/live_status.h"
#include "cli/run/make_folder.h"
#include "cli/run/named_code.h"
#include "cli/run/run_history.h"
#include "cli/run/run_options.h"
#include "cli/run/test_hint.h"
#include "detect/detect.h"
#include "drive/deadline.h"
#include "file/state_key.h"
#include "drive/make_schedule.h"
#include "drive/process/limits.h"
#include "drive/sharing_table.h"
#include "report/coverage_csv.h"
#include "report/format.h"
#include "report/text/report_text.h"
#include "report/text/trouble.h"
#include "search/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes why the search ended with trouble. */
static void write_trouble(FILE *out, struct rd_run_options *o, const struct rd_look *look) {
    struct rd_run_result *r = &o->session.result;
    struct rd_schedule schedule;
    rd_schedule_make(&schedule, o->session.target, r, NULL);
    struct rd_report report = {.schedule = &schedule, .symbols = rd_symbols_open(r->modules, r->module_count)};
    if (r->summary.trouble == RD_DIVERGED)
        rd_print_divergence(out, &report, &r->summary.divergence, false, look);
    else
        rd_print_refused(out, o->session.target->args[0], r->summary.message, report.symbols, r->summary.unseen_pc,
                         look);
    rd_symbols_close(report.symbols);
}

/*
 * Tells on standard error why the search ended with trouble, and keeps the same text for the documents; it lives as
 * long as the process. Returns the exit status.
 */
static int print_trouble(struct rd_run_options *o, struct rd_run *run, const struct rd_look *look) {
    const struct rd_look plain = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    write_trouble(stderr, o, look);
    if (!memory)
        return RD_EXIT_TROUBLE;
    write_trouble(memory, o, &plain);
    run->trouble = fclose(memory) == 0 ? text : NULL;
    return RD_EXIT_TROUBLE;
}

/* Did the search end before any execution had ended? Then it says nothing about the program, which is trouble. */
static bool no_execution_ended(const struct rd_summary *s) {
    bool stopped = s->end == RD_END_BUDGET || s->end == RD_END_STOPPED || s->end == RD_END_MEMORY;
    return stopped && s->executions == 0 && !s->earlier && s->found_count == 0;
}

/* Turns the end of such a search into trouble, with a message that says why no execution has ended. */
static void explain_no_execution(struct rd_run_result *r) {
    struct rd_summary *s = &r->summary;
    struct rd_text t;
    char limit[32];
    if (rd_deadline_over())
        snprintf(limit, sizeof limit, "within %g s (--time)", rd_deadline_seconds());
    else
        snprintf(limit, sizeof limit, "within the limit of executions");
    rd_text_init(&t, s->message, sizeof s->message);
    rd_text_str(&t, "no execution came to its end ");
    rd_text_str(&t, s->end == RD_END_MEMORY    ? "within the memory of the search (--memory)"
                    : s->end == RD_END_STOPPED ? "before the signal to stop"
                                               : limit);
    if (s->limited) {
        rd_text_str(&t, "; executions were cut after ");
        rd_text_dec(&t, r->config.steps_max);
        rd_text_str(&t, " steps: --max-steps gives them more, and a smaller input needs fewer");
    } else if (r->outcome.unseen & RD_UNSEEN_EXEC) {
        rd_text_str(&t, "; the program was replaced by another one (exec), which raddle does not control");
    } else if (r->stuck.how != RD_TASK_UNKNOWN) {
        rd_text_str(&t, "; T");
        rd_text_dec(&t, r->running);
        rd_text_str(&t, r->stuck.how == RD_TASK_CALL ? " was blocked in the system call " : " was running");
        rd_text_str(&t, r->stuck.how == RD_TASK_CALL ? r->stuck.text : "");
    }
    s->end = RD_END_TROUBLE;
    s->trouble = RD_REFUSED;
}

/* With points where accesses race: tells at which memory some do. */
static void tell_raced(struct rd_run *run, const struct rd_run_result *r, struct rd_symbols *symbols) {
    const struct rd_shared *list;
    if (!rd_config_checks_accesses(&r->config) || r->summary.threads_max <= 1)
        return;
    uint32_t count = rd_sharing_table_points(&list);
    rd_run_raced(run, list, count, symbols);
}

/* The message about trouble in one line; NULL: there was none. */
static const char *error_line(const struct rd_summary *s) {
    if (s->end != RD_END_TROUBLE)
        return NULL;
    if (s->message[0])
        return s->message;
    return s->trouble == RD_DIVERGED ? "the program is not deterministic: an execution did not follow its schedule"
                                     : "the program does what Raddle cannot control";
}

/* Fills in the summary of the run, as far as it does not depend on the findings. */
static void fill_run(struct rd_run_options *o, const struct rd_search *search, struct rd_run *run) {
    static const char *const points[] = {"auto", "sync", "all"};
    const struct rd_run_result *r = &o->session.result;
    const struct rd_summary *s = &r->summary;
    *run = (struct rd_run){.version = RADDLE_VERSION,
                           .program = o->session.target->args[0],
                           .args = (const char *const *)o->session.target->args,
                           .command = o->command,
                           .options = o->given,
                           .option_count = o->given_count,
                           .build_id = o->session.target->build_id,
                           .build_id_size = o->session.target->build_id_size,
                           .seed = o->session.config.seed,
                           .strategy = o->session.config.strategy,
                           .error = error_line(s),
                           .isolation = rd_isolation_name(o->session.isolation),
                           .points = points[o->session.config.points],
                           .fell_back = o->session.fell_back,
                           .elapsed_s = (double)s->elapsed_ns * 1e-9,
                           .workers = o->session.jobs,
                           .one_worker = o->session.one_worker,
                           .focus = o->focus.words};
    run->moment_count = rd_run_history(r, &run->moments);
    rd_unseen_code_modules(&run->blind, r);
    rd_unseen_code_units(&run->blind, r);
    if (r->modules[0].instrumented && rd_config_sees_accesses(&o->session.config)) {
        static char compilers[256];
        struct rd_symbols *symbols = rd_symbols_open(r->modules, r->module_count);
        run->compilers = rd_symbols_compilers(symbols, compilers, sizeof compilers) ? compilers : NULL;
        rd_run_opaque(run, s, symbols);
        tell_raced(run, r, symbols);
        rd_symbols_close(symbols);
    }
    rd_weigh_claim(run, r, search->guarantee.exhaustive, search->guarantee.sentence);
    rd_find_next(run, r);
}

static void show_output(const struct rd_worker *w) {
    size_t size, cut;
    char *text = rd_program_output_text(w, &size, &cut);
    if (cut)
        rd_trouble("the first %zu bytes of the output are not shown", cut);
    if (isatty(1))
        rd_print_safe(stdout, text, size);
    else
        fwrite(text, 1, size, stdout);
    free(text);
}

/* The files of --coverage: what comes before ".csv" in their names, and who writes them. */
static const struct {
    const char *suffix;
    void (*write)(FILE *out, const struct rd_run_result *r);
} coverage_tables[RD_RUN_TABLES] = {
    {"", rd_coverage_executions}, {".bounds", rd_coverage_bounds}, {".orders", rd_coverage_orders}};

static int write_coverage(const struct rd_run_options *o) {
    const struct rd_run_result *r = &o->session.result;
    int status = 0;
    for (uint32_t i = 0; i < RD_RUN_TABLES; i++) {
        FILE *out = o->tables[i].file;
        coverage_tables[i].write(out, r);
        bool failed = ferror(out) != 0;
        if (fclose(out) != 0 || failed)
            status = rd_trouble("cannot write '%s'", o->tables[i].path);
    }
    if (r->summary.coverage.states_dropped)
        rd_trouble("coverage: only the first %d states are told apart", RD_STATES_MAX);
    if (r->summary.coverage.orders_dropped)
        rd_trouble("coverage: '%s' has the first %d orders only; %llu executions had another one",
                   o->tables[RD_RUN_TABLES - 1].path, RD_ORDERS_MAX,
                   (unsigned long long)r->summary.coverage.orders_dropped);
    return status;
}

/* --require-complete: says why the claim of the search is not complete. Returns the exit status. */
static int explain_incomplete(const struct rd_run *run) {
    char words[RD_UNSEEN_CODE_WORDS];
    if (!run->finished)
        return rd_trouble("the search is not complete");
    if (rd_unseen_code_none(&run->blind))
        return rd_trouble("the search is finished, but complete only if %s, which is not checked", run->assumes);
    rd_unseen_code_words(&run->blind, words, sizeof words);
    return rd_trouble("the search is finished, but not complete; not seen: %s", words);
}

/* Reports each bug. */
static void write_findings(struct rd_run_options *o, const struct rd_run_findings *x, const struct rd_look *look) {
    for (uint32_t i = 0; i < x->groups.count; i++)
        rd_run_documents_finding(o, &x->bugs[i], look);
}

/* Writes everything that follows the findings. Returns 0, or the exit status for trouble. */
static int write_summary(struct rd_run_options *o, struct rd_run_findings *x, const struct rd_look *look) {
    int status = 0;
    bool text = rd_run_documents_leave_report(o);
    if (o->session.config.outcomes)
        status |= rd_outcomes_option_store(&o->session, o->out, o->session.search->guarantee.outcomes, &x->run);
    if (o->show_output && text)
        show_output(&o->session.worker);
    if (text)
        rd_format_default()->run(stdout, &x->run, x->bugs, x->groups.count, look);
    if (text)
        rd_test_hint(stdout, &o->session);
    if (o->coverage)
        status |= write_coverage(o);
    status |= rd_run_documents_write(o, &x->run, x->bugs, x->groups.count, look);
    return status ? RD_EXIT_TROUBLE : 0;
}

/* Returns the exit status of the command, after a message if it is trouble for a new reason. */
static int judge(const struct rd_run_options *o, const struct rd_run *run, int status) {
    const struct rd_run_result *r = &o->session.result;
    if (status == RD_EXIT_CLEAN && r->summary.limited && !r->summary.executions)
        status = rd_trouble("no execution came to its end within %u steps: --max-steps gives them more",
                            r->config.steps_max);
    if (o->require_complete && !run->complete && status != RD_EXIT_TROUBLE)
        status = explain_incomplete(run);
    return status;
}

/* Runs the search, with a live status if the user wants it. Returns 0, or the exit status after a message. */
static int search(struct rd_run_options *o) {
    struct rd_session *s = &o->session;
    struct rd_error error;
    bool live = o->progress == RD_WHEN_ALWAYS || (o->progress == RD_WHEN_AUTO && isatty(2) && !o->quiet);
    for (uint32_t i = 0; i < o->output_count; i++)
        if (o->outputs[i].format->index) /* such documents draw how the search went */
            rd_run_history_begin();
    if (live)
        rd_run_history_pass_on(rd_live_status);
    s->tick = rd_run_history_tick();
    rd_interrupt_install(false);
    if (live)
        rd_live_status_begin();
    int failed = rd_session_run(s, &error);
    if (live)
        rd_live_status_end();
    if (failed)
        return rd_trouble("%s", error.text);
    if (no_execution_ended(&s->result.summary))
        explain_no_execution(&s->result);
    return 0;
}

/* Takes the result of the search, and confirms its findings. Returns the exit status so far. */
static int take_result(struct rd_run_options *o, struct rd_run_findings *x, const struct rd_look *look) {
    fill_run(o, o->session.search, &x->run);
    bool trouble = o->session.result.summary.end == RD_END_TROUBLE;
    int status = trouble ? print_trouble(o, &x->run, look) : RD_EXIT_CLEAN;
    int confirmed = rd_run_findings_confirm(x, &o->session);
    return RD_MAX(status, confirmed);
}

/*
 * Reports the result of the search, and repeats the search while suppressed findings stop it. `settings`: of the
 * session before the search. Returns the exit status of the command.
 */
static int report(struct rd_run_options *o, const struct rd_session *settings, const struct rd_look *look) {
    static struct rd_run_findings x;
    x.list.dir = o->out;
    x.suppressed.files = &o->suppress;
    x.suppressed.program = o->session.target->path;
    int status = take_result(o, &x, look);
    while (rd_run_findings_repeat(&x, &o->session, settings)) {
        int failed = search(o);
        if (failed)
            return failed;
        status = take_result(o, &x, look);
    }
    rd_run_documents_begin_report(o);
    rd_late_suppression_list(&x.suppressed, o->session.target, &o->session.result, &x.run);
    write_findings(o, &x, look);
    x.run.status = judge(o, &x.run, status);
    int failed = write_summary(o, &x, look);
    status = RD_MAX(x.run.status, failed);
    rd_run_findings_close(&x);
    return status;
}

/* Opens the files of --coverage. False after a message. */
static bool open_tables(struct rd_run_options *o) {
    size_t n = strlen(o->coverage);
    bool csv = n > 4 && strcmp(o->coverage + n - 4, ".csv") == 0;
    for (uint32_t i = 0; i < RD_RUN_TABLES; i++) {
        struct rd_run_table *t = &o->tables[i];
        snprintf(t->path, sizeof t->path, "%.*s%s%s", (int)(csv ? n - 4 : n), o->coverage,
                 coverage_tables[i].suffix, csv ? ".csv" : "");
        t->file = rd_run_document_open(t->path);
        if (!t->file)
            return false;
    }
    return true;
}

/*
 * Opens all files and the directory for schedules before the search, so that the user need not wait for its end to
 * learn that one cannot be written. False after a message.
 */
static bool open_outputs(struct rd_run_options *o) {
    if (!rd_run_documents_open(o) || (o->coverage && !open_tables(o)))
        return false;
    if (!rd_make_folder(o->out, &o->made_out))
        return rd_trouble("cannot write to directory '%s': %s", o->out, strerror(errno)), false;
    return true;
}

/* Opens the program and the files that the options name. Returns 0, or the exit status after a message. */
static int prepare(struct rd_run_options *o, char **program) {
    static struct rd_target target;
    struct rd_session *s = &o->session;
    struct rd_error error;
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (rd_program_symbols_open_target(&target, program, &error) != 0)
        return rd_trouble("%s", error.text);
    s->target = &target;
    if (!rd_rule_files_read(&o->rules, s) || !rd_named_code_find(&s->config, &s->params, s) ||
        !rd_focus_option_find(&o->focus, s) || !rd_suppress_files_find(&o->suppress, s) || !open_outputs(o))
        return RD_EXIT_TROUBLE;
    if (rd_detector_is_on(s->config.detect, RD_DETECT_RACES) || s->config.points == RD_POINTS_AUTO)
        rd_program_symbols_for_races(&target);
    s->globals = rd_program_symbols_globals;
    if (!rd_state_key(true, &error))
        rd_trouble("%s; schedule files are not signed, and 'raddle replay' will ask for --program", error.text);
    return 0;
}

int rd_cmd_run(char **args) {
    static struct rd_run_options o;
    static struct rd_defaults defaults;
    struct rd_args a = {.at = args, .command = "run"};
    if (!rd_defaults_begin(&defaults, &a, rd_command_run.options))
        return RD_EXIT_TROUBLE;
    int status = rd_run_options_read(&o, &a);
    if (status)
        return status == RD_RUN_OPTIONS_HELP ? RD_EXIT_CLEAN : status;
    o.command = rd_command_words("run", args);
    o.given_count = rd_defaults_given(&defaults, &o.given);
    rd_deadline_begin(o.time_s, rd_interrupt_requested());
    status = prepare(&o, a.at);
    if (status)
        return status;
    const struct rd_session settings = o.session;
    status = search(&o);
    if (status)
        return status;
    struct rd_look look = rd_look_for(stdout, o.colour);
    look.statistics = o.statistics;
    look.rows_max = o.all_steps ? 0 : look.rows_max;
    status = report(&o, &settings, &look);
    if (o.made_out)
        rmdir(o.out); /* fails, and the directory stays, if it holds a schedule */
    rd_session_close(&o.session);
    return status;
}
