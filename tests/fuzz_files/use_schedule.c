/*
 * use_schedule.c - everything that is done with a schedule file that may come from anybody: it is read as by
 * `raddle show`, and every format writes its documents about it, as for `show` and for `run`.
 */
#include "fuzz_files.h"

#include "cli/run/schedule_name.h"
#include "file/schedule.h"
#include "report/format.h"
#include "report/json/json_finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int files_open(struct files_bytes b, char path[FILES_PATH]) {
    int fd = memfd_create("input", MFD_CLOEXEC);
    RD_CHECK(fd >= 0);
    for (size_t done = 0; done < b.size;) {
        ssize_t n = write(fd, b.data + done, b.size - done);
        RD_CHECK(n > 0);
        done += (size_t)n;
    }
    snprintf(path, FILES_PATH, "/proc/self/fd/%d", fd);
    return fd;
}

static FILE *nowhere(void) {
    static FILE *out;
    out = out ? out : fopen("/dev/null", "we");
    RD_CHECK(out);
    return out;
}

/* How a report can look: as in a pipe, and on terminals from narrow to wide. */
static struct rd_look some_look(struct rd_rng *r) {
    static const unsigned widths[] = {0, 20, 21, 40, 79, 80, 120, 1000}, rows[] = {0, 1, 2, 8, 32};
    return (struct rd_look){.width = widths[rd_rng_below(r, RD_COUNT(widths))],
                            .rows_max = rows[rd_rng_below(r, RD_COUNT(rows))],
                            .colour = rd_rng_below(r, 2),
                            .unicode = rd_rng_below(r, 2)};
}

/* The documents of `raddle show`: text as it looks at three places, and every other format. */
static void show(const struct rd_report *report, struct rd_rng *r) {
    for (uint32_t i = 0; i < rd_format_count; i++)
        for (unsigned n = i == 0 ? 3 : 1; n-- && rd_formats[i]->execution;) {
            struct rd_look look = some_look(r);
            rd_formats[i]->execution(nowhere(), report, &look);
        }
    struct rd_look look = some_look(r);
    rd_format_default()->replay(nowhere(), report, &look);
}

/* The documents of `raddle run` that has found this. */
static void found(struct rd_report *report, struct rd_rng *r) {
    static const char *const words[] = {"raddle", "run", "./a b", NULL};
    struct rd_summary summary = {.executions = 10, .classes = 4, .steps = 70, .end = RD_END_FOUND};
    struct rd_run run = {.version = "0",
                         .program = report->schedule->program,
                         .strategy = "dfs",
                         .isolation = "fork",
                         .points = "all",
                         .guarantee = "none",
                         .command = words,
                         .args = (const char *const *)words + 2,
                         .summary = &summary,
                         .elapsed_s = 0.5,
                         .findings = 1};
    report->execution = 3;
    report->number = rd_rng_below(r, 2);
    for (uint32_t i = 0; i < rd_format_count; i++) {
        struct rd_look look = some_look(r);
        if (rd_formats[i]->finding)
            rd_formats[i]->finding(nowhere(), report, &look);
        if (rd_formats[i]->run)
            rd_formats[i]->run(nowhere(), &run, report, 1, &look);
        char name[RD_SCHEDULE_NAME + 64];
        if (rd_formats[i]->page_name)
            rd_formats[i]->page_name(report, name, sizeof name);
    }
}

/* Names are for file systems: short, without a slash, not hidden. */
static void names(const struct rd_report *report) {
    char identity[RD_IDENTITY], name[RD_SCHEDULE_NAME];
    rd_facts_identity(report, identity);
    RD_CHECK(strspn(identity, "0123456789abcdef") == 12 && !identity[12]);
    rd_schedule_name(report, 1, name);
    RD_CHECK(name[0] && name[0] != '.' && !strchr(name, '/'));
}

bool files_use_schedule(struct files_bytes schedule, const char *program, struct rd_rng *r) {
    struct rd_schedule s;
    struct rd_error error;
    char path[FILES_PATH];
    int fd = files_open(schedule, path);
    bool fine = rd_schedule_read(&s, path, &error) == 0;
    close(fd);
    if (!fine) {
        RD_CHECK(error.text[0] && strlen(error.text) < sizeof error.text);
        return false;
    }
    for (uint32_t i = 0; i < s.module_count; i++) {
        s.modules[i].path[0] = 0;
        if (i == 0 && program)
            snprintf(s.modules[i].path, sizeof s.modules[i].path, "%s", program);
    }
    struct rd_report report = {.schedule = &s, .schedule_path = rd_rng_below(r, 8) ? "a 'b.sched" : NULL};
    report.symbols = rd_symbols_open(s.modules, s.module_count);
    show(&report, r);
    if (s.finding.kind != RD_NO_FINDING) { /* else there is nothing that a run would report */
        names(&report);
        found(&report, r);
    }
    rd_symbols_close(report.symbols);
    rd_schedule_free(&s);
    return true;
}
