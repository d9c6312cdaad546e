/* named_code.c - see named_code.h. A search has no symbols: each name becomes ranges of places
 * (trace/code_ranges.h). */
#include "cli/run/named_code.h"

#include "cli/options.h"
#include "cli/program_symbols.h"

#include <string.h>

/*
 * Adds the ranges of a name. A lookup that fills all the room that is left may have found more than it returned, so
 * it counts as too many.
 */
static bool find_one(struct rd_config *c, struct rd_symbols *s, const char *name, enum rd_names list) {
    bool function = list != RD_NAMES_VAR && list != RD_NAMES_FOCUS_VAR;
    struct rd_range *to = &c->ranges[c->range_count];
    uint32_t room = RD_RANGES_MAX - c->range_count;
    uint32_t n = room ? rd_symbols_named(s, name, function, to, room) : 0;
    if (list == RD_NAMES_FOCUS_FUNCTION && n < room)
        n += rd_symbols_inlined(s, name, to + n, room - n);
    if (n == room)
        return rd_trouble("'%s' and the names before it stand for too many functions or variables (at most %d)",
                          name, RD_RANGES_MAX - 1),
               false;
    if (n == 0)
        return rd_trouble("no %s '%s' in the program", function ? "function" : "variable", name), false;
    for (uint32_t i = 0; i < n; i++)
        to[i].list = list;
    c->range_count += n;
    return true;
}

/* Adds the ranges of several names, which commas separate. */
static bool find_list(struct rd_config *c, struct rd_symbols *s, const char *names, enum rd_names list) {
    while (*names) {
        char name[sizeof((struct rd_param){0}.value)];
        size_t length = strcspn(names, ",");
        RD_CHECK(length < sizeof name); /* the names are the value of a parameter, or a part of it */
        memcpy(name, names, length);
        name[length] = 0;
        if (!find_one(c, s, name, list))
            return false;
        names += length + (names[length] == ',');
    }
    return true;
}

bool rd_named_code_find(struct rd_config *c, const struct rd_params *params, const char *program) {
    const char *functions = rd_param_text(params, "method"), *variables = rd_param_text(params, "var"),
               *trusted = rd_param_text(params, "trust");
    c->range_count = 0;
    if (!functions && !variables && !trusted)
        return true;
    struct rd_symbols *s = rd_program_symbols_open(program);
    if (!s)
        return false;
    bool fine = (!functions || find_list(c, s, functions, RD_NAMES_METHOD)) &&
                (!variables || find_list(c, s, variables, RD_NAMES_VAR)) &&
                (!trusted || find_list(c, s, trusted, RD_NAMES_TRUST));
    rd_symbols_close(s);
    return fine;
}

bool rd_named_code_add(struct rd_config *c, const char *program, const char *name, enum rd_names list) {
    struct rd_symbols *s = rd_program_symbols_open(program);
    if (!s)
        return false;
    bool fine = find_one(c, s, name, list);
    rd_symbols_close(s);
    return fine;
}
