/*
 * isolation.c - which isolation the executions of a search have (isolation.h), decided here and nowhere else, and
 * told to the user with its reason.
 *
 * The user may ask for one. With `auto`, which is the default, it is the first of snapshot, fork and exec that can:
 *
 *   - Executions in forks share some state although they should not (shared_with_fork.c), and executions
 *     in a snapshot share it, too. Where this state cannot be put back only exec isolates: the driver takes the
 *     search over (RD_END_NO_FORK).
 *   - Otherwise it is snapshot, if the kernel and the program allow it.
 *   - Otherwise, or from the first execution on that has an effect which only the end of a process undoes, it
 *     is fork (rd_summary.no_snapshot).
 *   - If a process was killed in an execution and this process resumes its search, that execution has a
 *     process of its own; the others are in a snapshot.
 *
 * An isolation that the user asked for and that is not possible ends the search as trouble.
 */
#include "rt/isolate/isolation.h"

#include "base/text.h"
#include "rt/address/place_of_address.h"
#include "rt/isolate/kept.h"
#include "rt/isolate/shared_with_fork.h"
#include "rt/raw.h"

#include <dlfcn.h>
#include <link.h>

const char rd_isolation_no_descriptors[] =
    "the descriptors that were open when the first thread was created cannot be made anew";
static const char no_snapshot[] = "snapshot isolation is not possible: ";
static const char no_fork[] = "fork isolation is not possible: ";

void rd_isolation_refuse(struct rd_channel *c, const char *first, const char *then) {
    struct rd_text t;
    c->execution.outcome.verdict = RD_REFUSED;
    rd_text_init(&t, c->execution.outcome.message, sizeof c->execution.outcome.message);
    rd_text_str(&t, first);
    rd_text_str(&t, then);
}

void rd_isolation_explorer_over(void) {
    for (;;)
        rd_raw(SYS_exit_group, 0);
}

void rd_isolation_refused(struct rd_channel *c) {
    struct rd_summary *s = &c->result.summary;
    RD_CHECK(c->execution.outcome.verdict == RD_REFUSED);
    s->end = RD_END_TROUBLE;
    s->trouble = RD_REFUSED;
    rd_text_copy(s->message, sizeof s->message, c->execution.outcome.message);
    rd_isolation_explorer_over();
}

void rd_isolation_broken(struct rd_channel *c) {
    rd_isolation_refuse(c, "the program has written into the memory of the search", "");
    c->result.summary.broken = 1;
    rd_isolation_refused(c);
}

bool rd_isolation_own_malloc(void) {
    const struct rd_module *own = rd_place_own();
    void *at = dlsym(RTLD_DEFAULT, "malloc"), *symbol = NULL;
    Dl_info info;
    if (!own || ((uintptr_t)at >= own->start && (uintptr_t)at < own->end))
        return false;
    /* a program that takes malloc's address may define the symbol by an entry of its linkage table (SHN_UNDEF) */
    bool found = dladdr1(at, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol;
    return !found || ((const ElfW(Sym) *)symbol)->st_shndx != SHN_UNDEF;
}

/*
 * Executions are not in a snapshot any more, and the user is told why. Returns false if the user wants no other
 * isolation: the outcome is refused then.
 */
static bool leave_snapshot(struct rd_channel *c, char *why) {
    rd_isolation_snapshot.end();
    rd_kept()->isolation = &rd_isolation_fork;
    if (c->config.isolation != RD_ISOLATION_SNAPSHOT)
        return rd_isolation_fork.prepare(c, why);
    rd_isolation_refuse(c, no_snapshot, why);
    return false;
}

/* Executions are in a snapshot from now on, if that is possible. Returns false as leave_snapshot does. */
static bool enter_snapshot(struct rd_channel *c) {
    char why[RD_ISOLATION_WHY] = "";
    rd_kept()->isolation = &rd_isolation_snapshot;
    return rd_isolation_snapshot.prepare(c, why) || leave_snapshot(c, why);
}

void rd_isolation_choose(struct rd_channel *c) {
    char why[RD_ISOLATION_WHY];
    unsigned asked = c->config.isolation;
    RD_CHECK(asked != RD_ISOLATION_EXEC); /* there is no explorer then */
    if (rd_shared_problem(why, sizeof why)) {
        if (asked == RD_ISOLATION_AUTO)
            rd_isolation_exec.prepare(c, why);
        rd_isolation_refuse(c, asked == RD_ISOLATION_SNAPSHOT ? no_snapshot : no_fork, why);
        rd_isolation_refused(c);
    }
    rd_kept()->isolation = asked == RD_ISOLATION_FORK ? &rd_isolation_fork : &rd_isolation_snapshot;
    rd_kept()->apart = c->config.resumes && asked == RD_ISOLATION_AUTO;
}

void rd_isolation_begin(struct rd_channel *c) {
    struct rd_kept *k = rd_kept();
    RD_CHECK(k->isolation && k->search); /* rd_isolation_choose came before, and the search has its memory */
    if (k->apart)
        k->isolation = &rd_isolation_fork; /* for one execution */
    if (k->isolation == &rd_isolation_snapshot && !enter_snapshot(c))
        rd_isolation_refused(c);
}

void rd_isolation_run(struct rd_channel *c) {
    char why[RD_ISOLATION_WHY] = "";
    struct rd_kept *k = rd_kept();
    bool over = false;
    while (!over && k->isolation->put_back(c)) {
        switch (k->isolation->run(c, why)) {
        case RD_ISOLATION_RAN:
            over = true;
            if (!rd_channel_is_sound(c))
                rd_isolation_broken(c);
            break;
        case RD_ISOLATION_AGAIN:
            break;
        case RD_ISOLATION_UNFIT:
            over = !leave_snapshot(c, why);
            break;
        case RD_ISOLATION_HERE:
            RD_BUG("the explorer's process is no execution");
        }
    }
    if (k->apart) {
        k->apart = 0;
        enter_snapshot(c);
    }
}
