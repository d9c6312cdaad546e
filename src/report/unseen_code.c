/*
 * unseen_code.c - see unseen_code.h. The modules are read after the run, because the program may load some while it
 * runs. System libraries whose functions the runtime knows are not reported: an operation inside libc is either
 * modelled, or a limit that docs/limits.md names.
 */
#include "report/unseen_code.h"

#include "base/text.h"
#include "symbols/unhooked_code.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The names in a line before the rest is only counted. */
enum { SHOWN = 6 };

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds a piece of code, once. */
static void add(struct rd_unseen_code *b, struct rd_unseen_part code) {
    for (uint32_t i = 0; i < b->count; i++) {
        const struct rd_unseen_part *k = &b->code[i];
        if (strcmp(k->module, code.module) == 0 && strcmp(k->unit, code.unit) == 0 &&
            strcmp(k->function, code.function) == 0)
            return;
    }
    if (b->count == RD_UNSEEN_CODE_MAX)
        b->more++;
    else
        b->code[b->count++] = code;
}

void rd_unseen_code_modules(struct rd_unseen_code *b, const struct rd_run_result *result) {
    uint32_t count = RD_MIN(result->module_count, (uint32_t)RD_MODULES_MAX);
    bool any = result->modules[0].instrumented;
    for (uint32_t i = 1; i < count; i++)
        any |= result->modules[i].instrumented;
    *b = (struct rd_unseen_code){.everything = !any, .accesses = any && !rd_config_sees_accesses(&result->config)};
    for (uint32_t i = 0; any && i < RD_MAX(count, 1u); i++)
        if (!result->modules[i].instrumented && (i == 0 || !rd_module_is_known(result->modules[i].path)))
            add(b, (struct rd_unseen_part){
                       .module = result->modules[i].path, .why = RD_UNSEEN_CODE_PLAIN, .library = i != 0});
    b->more += any && result->module_count >= RD_MODULES_MAX;
    b->unredirected = any && result->calls_unseen;
}

/* Adds code without hooks that was found in a module with hooks. */
static void add_unhooked(struct rd_unseen_code *b, const struct rd_module *m, bool library,
                         const struct rd_unhooked *p) {
    struct rd_unseen_part code = {.module = m->path, .library = library};
    code.why = p->openmp      ? RD_UNSEEN_CODE_OPENMP
               : p->compares  ? RD_UNSEEN_CODE_EITHER
               : p->inlined   ? RD_UNSEEN_CODE_INLINE
               : p->assembler ? RD_UNSEEN_CODE_ASSEMBLER
               : p->function  ? RD_UNSEEN_CODE_NO_HOOKS
                              : RD_UNSEEN_CODE_PLAIN;
    if (p->unit)
        rd_text_copy(code.unit, sizeof code.unit, p->unit);
    if (p->function && !p->unit) {
        char *readable = rd_demangle(p->function);
        rd_demangle_strip(readable);
        rd_text_copy(code.function, sizeof code.function, readable);
        free(readable);
    } else if (!p->unit) {
        snprintf(code.function, sizeof code.function, "code at 0x%llx", (unsigned long long)p->address);
        code.why = RD_UNSEEN_CODE_NO_HOOKS;
    }
    add(b, code);
}

/*
 * Is the file still the one that was loaded, by its build ID? Without one it is taken to be, unless the path is
 * relative: then it may lead to another file from here.
 */
static bool is_loaded_file(struct rd_image *image, const struct rd_module *m) {
    const unsigned char *id;
    GElf_Addr where;
    rd_image_open(image);
    int size = image->module ? dwfl_module_build_id(image->module, &id, &where) : -1;
    if (m->build_id_size == 0 || size <= 0)
        return image->module && (m->path[0] == '/' || size <= 0);
    return size >= m->build_id_size && memcmp(id, m->build_id, m->build_id_size) == 0;
}

void rd_unseen_code_units(struct rd_unseen_code *b, const struct rd_run_result *result) {
    size_t size = (size_t)1 << 30;
    void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct rd_arena arena;
    rd_arena_init(&arena, region, size);
    for (uint32_t i = 0; i < RD_MIN(result->module_count, (uint32_t)RD_MODULES_MAX); i++) {
        const struct rd_module *m = &result->modules[i];
        struct rd_image image;
        struct rd_unhooked_list found = {0};
        if (!m->instrumented || rd_module_is_known(m->path))
            continue;
        char path[PATH_MAX];
        rd_image_init(&image, realpath(m->path, path) ? path : m->path, true);
        bool readable =
            region != MAP_FAILED && is_loaded_file(&image, m) && rd_unhooked_find(&image, &arena, &found);
        for (uint32_t k = 0; k < found.count; k++)
            add_unhooked(b, m, i != 0, &found.at[k]);
        if (!readable)
            add(b, (struct rd_unseen_part){.module = m->path, .why = RD_UNSEEN_CODE_UNREADABLE, .library = i != 0});
        rd_image_close(&image);
        rd_arena_reset(&arena);
    }
    if (region != MAP_FAILED)
        munmap(region, size);
}

bool rd_unseen_code_none(const struct rd_unseen_code *b) {
    return !b->everything && !b->accesses && !b->unredirected && !b->count && !b->more && !b->call_count;
}

const char *rd_unseen_code_reason(unsigned why) {
    static const char *const reasons[] = {
        "built without raddle cc",
        "assembler",
        "no hooks in its code",
        "its file cannot be read",
        "inline assembly with atomic instructions",
        "inline assembly, or the compiler's code for an OpenMP atomic, without hooks",
        "the compiler's code for an OpenMP atomic or reduction, without hooks"};
    static_assert(RD_COUNT(reasons) == RD_UNSEEN_CODE_WHYS, "each has one");
    return reasons[why < RD_COUNT(reasons) ? why : 0];
}

void rd_unseen_code_name(const struct rd_unseen_part *code, char *to, size_t room) {
    const char *module = base_name(code->module), *in = code->library ? " in " : "";
    const char *of = code->library ? module : "";
    if (code->unit[0])
        snprintf(to, room, "%s%s%s", base_name(code->unit), in, of);
    else if (code->function[0])
        snprintf(to, room, "%s%s%s%s", code->function, strchr(code->function, ' ') ? "" : "()", in, of);
    else
        snprintf(to, room, "%s", module);
}

/*
 * Adds the names of the code that is unseen for one reason, as long as the line has room. Returns how many it left
 * out.
 */
static uint32_t add_names(struct rd_text *t, const struct rd_unseen_code *b, unsigned why, uint32_t *shown) {
    uint32_t here = 0, left = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        char name[320];
        if (b->code[i].why != why)
            continue;
        if (*shown >= SHOWN) {
            left++;
            continue;
        }
        rd_unseen_code_name(&b->code[i], name, sizeof name);
        rd_text_str(t, *shown ? ", " : "memory accesses in ");
        rd_text_str(t, name);
        ++*shown, here++;
    }
    if (here) {
        rd_text_str(t, " (");
        rd_text_str(t, rd_unseen_code_reason(why));
        rd_text_str(t, ")");
    }
    return left;
}

static void add_calls(struct rd_text *t, const struct rd_unseen_code *b, bool first) {
    rd_text_str(t, first ? "what happens inside " : "; what happens inside ");
    for (uint32_t i = 0; i < b->call_count && i < SHOWN; i++) {
        rd_text_str(t, i ? ", " : "");
        rd_text_str(t, b->calls[i]);
        rd_text_str(t, "()");
    }
    if (b->call_count > SHOWN) {
        rd_text_str(t, " and ");
        rd_text_dec(t, b->call_count - SHOWN);
        rd_text_str(t, " more");
    }
}

void rd_unseen_code_words(const struct rd_unseen_code *b, char *to, size_t room) {
    struct rd_text t;
    uint32_t shown = 0, left = b->more;
    rd_text_init(&t, to, room);
    if (b->everything) {
        rd_text_str(&t, "every memory access (nothing was built with raddle cc)");
    } else if (b->accesses) {
        rd_text_str(&t, "every memory access that is not atomic (--points sync)");
    } else {
        for (unsigned why = RD_UNSEEN_CODE_PLAIN; why < RD_UNSEEN_CODE_WHYS; why++)
            left += add_names(&t, b, why, &shown);
        if (left) {
            rd_text_str(&t, " and ");
            rd_text_dec(&t, left);
            rd_text_str(&t, " more");
        }
    }
    if (b->unredirected) {
        rd_text_str(&t, t.used ? "; " : "");
        rd_text_str(&t, "some calls of library functions");
    }
    if (b->call_count)
        add_calls(&t, b, t.used == 0);
}
