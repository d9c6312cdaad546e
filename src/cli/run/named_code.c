/* named_code.c - see named_code.h. A search has no symbols: each name becomes ranges of places
 * (trace/code_ranges.h). */
#include "cli/run/named_code.h"

#include "cli/options.h"
#include "cli/program_symbols.h"
#include "cli/run/profile_once.h"
#include "symbols/symbols.h"
#include "trace/place.h"

#include <fnmatch.h>
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
    if (function && n < room) /* the functions that have it inside them */
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

/* Returns whether the path is that of the library: by its name, or by the name without what follows ".so". */
static bool is_library(const char *wanted, size_t length, const char *path) {
    char pattern[sizeof((struct rd_param){0}.value)], stem[sizeof((struct rd_module){0}.path)];
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *so = strstr(file, ".so");
    RD_CHECK(length < sizeof pattern && strlen(file) < sizeof stem);
    memcpy(pattern, wanted, length);
    pattern[length] = 0;
    size_t n = so ? (size_t)(so - file) : strlen(file);
    memcpy(stem, file, n);
    stem[n] = 0;
    return fnmatch(pattern, file, 0) == 0 || fnmatch(pattern, stem, 0) == 0;
}

/*
 * Adds the ranges of a name of functions: FUNCTION, in the program or in any library that was loaded except those
 * that the runtime knows, or LIBRARY!FUNCTION. Each can have shell wildcards.
 */
static bool find_loaded(struct rd_config *c, const struct rd_profile_once *once, const char *name,
                        enum rd_names list) {
    const char *mark = strchr(name, '!'), *function = mark ? mark + 1 : name;
    uint32_t before = c->range_count;
    bool library = false;
    for (uint32_t m = 0; m < once->session.result.module_count; m++) {
        const struct rd_module *module = &once->session.result.modules[m];
        if (mark ? !is_library(name, (size_t)(mark - name), module->path) : module->known)
            continue;
        library = true;
        struct rd_range *to = &c->ranges[c->range_count], all = {.first = rd_place_make(RD_PLACE_MODULE + m, 0)};
        all.last = rd_place_make(RD_PLACE_MODULE + m, module->end - module->base);
        uint32_t room = RD_RANGES_MAX - c->range_count, n = 1;
        if (mark && strcmp(function, "*") == 0 && room > 1)
            to[0] = all;
        else
            n = room ? rd_symbols_functions(once->symbols, m, function, to, room) : 0;
        if (m == 0 && n < room)
            n += rd_symbols_inlined(once->symbols, function, to + n, room - n);
        if (n == room)
            return rd_trouble("'%s' and the names before it stand for too many functions (at most %d)", name,
                              RD_RANGES_MAX - 1),
                   false;
        for (uint32_t i = 0; i < n; i++) {
            to[i].list = list;
            to[i].library = m ? rd_library_hash(module->path) : 0;
        }
        c->range_count += n;
    }
    if (mark && !library)
        return rd_trouble("the program loads no library '%.*s'", (int)(mark - name), name), false;
    if (c->range_count == before)
        return rd_trouble("no function '%s' in the program or in a library that it loads", name), false;
    return true;
}

/* A place in a list of names, which commas separate. */
struct name_list {
    const char *rest;
    char name[sizeof((struct rd_param){0}.value)];
};

/* Takes the next name of the list; false: there is none. */
static bool next_name(struct name_list *l) {
    size_t length = strcspn(l->rest, ",");
    if (!*l->rest)
        return false;
    RD_CHECK(length < sizeof l->name); /* the names are the value of a parameter, or a part of it */
    memcpy(l->name, l->rest, length);
    l->name[length] = 0;
    l->rest += length + (l->rest[length] == ',');
    return true;
}

static bool find_loaded_list(struct rd_config *c, const struct rd_profile_once *once, const char *names,
                             enum rd_names list) {
    for (struct name_list l = {.rest = names}; next_name(&l);)
        if (!find_loaded(c, once, l.name, list))
            return false;
    return true;
}

/* Looks the functions up in the program and in the libraries that it loads. */
static bool find_in_modules(struct rd_config *c, const char *trusted, const char *within,
                            const struct rd_session *session) {
    static struct rd_profile_once once;
    if (!rd_profile_once_open(&once, session))
        return false;
    bool fine = (!trusted || find_loaded_list(c, &once, trusted, RD_NAMES_TRUST)) &&
                (!within || find_loaded_list(c, &once, within, RD_NAMES_WITHIN));
    rd_profile_once_close(&once);
    return fine;
}

/* Adds the ranges of the functions or variables of this list that the program's symbols have. */
static bool find_list(struct rd_config *c, struct rd_symbols *s, const char *names, enum rd_names list) {
    for (struct name_list l = {.rest = names}; next_name(&l);)
        if (!(list == RD_NAMES_VAR && rd_names_block(l.name)) && !find_one(c, s, l.name, list))
            return false;
    return true;
}

/* Adds the blocks of the heap in this list, as one execution of the program has allocated them. */
static bool find_blocks(struct rd_config *c, const char *names, const struct rd_session *session) {
    static struct rd_profile_once once;
    bool opened = false, fine = true;
    for (struct name_list l = {.rest = names}; fine && next_name(&l);) {
        if (!rd_names_block(l.name))
            continue;
        if (!opened && !rd_profile_once_open(&once, session))
            return false;
        opened = true;
        fine = rd_profile_once_block(&once, l.name, RD_NAMES_VAR, c);
    }
    if (opened)
        rd_profile_once_close(&once);
    return fine;
}

bool rd_named_code_find(struct rd_config *c, const struct rd_params *params, const struct rd_session *session) {
    const char *functions = rd_param_text(params, "method"), *variables = rd_param_text(params, "var"),
               *trusted = rd_param_text(params, "trust"), *within = rd_param_text(params, "within");
    c->range_count = 0;
    if (trusted || within)
        return find_in_modules(c, trusted, within, session); /* no strategy has these beside the others */
    if (!functions && !variables)
        return true;
    struct rd_symbols *s = rd_program_symbols_open(session->target->path);
    if (!s)
        return false;
    bool fine = (!functions || find_list(c, s, functions, RD_NAMES_METHOD)) &&
                (!variables || find_list(c, s, variables, RD_NAMES_VAR));
    rd_symbols_close(s);
    return fine && (!variables || find_blocks(c, variables, session));
}

bool rd_named_code_add(struct rd_config *c, const char *program, const char *name, enum rd_names list) {
    struct rd_symbols *s = rd_program_symbols_open(program);
    if (!s)
        return false;
    bool fine = find_one(c, s, name, list);
    rd_symbols_close(s);
    return fine;
}
