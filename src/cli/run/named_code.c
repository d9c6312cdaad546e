/* named_code.c - see named_code.h. The search itself has no symbols: it gets ranges of places. */
#include "cli/run/named_code.h"

#include "base/text.h"
#include "cli/options.h"
#include "symbols/symbols.h"
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

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

static bool find_list(struct rd_config *c, struct rd_symbols *s, const char *names, enum rd_names list) {
    while (*names) {
        char name[256];
        size_t length = strcspn(names, ",");
        memcpy(name, names, length);
        name[length] = 0;
        if (!find_one(c, s, name, list))
            return false;
        names += length + (names[length] == ',');
    }
    return true;
}

static struct rd_symbols *open_program(const char *program) {
    static struct rd_module module;
    if (strlen(program) >= sizeof module.path) {
        rd_trouble("cannot look up names in '%s': its path is too long", program);
        return NULL;
    }
    rd_text_copy(module.path, sizeof module.path, program);
    return rd_symbols_open(&module, 1);
}

int rd_names_target(struct rd_target *t, char **args, struct rd_error *error) {
    if (rd_target_open(t, args, error) != 0)
        return -1;
    struct rd_module *module = calloc(1, sizeof *module);
    struct rd_symbols *s = NULL;
    if (module && strlen(t->path) < sizeof module->path) {
        rd_text_copy(module->path, sizeof module->path, t->path);
        s = rd_symbols_open(module, 1);
    }
    t->void_main = s && rd_symbols_void_main(s);
    if (s)
        rd_symbols_close(s);
    free(module);
    return 0;
}

bool rd_names_find(struct rd_config *c, const struct rd_params *params, const char *program) {
    const char *functions = rd_param_text(params, "method"), *variables = rd_param_text(params, "var"),
               *trusted = rd_param_text(params, "trust");
    c->range_count = 0;
    if (!functions && !variables && !trusted)
        return true;
    struct rd_symbols *s = open_program(program);
    if (!s)
        return false;
    bool fine = (!functions || find_list(c, s, functions, RD_NAMES_METHOD)) &&
                (!variables || find_list(c, s, variables, RD_NAMES_VAR)) &&
                (!trusted || find_list(c, s, trusted, RD_NAMES_TRUST));
    rd_symbols_close(s);
    return fine;
}

bool rd_names_add(struct rd_config *c, const char *program, const char *name, enum rd_names list) {
    struct rd_symbols *s = open_program(program);
    if (!s)
        return false;
    bool fine = find_one(c, s, name, list);
    rd_symbols_close(s);
    return fine;
}

void rd_names_globals(struct rd_profile *p, const char *program) {
    struct rd_symbols *s = open_program(program);
    if (!s)
        return;
    p->global_count = rd_symbols_globals(s, p->globals, RD_GLOBALS_MAX);
    rd_symbols_close(s);
}

void rd_names_for_races(struct rd_target *t) {
    char *const *names;
    struct rd_symbols *s = open_program(t->path);
    if (!s)
        return;
    rd_symbols_cxx20(s, &t->cxx20);
    t->inline_atomics = rd_symbols_inline_atomics(s, &names) != 0;
    t->unseen_code = rd_symbols_unseen_code(s);
    rd_symbols_close(s);
}
