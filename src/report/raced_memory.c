/*
 * raced_memory.c - with --points sync: names the memory whose accesses are points, too, because some of them race
 * (trace/sharing.h). A piece of it is a granule or more, so it can be part of several variables.
 */
#include "report/run_report.h"
#include "trace/sharing.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 96, NAMES = 64, SHOWN = 6, STRIDE = 4, LOOKED_AT = 256 };

struct names {
    char at[NAMES][NAME];
    uint32_t count;
};

static void add(struct names *n, const char *name) {
    for (uint32_t i = 0; i < n->count; i++)
        if (strcmp(n->at[i], name) == 0)
            return;
    if (n->count < NAMES)
        snprintf(n->at[n->count++], NAME, "%s", name);
}

/*
 * Returns whether the name is only an offset from something else, and that of the rest of a granule, whose first
 * bytes have a name.
 */
static bool is_rest(rd_place p, const char *name) { return p % RD_SHARING_GRANULE && strstr(name, "+0x"); }

void rd_run_raced(struct rd_run *run, const struct rd_shared *list, uint32_t count, struct rd_symbols *symbols) {
    static struct names n;
    char name[NAME];
    n.count = 0;
    run->raced[0] = 0;
    if (count == UINT32_MAX) {
        snprintf(
            run->raced, sizeof run->raced,
            "every access is a point, as with --points all: the program uses memory in a way that the check for "
            "races does not see");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        for (rd_place p = list[i].first; p <= list[i].last && p - list[i].first < LOOKED_AT; p += STRIDE) {
            rd_symbols_whole(symbols, p, name, sizeof name);
            if (!is_rest(p, name))
                add(&n, name);
        }
    if (!n.count)
        return;
    size_t used = 0, room = sizeof run->raced;
    used += (size_t)snprintf(
        run->raced, room, "%s%u variable%s point%s, too, because accesses there race or a loop waits for them: ",
        n.count == NAMES ? "at least " : "", n.count, n.count == 1 ? " is a" : "s are", n.count == 1 ? "" : "s");
    for (uint32_t i = 0; i < RD_MIN(n.count, (uint32_t)SHOWN); i++)
        used += (size_t)snprintf(run->raced + used, room - used, "%s%s", i ? ", " : "", n.at[i]);
    if (n.count > SHOWN)
        snprintf(run->raced + used, room - used, " and others");
}
