/* exprs.c - see exprs.h. */
#include "exprs.h"

#define VALUES(X)              \
    X(r0, r[0])                \
    X(r0_plus_1, r[0] + 1)     \
    X(r1_plus_1, r[1] + 1)     \
    X(r0_plus_r1, r[0] + r[1]) \
    X(r2, r[2])

#define TESTS(X)                   \
    X(r0_is_0, r[0] == 0)          \
    X(r0_is_1, r[0] == 1)          \
    X(r1_is_0, r[1] == 0)          \
    X(r0_not_2, r[0] != 2)         \
    X(r1_not_2, r[1] != 2)         \
    X(r0_is_r1, r[0] == r[1])      \
    X(r0_at_most_r1, r[0] <= r[1]) \
    X(r2_is_0, r[2] == 0)          \
    X(r3_is_0, r[3] == 0)          \
    X(r3_is_1, r[3] == 1)

#define UPDATES(X)                 \
    X(plus_1, old + 1 + 0 * r[0])  \
    X(minus_1, old - 1 + 0 * r[0]) \
    X(twice, 2 * old + 0 * r[0])   \
    X(plus_r0, old + r[0])         \
    X(if_0_then_1, old ? old : 1 + 0 * r[0])

#define EXPR(name, expression) \
    static int name(const int *r) { return (expression); }
VALUES(EXPR)
TESTS(EXPR)
#define UPDATE(name, expression) \
    static int name(int old, const int *r) { return (expression); }
UPDATES(UPDATE)

int fuzz_tried(const int *r) { return r[3]; }

#define ROW(name, expression) {#name, name},
static const struct {
    const char *name;
    sim_expr is;
} values[] = {VALUES(ROW)}, tests[] = {TESTS(ROW)};
static const struct {
    const char *name;
    sim_update is;
} updates[] = {UPDATES(ROW)};

sim_expr fuzz_value(uint32_t n) { return values[n % RD_COUNT(values)].is; }
sim_expr fuzz_test(uint32_t n) { return tests[n % RD_COUNT(tests)].is; }
sim_update fuzz_update(uint32_t n) { return updates[n % RD_COUNT(updates)].is; }

const char *fuzz_expr_name(sim_expr e) {
    for (size_t i = 0; i < RD_COUNT(values); i++)
        if (values[i].is == e)
            return values[i].name;
    for (size_t i = 0; i < RD_COUNT(tests); i++)
        if (tests[i].is == e)
            return tests[i].name;
    return e == fuzz_tried ? "r3" : "?";
}

const char *fuzz_update_name(sim_update u) {
    for (size_t i = 0; i < RD_COUNT(updates); i++)
        if (updates[i].is == u)
            return updates[i].name;
    return "?";
}
