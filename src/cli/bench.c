/*
 * bench.c - raddle bench: measures executions per second of one program, and in the same run, on one core, a plain
 * loop of fork, exit and wait: fork isolation cannot be faster than that loop.
 */
#include "cli/commands.h"
#include "cli/defaults/defaults.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/program_symbols.h"
#include "cli/run/named_code.h"
#include "cli/run/rule_files.h"
#include "drive/real_clock.h"
#include "drive/session.h"
#include "report/text/report_text.h"
#include "search/search.h"
#include "drive/process/limits.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OPT_STRATEGY,
    OPT_EXECUTIONS,
    OPT_TIME,
    OPT_ROUNDS,
    OPT_ISOLATION,
    OPT_POINTS,
    OPT_SECONDS,
    OPT_NO_CONFIG,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_STRATEGY] = {'s', "strategy", "NAME", "default random"},
    [OPT_EXECUTIONS] = {'n', "executions", "N", "run at most N executions in a round"},
    [OPT_TIME] = {'t', "time", "SECONDS", "length of a round; default 1, or no limit with -n"},
    [OPT_ROUNDS] = {0, "rounds", "N", "measure N rounds and print the best one; default 3"},
    [OPT_ISOLATION] = {0, "isolation", "auto|snapshot|fork|exec", "default auto"},
    [OPT_POINTS] = {0, "points", "auto|sync|all", "default auto"},
    [OPT_SECONDS] = {0, "max-seconds", "S", "an execution that takes longer is a hang; default 10"},
    [OPT_NO_CONFIG] = RD_OPTION_NO_CONFIG,
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

static int command(char **args);

const struct rd_command rd_command_bench = {
    .name = "bench",
    .run = command,
    .arguments = "[options] [--] PROGRAM [ARGS...]",
    .summary = "measure executions a second",
    .description =
        "Measures executions of PROGRAM per second, compares them with a plain loop of fork, exit and wait, "
        "and measures the CPU time of the fastest execution.",
    .options = options};

/* Iterations per second of a loop of fork, exit and wait; parent and child share one core, as in fork isolation. */
static double fork_rate(double time_s) {
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    CPU_SET((unsigned)RD_MAX(sched_getcpu(), 0), &one);
    sched_setaffinity(0, sizeof one, &one);
    double start = rd_clock_s(), now = start;
    uint64_t n = 0;
    while (now - start < time_s) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
            break;
        n++;
        now = rd_clock_s();
    }
    sched_setaffinity(0, sizeof before, &before);
    return (double)n / (now - start);
}

struct result {
    double rate, steps, classes;
    double fastest_s; /* CPU time of the fastest execution */
    /* of an execution, on average; 0 without snapshots */
    double run_ns, restore_ns, other_ns;
    double pages;  /* that it changed and that were put back */
    double spared; /* steps that it did not run again because it began at a checkpoint */
    double checkpoints;
};

static struct result result_of(const struct rd_summary *u, double rate) {
    double n = (double)RD_MAX(u->executions, (uint64_t)1);
    struct result r = {.rate = rate, .steps = (double)u->steps / n, .classes = (double)u->classes};
    r.run_ns = (double)(u->run_ns - u->restore_ns) / n;
    r.restore_ns = (double)u->restore_ns / n;
    r.other_ns = (double)u->elapsed_ns / n - r.run_ns - r.restore_ns;
    r.pages = (double)u->pages / n;
    r.spared = (double)u->spared / n;
    r.checkpoints = (double)u->checkpoints / n;
    return r;
}

/* Runs one round and updates the best result. Returns 0, or the exit status after a message. */
static int measure(struct rd_session *s, struct result *best) {
    struct rd_error error;
    rd_interrupt_install(true);
    if (rd_session_run(s, &error) != 0)
        return rd_trouble("%s", error.text);
    const struct rd_summary *u = &s->result.summary;
    int status = 0;
    if (u->end == RD_END_TROUBLE)
        status = rd_trouble("the program cannot be measured; see what 'raddle run' says of it");
    double rate = u->elapsed_ns ? (double)u->executions / ((double)u->elapsed_ns * 1e-9) : 0;
    double fastest_s = (double)u->cpu_ns_min * 1e-9;
    if (best->fastest_s > 0)
        fastest_s = RD_MIN(fastest_s, best->fastest_s);
    if (rate > best->rate)
        *best = result_of(u, rate);
    best->fastest_s = fastest_s;
    rd_session_close(s);
    return status;
}

/* The nanoseconds that copying `pages` pages takes, the least of many times: restoring memory cannot be faster. */
static double copy_ns(uint64_t pages) {
    enum { PAGE = 4096, TIMES = 2000 };
    size_t size = (size_t)pages * PAGE;
    char *from = calloc(1, size), *to = calloc(1, size);
    double best = 1;
    for (int i = 0; from && to && i < TIMES; i++) {
        from[0] = (char)i;
        double start = rd_clock_s();
        memcpy(to, from, size);
        __asm__ volatile("" : : "r"(to) : "memory");
        double took = rd_clock_s() - start;
        best = RD_MIN(best, took);
    }
    free(from);
    free(to);
    return best * 1e9;
}

static void print_result(const struct rd_session *s, double plain_rate, const struct result *best) {
    printf("plain fork + exit + wait     %10.0f /s\n", plain_rate);
    printf("executions (%s, %s)%*s%10.0f /s   %.0f steps each, %.2f of the plain loop\n", s->config.strategy,
           rd_isolation_name(s->isolation), (int)(10 - RD_MIN(strlen(s->config.strategy), 10u)), "", best->rate,
           best->steps, best->rate / plain_rate);
    if (best->fastest_s > 0)
        printf("the fastest execution        %10.6f s of CPU time\n", best->fastest_s);
    if (best->run_ns > 0) {
        printf(
            "of each                      %10.0f ns running, %.0f ns putting back %.0f pages, %.0f ns searching\n",
            best->run_ns, best->restore_ns, best->pages, best->other_ns);
        printf("steps that were run          %10.1f of %.1f, the others kept in %.3f checkpoints\n",
               best->steps - best->spared, best->steps, best->checkpoints);
        printf("just to copy %2.0f pages        %10.0f ns\n", best->pages, copy_ns((uint64_t)best->pages + 1));
    }
}

/* Runs the rounds, each with a plain loop of forks before it, and prints the best round and the best loop. */
static int run_rounds(struct rd_session *s, uint64_t rounds, double time_s) {
    const struct rd_session first = *s;
    struct result best = {0};
    double plain_rate = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        plain_rate = RD_MAX(plain_rate, fork_rate(time_s > 0 ? RD_MIN(time_s, 1.0) : 1));
        *s = first;
        int status = measure(s, &best);
        if (status)
            return status;
    }
    print_result(s, plain_rate, &best);
    return RD_EXIT_CLEAN;
}

static int command(char **args) {
    struct rd_args a = {.at = args, .command = "bench"};
    static struct rd_defaults defaults;
    const struct rd_given_option *given;
    if (!rd_defaults_begin(&defaults, &a, options))
        return RD_EXIT_TROUBLE;
    static struct rd_session s;
    struct rd_config config = {
        .steps_max = 8000000, .fair_after = 4000000, .seed = 1, .timeouts = 3, .keep_going = 1, .timing = 1};
    double time_s = 0;
    double execution_s_max = 10;
    uint64_t rounds = 3;
    enum rd_isolation isolation = RD_ISOLATION_AUTO;
    const char *value;
    int option, word;
    struct rd_error error;
    RD_CHECK(rd_session_set_strategy(&s, "random", &error) == 0);
    while ((option = rd_args_next(&a, options, &value)) >= 0) {
        if (option == OPT_HELP)
            return rd_command_help(&rd_command_bench), RD_EXIT_CLEAN;
        if (option == OPT_TIME && !rd_parse_seconds("time", value, &time_s))
            return RD_EXIT_TROUBLE;
        if (option == OPT_SECONDS && !rd_parse_seconds("max-seconds", value, &execution_s_max))
            return RD_EXIT_TROUBLE;
        if (option == OPT_ROUNDS && !rd_parse_count("rounds", value, 1000, &rounds))
            return RD_EXIT_TROUBLE;
        if (option == OPT_EXECUTIONS && !rd_parse_count("executions", value, UINT64_MAX, &config.executions_max))
            return RD_EXIT_TROUBLE;
        if (option == OPT_STRATEGY && rd_session_set_strategy(&s, value, &error) != 0)
            return rd_trouble("%s", error.text);
        if (option == OPT_ISOLATION || option == OPT_POINTS) {
            word = rd_parse_word(options[option].name, value,
                                 option == OPT_POINTS ? "auto sync all" : "auto snapshot fork exec");
            if (word < 0)
                return RD_EXIT_TROUBLE;
            if (option == OPT_POINTS)
                config.points = (uint32_t)word;
            else
                isolation = (enum rd_isolation)word;
        }
    }
    if (option == RD_ARGS_MISTAKE)
        return RD_EXIT_TROUBLE;
    if (!*a.at)
        return rd_trouble("no program given (see 'raddle help bench')");
    static struct rd_target target;
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (rd_program_symbols_open_target(&target, a.at, &error) != 0)
        return rd_trouble("%s", error.text);
    s.target = &target;
    if (!rd_named_code_find(&config, &s.params, &s) || !rd_rule_files_read(&(struct rd_rule_files){0}, &s))
        return RD_EXIT_TROUBLE;
    if (time_s == 0 && !config.executions_max)
        time_s = 1;
    config.time_max_ns = (uint64_t)(time_s * 1e9);
    strcpy(config.strategy, s.config.strategy);
    s = (struct rd_session){.target = &target,
                            .config = config,
                            .search = s.search,
                            .params = s.params,
                            .isolation = isolation,
                            .execution_s_max = execution_s_max,
                            .rules = s.rules,
                            .globals = rd_program_symbols_globals};
    int status = run_rounds(&s, rounds, time_s);
    uint32_t given_count = rd_defaults_given(&defaults, &given);
    FILE *out = rd_wrap_open(stdout, NULL); /* a value may have any bytes */
    if (status == RD_EXIT_CLEAN)
        rd_print_given_options(out, given, given_count);
    rd_wrap_close(out);
    return status;
}
