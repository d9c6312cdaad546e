/*
 * run.c - raddle run: search for bugs, then show each one. What a search found is stored first; then the schedule
 * is run once more with everything recorded, which confirms it and gives the report its values and stacks.
 */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run/confirm_finding.h"
#include "cli/run/named_code.h"
#include "cli/options.h"
#include "cli/run/live_status.h"
#include "cli/run/run_options.h"
#include "cli/interrupt.h"
#include "detect/detect.h"
#include "drive/deadline.h"
#include "drive/make_schedule.h"
#include "drive/process/limits.h"
#include "report/coverage_csv.h"
#include "report/format.h"
#include "report/text/trouble.h"
#include "search/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int trouble(struct rd_run_options *o, const struct rd_look *look) {
    struct rd_run_result *r = &o->session.result;
    struct rd_schedule schedule;
    rd_schedule_make(&schedule, o->session.target, r, NULL);
    struct rd_report report = {.schedule = &schedule, .symbols = rd_symbols_open(r->modules, r->module_count)};
    if (r->summary.trouble == RD_DIVERGED)
        rd_print_divergence(stderr, &report, &r->summary.divergence, false, look);
    else
        rd_print_refused(stderr, o->session.target->args[0], r->summary.message, report.symbols,
                         r->summary.unseen_pc, look);
    rd_symbols_close(report.symbols);
    return RD_EXIT_TROUBLE;
}

/* Has no execution come to its end? Then nothing is known of the program, and that is trouble. */
static bool is_in_vain(const struct rd_summary *s) {
    bool stopped = s->end == RD_END_BUDGET || s->end == RD_END_STOPPED || s->end == RD_END_MEMORY;
    return stopped && s->executions == 0 && !s->earlier && s->found_count == 0;
}

static void tell_vain(struct rd_run_result *r) {
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
        rd_text_str(&t, "; it was replaced by another program (exec), which raddle does not control");
    } else if (r->stuck.how != RD_TASK_UNKNOWN) {
        rd_text_str(&t, "; T");
        rd_text_dec(&t, r->running);
        rd_text_str(&t, r->stuck.how == RD_TASK_CALL ? " was blocked in the system call " : " was running");
        rd_text_str(&t, r->stuck.how == RD_TASK_CALL ? r->stuck.text : "");
    }
    s->end = RD_END_TROUBLE;
    s->trouble = RD_REFUSED;
}

static void fill_run(struct rd_run_options *o, const struct rd_search *search, struct rd_run *run) {
    static const char *const points[] = {"auto", "sync", "all"};
    const struct rd_run_result *r = &o->session.result;
    const struct rd_summary *s = &r->summary;
    *run = (struct rd_run){.version = RADDLE_VERSION,
                           .program = o->session.target->args[0],
                           .strategy = o->session.config.strategy,
                           .error = s->end == RD_END_TROUBLE && s->message[0] ? s->message : NULL,
                           .isolation = rd_isolation_name(o->session.isolation),
                           .points = points[o->session.config.points],
                           .fell_back = o->session.fell_back,
                           .elapsed_s = (double)s->elapsed_ns * 1e-9,
                           .workers = o->session.jobs,
                           .one_worker = o->session.one_worker,
                           .focus = o->focus.words};
    rd_unseen_code_modules(&run->blind, r);
    rd_unseen_code_units(&run->blind, r);
    if (r->modules[0].instrumented && o->session.config.points != RD_POINTS_SYNC) {
        static char compilers[256];
        struct rd_symbols *symbols = rd_symbols_open(r->modules, r->module_count);
        run->compilers = rd_symbols_compilers(symbols, compilers, sizeof compilers) ? compilers : NULL;
        rd_run_opaque(run, s, symbols);
        rd_symbols_close(symbols);
    }
    rd_weigh_claim(run, r, search->guarantee.exhaustive, search->guarantee.sentence);
    rd_find_next(run, r);
}

/*
 * Is there anything to show? A prediction that came true is shown by the deadlock itself, and one that a search
 * through everything did not meet is wrong.
 */
static bool is_worth(const struct rd_run_result *r, const struct rd_found *f, struct rd_run *run,
                     const struct rd_search *search) {
    for (uint32_t i = 0; rd_is_unreliable(&f->finding) && i < r->summary.found_count; i++)
        if (f->finding.key == rd_race_key_unreliable(r->found[i].finding.key))
            return false; /* in another execution the same race is certain */
    if (f->finding.kind != RD_PREDICTED_DEADLOCK)
        return true;
    bool refuted = run->all && !search->guarantee.misses_deadlocks;
    run->refuted += refuted && !f->confirmed;
    return !f->confirmed && !refuted;
}

static void show_output(const struct rd_worker *w) {
    size_t size, cut;
    char *text = rd_output_text(w, &size, &cut);
    if (cut)
        rd_trouble("the first %zu bytes of the output are not shown", cut);
    fwrite(text, 1, size, stdout);
    free(text);
}

/* Does the report for people go to standard output? A document that goes there must have it for itself. */
static bool prints_report(const struct rd_run_options *o) {
    bool taken = o->quiet;
    for (uint32_t i = 0; i < o->output_count; i++)
        taken |= strcmp(o->outputs[i].path, "-") == 0;
    return !taken;
}

static void write_finding(const struct rd_run_options *o, const struct rd_report *r, const struct rd_look *look) {
    if (prints_report(o))
        rd_format_default()->finding(stdout, r, look);
    for (uint32_t i = 0; i < o->output_count; i++)
        if (o->outputs[i].format->finding)
            o->outputs[i].format->finding(o->outputs[i].file, r, look);
}

/* Writes the end of every document. 0, or the exit status after a message. */
static int write_run(const struct rd_run_options *o, const struct rd_run *run, struct rd_shown *shown,
                     uint32_t count, const struct rd_look *look) {
    int status = 0;
    struct rd_report *list = calloc(count + 1, sizeof *list);
    if (!list)
        abort();
    for (uint32_t i = 0; i < count; i++)
        list[i] = shown[i].report;
    for (uint32_t i = 0; i < o->output_count; i++) {
        FILE *out = o->outputs[i].file;
        o->outputs[i].format->run(out, run, list, count, look);
        bool failed = ferror(out) || fflush(out) != 0;
        if (out != stdout)
            failed |= fclose(out) != 0;
        if (failed)
            status = rd_trouble("cannot write '%s'", o->outputs[i].path);
    }
    free(list);
    return status;
}

static int write_coverage(const struct rd_run_options *o) {
    const struct rd_run_result *r = &o->session.result;
    rd_coverage_executions(o->coverage_file, r);
    rd_coverage_bounds(o->bounds_file, r);
    if (r->summary.coverage.states_dropped)
        rd_trouble("coverage: only the first %d states are told apart", RD_STATES_MAX);
    bool failed = ferror(o->coverage_file) || fclose(o->coverage_file) != 0;
    if (failed)
        rd_trouble("cannot write '%s'", o->coverage);
    if (ferror(o->bounds_file) || fclose(o->bounds_file) != 0)
        failed = rd_trouble("cannot write '%s'", o->coverage_bounds);
    return failed;
}

static void count_minimised(struct rd_run *run, const struct rd_schedule *s) {
    if (!s->why.minimised)
        return;
    run->minimised++;
    run->preemptions_before += s->why.preemptions;
    run->preemptions_after += rd_schedule_preemptions(s);
}

static int not_complete(const struct rd_run *run) {
    char words[RD_UNSEEN_CODE_WORDS];
    if (!run->finished)
        return rd_trouble("the search is not complete");
    if (rd_unseen_code_none(&run->blind))
        return rd_trouble("the search is finished, but complete only if %s, which is not checked", run->assumes);
    rd_unseen_code_words(&run->blind, words, sizeof words);
    return rd_trouble("the search is finished, but not complete; not seen: %s", words);
}

/* Stores and shows everything that was found; the exit status. */
static int results(struct rd_run_options *o, const struct rd_search *search, const struct rd_look *look) {
    const struct rd_run_result *r = &o->session.result;
    const struct rd_summary *s = &r->summary;
    bool text = prints_report(o);
    int status = s->end == RD_END_TROUBLE ? trouble(o, look) : RD_EXIT_CLEAN;
    static struct rd_shown shown[RD_FOUND_MAX];
    static struct rd_run run;
    fill_run(o, search, &run);
    uint32_t count = 0;
    /* where no access is seen at all, nothing stands for anything else */
    bool doubt = false, all_seen = rd_unseen_code_none(&run.blind) || run.blind.everything || run.blind.accesses;
    for (uint32_t i = 0; i < s->found_count; i++) {
        if (!is_worth(r, &r->found[i], &run, search))
            continue;
        int one = rd_finding_open(&shown[count], &o->session, i, o->out, all_seen);
        status = RD_MAX(status, one);
        if (one == RD_EXIT_TROUBLE && !doubt)
            rd_void_claim(&run, "a finding could not be stored, or its schedule did not show it again");
        doubt |= one == RD_EXIT_TROUBLE;
        if (shown[count].report.schedule) {
            write_finding(o, &shown[count].report, look);
            run.warnings += shown[count].report.warning;
            run.unreliable += rd_is_unreliable(&shown[count].schedule.finding);
            count_minimised(&run, &shown[count].schedule);
            count++;
        }
    }
    run.findings = count - run.warnings;
    if (s->unstored)
        rd_trouble("no room for the schedules of %llu more executions with other findings",
                   (unsigned long long)s->unstored);
    if (o->session.config.outcomes && rd_outcomes_show(&o->session, o->out, search->guarantee.outcomes, &run) != 0)
        status = RD_EXIT_TROUBLE;
    if (o->show_output && text)
        show_output(&o->session.worker);
    if (text)
        rd_format_default()->run(stdout, &run, NULL, 0, look);
    if (o->coverage && write_coverage(o) != 0)
        status = RD_EXIT_TROUBLE;
    if (write_run(o, &run, shown, count, look) != 0)
        status = RD_EXIT_TROUBLE;
    for (uint32_t i = 0; i < count; i++)
        rd_finding_close(&shown[i]);
    if (status == RD_EXIT_CLEAN && s->limited && !s->executions)
        status = rd_trouble("no execution came to its end within %u steps: --max-steps gives them more",
                            r->config.steps_max);
    if (o->require_complete && !run.complete && status != RD_EXIT_TROUBLE)
        status = not_complete(&run);
    return status;
}

static FILE *open_output(const char *path) {
    FILE *f = fopen(path, "we");
    if (!f)
        rd_trouble("cannot write '%s': %s", path, strerror(errno));
    return f;
}

/* What cannot be written is better known before the search than after it. */
static bool open_outputs(struct rd_run_options *o) {
    for (uint32_t i = 0; i < o->output_count; i++) {
        struct rd_run_output *out = &o->outputs[i];
        out->file = strcmp(out->path, "-") == 0 ? stdout : open_output(out->path);
        if (!out->file)
            return false;
    }
    if (o->coverage) {
        size_t n = strlen(o->coverage);
        bool csv = n > 4 && strcmp(o->coverage + n - 4, ".csv") == 0;
        snprintf(o->coverage_bounds, sizeof o->coverage_bounds, "%.*s.bounds%s", (int)(csv ? n - 4 : n),
                 o->coverage, csv ? ".csv" : "");
        o->coverage_file = open_output(o->coverage);
        o->bounds_file = o->coverage_file ? open_output(o->coverage_bounds) : NULL;
        if (!o->bounds_file)
            return false;
    }
    o->made_out = mkdir(o->out, 0777) == 0;
    if ((!o->made_out && errno != EEXIST) || access(o->out, W_OK) != 0)
        return rd_trouble("cannot write to directory '%s': %s", o->out, strerror(errno)), false;
    return true;
}

int rd_cmd_run(char **args) {
    static struct rd_run_options o;
    struct rd_args a = {.at = args, .command = "run"};
    int status = rd_run_options_read(&o, &a);
    if (status)
        return status < 0 ? RD_EXIT_CLEAN : status;
    rd_deadline_begin(o.time_s, rd_stop_wanted());
    struct rd_error error;
    static struct rd_target target;
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (rd_names_target(&target, a.at, &error) != 0)
        return rd_trouble("%s", error.text);
    const struct rd_search *search = o.session.search;
    o.session.target = &target;
    if (!rd_rules_read(&o.rules, &o.session) || !rd_names_find(&o.session.config, &o.session.params, target.path) ||
        !rd_focus_find(&o.focus, &o.session) || !rd_suppress_find(&o.suppress, &o.session) || !open_outputs(&o))
        return RD_EXIT_TROUBLE;
    if (rd_detector_is_on(o.session.config.detect, RD_DETECT_RACES) || o.session.config.points == RD_POINTS_AUTO)
        rd_names_for_races(&target);
    o.session.globals = rd_names_globals;
    bool wanted = o.progress == 1 || (o.progress == 0 && isatty(2) && !o.quiet);
    o.session.tick = wanted ? rd_live_status : NULL;
    rd_stop_install(false);
    if (wanted)
        rd_live_status_begin();
    int failed = rd_session_run(&o.session, &error);
    if (wanted)
        rd_live_status_end();
    if (failed)
        return rd_trouble("%s", error.text);
    if (is_in_vain(&o.session.result.summary))
        tell_vain(&o.session.result);
    struct rd_look look = rd_look_for(stdout, o.colour);
    status = results(&o, search, &look);
    if (o.made_out)
        rmdir(o.out); /* it stays if there is anything in it */
    rd_session_close(&o.session);
    return status;
}
