/*
 * bug_groups.h - the findings of a search as the user counts them. The search tells findings apart by places in the
 * machine code, so one bug in the source can be several of its findings: the two statements of a race have a read
 * and a write each, a template has a copy for each type, threads that run the same function wait in another
 * rotation. Here findings with the same places in the source become one, a *group*.
 */
#ifndef RD_REPORT_FINDINGS_BUG_GROUPS_H
#define RD_REPORT_FINDINGS_BUG_GROUPS_H

#include "report/report.h"
#include "result/found.h"

/* The groups of the findings of one search. The reports stay where they are. */
struct rd_finding_groups {
    struct rd_report *at[RD_FOUND_MAX]; /* one report for each group: the finding that represents it */
    uint32_t count;
    const struct rd_report *members[RD_FOUND_MAX]; /* the other findings; rd_report.also points into this array */
};

/* same_bug.c: do both reports show the same bug of the source? */
bool rd_findings_same(const struct rd_report *a, const struct rd_report *b);

/*
 * groups.c: groups the reports, which are in the order of the search. The representative of a group is the certain
 * finding with the simplest schedule. Fills in number, also, also_count and same_memory of the reports. pre: all
 * are complete (confirm_finding.h)
 */
void rd_findings_group(struct rd_finding_groups *g, struct rd_report *const *reports, uint32_t count);

/* The words about a finding in a list of findings. */
struct rd_finding_row {
    char kind[64];      /* "data race", "warning: predicted deadlock" */
    char place[1600];   /* "a.c:12 in add, a.c:20 in get"; "": not known */
    char variable[256]; /* the memory that a race is about, "": none */
    char shown[96];     /* "12 executions", "3 orders of events" */
};
/* finding_row.c */
void rd_findings_row(const struct rd_report *r, struct rd_finding_row *row);
/* "a.c:12 in add"; "": not known */
void rd_findings_place(const struct rd_report *r, const struct rd_frame *f, char *to, size_t room);
/* What another finding of the group shows: "T1 writes counter at a.c:12, T2 reads it at a.c:20". */
void rd_findings_member(const struct rd_report *r, char *to, size_t room);

#endif
