/*
 * image.c - opens one module and reads its symbol table.
 *
 * Each module has a Dwfl of its own, reported at address 0, so addresses are those of the file and modules do not
 * collide. The debug information of system libraries is not read: reports show their frames by function name only,
 * and reading that of libc would take longer than all the rest. Debug information is never fetched from a server.
 */
#include "symbols/image.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The search for debug information of libraries: finds none. */
static int no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
                        const char *link, GElf_Word crc, char **found) {
    (void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

/* The standard search of libdwfl, with the variable that names debuginfod servers unset while it runs. */
static int local_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
                           const char *link, GElf_Word crc, char **found) {
    static const char variable[] = "DEBUGINFOD_URLS";
    const char *urls = getenv(variable);
    char *saved = urls ? strdup(urls) : NULL;
    unsetenv(variable);
    int fd = dwfl_standard_find_debuginfo(mod, data, name, base, file, link, crc, found);
    if (saved)
        setenv(variable, saved, 1);
    free(saved);
    return fd;
}

static char *no_path; /* the default: beside the program, and in the directory of the system */
static const Dwfl_Callbacks user_callbacks = {
    .find_elf = dwfl_build_id_find_elf, .find_debuginfo = local_debuginfo, .debuginfo_path = &no_path};
static const Dwfl_Callbacks library_callbacks = {
    .find_elf = dwfl_build_id_find_elf, .find_debuginfo = no_debuginfo, .debuginfo_path = &no_path};

/* Modules in the library directories of the system are not under test, except the program itself. */
static uint8_t kind_of(const char *path, bool program) {
    static const char *const libraries[] = {"libc.so",  "libc-",      "libpthread", "libm.so",   "libm-",
                                            "libdl",    "librt",      "ld-",        "libstdc++", "libc++",
                                            "libgcc_s", "linux-vdso", "[vdso"};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strncmp(base, "libraddle", 9) == 0)
        return RD_FRAME_RUNTIME;
    for (size_t i = 0; i < RD_COUNT(libraries); i++)
        if (strncmp(base, libraries[i], strlen(libraries[i])) == 0)
            return RD_FRAME_LIBRARY;
    bool system = strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0;
    return system && !program ? RD_FRAME_LIBRARY : RD_FRAME_USER;
}

void rd_image_init(struct rd_image *m, const char *path, bool program) {
    *m = (struct rd_image){.path = path, .kind = kind_of(path, program)};
}

void rd_image_open(struct rd_image *m) {
    struct stat st;
    if (m->opened)
        return;
    m->opened = true;
    m->dwfl = dwfl_begin(m->kind == RD_FRAME_USER ? &user_callbacks : &library_callbacks);
    if (!m->dwfl || m->path[0] != '/' || stat(m->path, &st) != 0 || !S_ISREG(st.st_mode)) /* a pipe would block */
        return;
    dwfl_report_begin(m->dwfl);
    m->module = dwfl_report_elf(m->dwfl, m->path, m->path, -1, 0, true);
    dwfl_report_end(m->dwfl, NULL, NULL);
    if (m->module && m->kind == RD_FRAME_USER)
        m->dwarf = dwfl_module_getdwarf(m->module, &m->bias);
}

void rd_image_close(struct rd_image *m) {
    if (m->dwfl)
        dwfl_end(m->dwfl);
}

static int by_start(const void *a, const void *b) {
    const struct rd_symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Reads the functions and variables of the symbol table, sorted by address. */
static void read_symbols(struct rd_image *m, struct rd_arena *a) {
    m->symbols_read = true;
    int count = m->module ? dwfl_module_getsymtab(m->module) : 0;
    for (int i = 0; i < count; i++) {
        GElf_Sym sym;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(m->module, i, &sym, &address, &section, NULL, NULL);
        unsigned type = GELF_ST_TYPE(sym.st_info);
        bool code = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (!name || !name[0] || section == SHN_UNDEF || !(code || type == STT_OBJECT || type == STT_NOTYPE))
            continue;
        if (type == STT_NOTYPE && (sym.st_size == 0 || name[0] == '$'))
            continue; /* labels of the linker and the assembler */
        rd_vec_push(a, &m->symbols, (struct rd_symbol){address, sym.st_size, name, code});
    }
    if (m->symbols.count)
        qsort(m->symbols.at, m->symbols.count, sizeof *m->symbols.at, by_start);
}

void rd_image_symbols(struct rd_image *m, struct rd_arena *a) {
    rd_image_open(m);
    if (!m->symbols_read)
        read_symbols(m, a);
}

/* The symbol that the address is in. Of several, the one that starts last. */
const struct rd_symbol *rd_image_symbol(struct rd_image *m, struct rd_arena *a, uint64_t address, bool code) {
    rd_image_symbols(m, a);
    uint32_t low = 0, high = m->symbols.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->symbols.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low, tries = 0; i > 0 && tries < 64; i--, tries++) {
        const struct rd_symbol *s = &m->symbols.at[i - 1];
        if (s->code == code && (address - s->start < s->size || address == s->start))
            return s;
    }
    return NULL;
}

/* Is `whole` the name itself, or a member with that name? Compilers add `.0`, `.part.0` … to copies. */
static bool is_named(const char *whole, const char *name) {
    size_t length = strcspn(whole, "."), n = strlen(name);
    if (n == 0 || length < n || memcmp(whole + length - n, name, n) != 0)
        return false;
    return length == n || (length > n + 1 && memcmp(whole + length - n - 2, "::", 2) == 0);
}

uint32_t rd_image_named(struct rd_image *m, struct rd_arena *a, const char *name, bool code,
                        const struct rd_symbol **found, uint32_t max) {
    uint32_t n = 0;
    rd_image_open(m);
    if (!m->symbols_read)
        read_symbols(m, a);
    for (uint32_t i = 0; i < m->symbols.count && n < max; i++) {
        const struct rd_symbol *s = &m->symbols.at[i];
        if (s->code != code)
            continue;
        char *readable = rd_demangle(s->name);
        rd_demangle_strip(readable);
        if (is_named(s->name, name) || is_named(readable, name) || fnmatch(name, readable, 0) == 0)
            found[n++] = s;
        free(readable);
    }
    return n;
}
