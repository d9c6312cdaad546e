/*
 * use_program.c - everything that the driver reads from the file of a program: whether it can be run, and the
 * names, places and types that reports, --focus and the table of variables ask for.
 */
#include "fuzz_files.h"

#include "drive/process/program_kind.h"
#include "file/schedule.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GLOBALS = 512, RANGES = 64 };

/* The questions of `run`, `list variables` and --focus. */
static void ask(const char *path) {
    static struct rd_global globals[GLOBALS];
    static struct rd_cxx20 cxx20;
    static struct rd_module module;
    struct rd_range ranges[RANGES];
    char text[512], *const *names;
    strcpy(module.path, path);
    struct rd_symbols *s = rd_symbols_open(&module, 1);
    rd_symbols_void_main(s);
    rd_symbols_compilers(s, text, sizeof text);
    rd_symbols_cxx20(s, &cxx20);
    rd_symbols_inline_atomics(s, &names);
    rd_symbols_unseen_code(s);
    uint32_t n = rd_symbols_globals(s, globals, GLOBALS);
    for (uint32_t i = 0; i < n && i < 16; i++) {
        rd_symbols_data(s, globals[i].first, text, sizeof text);
        rd_symbols_whole(s, globals[i].first, text, sizeof text);
        rd_symbols_named(s, text, false, ranges, RANGES);
    }
    rd_symbols_named(s, "main", true, ranges, RANGES);
    rd_symbols_named(s, "table[*].seats[1]", false, ranges, RANGES);
    rd_symbols_functions(s, 0, "*a*", ranges, RANGES);
    rd_symbols_inlined(s, "*", ranges, RANGES);
    rd_symbols_matched(s, "*.c*", ranges, RANGES);
    rd_symbols_close(s);
}

bool files_use_program(struct files_bytes program, struct files_bytes schedule, struct rd_rng *r) {
    struct rd_file_id id;
    char path[FILES_PATH];
    /* without the zero behind it: a reader beyond the end is seen */
    struct files_bytes exact = {malloc(program.size ? program.size : 1), program.size};
    memcpy(exact.data, program.data, program.size);
    bool runnable = rd_program_kind_wrong(exact.data, exact.size, &id) == NULL;
    free(exact.data);
    int fd = files_open(program, path);
    files_use_schedule(schedule, path, r);
    ask(path);
    close(fd);
    return runnable;
}
