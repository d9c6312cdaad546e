/* program_symbols.c - see program_symbols.h. */
#include "cli/program_symbols.h"

#include "base/text.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

struct rd_symbols *rd_program_symbols_open(const char *program) {
    static struct rd_module module; /* the symbols refer to it until they are closed */
    if (strlen(program) >= sizeof module.path) {
        rd_trouble("cannot look up names in '%s': its path is too long", program);
        return NULL;
    }
    rd_text_copy(module.path, sizeof module.path, program);
    return rd_symbols_open(&module, 1);
}

int rd_program_symbols_open_target(struct rd_target *t, char **args, struct rd_error *error) {
    if (rd_target_open(t, args, error) != 0)
        return -1;
    struct rd_module *module = calloc(1, sizeof *module);
    struct rd_symbols *s = NULL;
    if (module && strlen(t->path) < sizeof module->path) { /* for a longer path, main() is taken to return int */
        rd_text_copy(module->path, sizeof module->path, t->path);
        s = rd_symbols_open(module, 1);
    }
    t->void_main = s && rd_symbols_void_main(s);
    if (s)
        rd_symbols_close(s);
    free(module);
    return 0;
}

void rd_program_symbols_globals(struct rd_profile *p, const char *program) {
    struct rd_symbols *s = rd_program_symbols_open(program);
    if (!s)
        return;
    p->global_count = rd_symbols_globals(s, p->globals, RD_GLOBALS_MAX);
    rd_symbols_close(s);
}

void rd_program_symbols_for_races(struct rd_target *t) {
    char *const *names;
    struct rd_symbols *s = rd_program_symbols_open(t->path);
    if (!s)
        return;
    rd_symbols_cxx20(s, &t->cxx20);
    t->inline_atomics = rd_symbols_inline_atomics(s, &names) != 0;
    t->unseen_code = rd_symbols_unseen_code(s);
    rd_symbols_close(s);
}
