/*
 * omp_env.c - see omp.h: the environment variables for the number of threads of a region, the size of their stacks,
 * and the schedule of loops with schedule(runtime). The defaults differ between gcc's and clang's runtime, and so
 * does the precedence of variables with the same meaning.
 */
#include "rt/hook/omp/omp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 }; /* most threads of a team where neither the program nor OMP_NUM_THREADS gives a number */
enum { STACK_MIN = 16 << 10, STACK_MAX = 1 << 30 }; /* bytes of a worker's stack */

/* The positive number at the start of the text, or `otherwise`. */
static uint32_t number_of(const char *text, uint32_t otherwise) {
    long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 ? (uint32_t)RD_MIN(n, (long)RD_TID_MAX) : otherwise;
}

static uint32_t processors(void) {
    cpu_set_t set;
    return pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static void read_schedule(struct rd_omp *o, const char *text) {
    static const char *const names[] = {"", "static", "dynamic", "guided", "auto"};
    static_assert(RD_COUNT(names) == (int)RD_OMP_AUTO + 1, "a name for each schedule, by its number");
    const char *at = text ? strchr(text, ':') : NULL; /* a modifier (monotonic: …) has no effect here */
    at = at ? at + 1 : text;
    o->control.schedule = rd_omp_is_clang() ? RD_OMP_STATIC : RD_OMP_DYNAMIC; /* the runtimes' defaults */
    o->control.chunk = rd_omp_is_clang() ? 0 : 1;
    for (unsigned i = 1; at && i < RD_COUNT(names); i++)
        if (strncasecmp(at, names[i], strlen(names[i])) == 0) {
            const char *chunk = strchr(at, ',');
            uint64_t least = i == RD_OMP_STATIC || i == RD_OMP_AUTO ? 0 : 1,
                     said = chunk ? strtoul(chunk + 1, NULL, 10) : 0;
            o->control.schedule = i;
            o->control.chunk = RD_MAX(said, least);
        }
}

/* Returns whether the variable is set to "true". */
static bool is_true(const char *name) {
    const char *text = getenv(name);
    return text && strcasecmp(text, "true") == 0;
}

/* OMP_THREAD_LIMIT; INT32_MAX: no limit. */
static uint32_t thread_limit(const char *text) {
    long n = text ? strtol(text, NULL, 10) : -1;
    bool none =
        text && n == 0 && text[0] == '0' && rd_omp_is_clang(); /* clang's runtime takes 0 for the least limit, 1 */
    return n > 0 ? (uint32_t)RD_MIN(n, (long)INT32_MAX) : none ? 1 : INT32_MAX;
}

/*
 * Bytes of a stack from the text of a variable: a number and a letter for its unit. `unit` is the default one, as a
 * number of bits by which the number is shifted. 0: the text gives no size.
 */
static size_t stack_of(const char *text, unsigned unit) {
    static const char units[] = "bkmg";
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;
    if (!text || end == text)
        return 0;
    end += strspn(end, " \t");
    const char *said = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    end += said ? 1 : 0;
    end += strspn(end, " \t");
    if (*end && !rd_omp_is_clang())
        return 0;
    unit = said ? (unsigned)(said - units) * 10 : unit;
    n = n > (unsigned long)STACK_MAX >> unit ? (unsigned long)STACK_MAX : n << unit;
    return n >= STACK_MIN ? n : rd_omp_is_clang() ? (size_t)STACK_MIN : 0;
}

/* clang's runtime uses the first variable that is set; gcc's, the first whose text is a valid size. */
static size_t read_stack(void) {
    static const char *const clang[] = {"KMP_STACKSIZE", "GOMP_STACKSIZE", "OMP_STACKSIZE"};
    size_t of_gcc = stack_of(getenv("OMP_STACKSIZE"), 10);
    for (unsigned i = 0; rd_omp_is_clang() && i < RD_COUNT(clang); i++)
        if (getenv(clang[i]))
            return stack_of(getenv(clang[i]), i ? 10 : 0);
    return of_gcc ? of_gcc : stack_of(getenv("GOMP_STACKSIZE"), 10);
}

void rd_omp_read_environment(struct rd_omp *o) {
    const char *threads = getenv("OMP_NUM_THREADS");
    o->control.threads[0] = number_of(threads, RD_MIN(processors(), (uint32_t)THREADS));
    uint32_t n = 1;
    for (const char *c = threads ? strchr(threads, ',') : NULL; c && n < RD_OMP_NESTED; c = strchr(c + 1, ','))
        o->control.threads[n++] = number_of(c + 1, 1);
    o->control.levels = number_of(getenv("OMP_MAX_ACTIVE_LEVELS"), n > 1 || is_true("OMP_NESTED") ? INT32_MAX : 1);
    o->control.dynamic = is_true("OMP_DYNAMIC");
    o->control.limit = thread_limit(getenv("OMP_THREAD_LIMIT"));
    o->control.stack = read_stack();
    read_schedule(o, getenv("OMP_SCHEDULE"));
    if (is_true("OMP_CANCELLATION"))
        rd_omp_refuse("cancellation (OMP_CANCELLATION=true)");
}
