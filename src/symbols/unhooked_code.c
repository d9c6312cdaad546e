/*
 * unhooked_code.c - which code of a module has no hooks.
 *
 * What counts is the code itself: with link-time optimisation, say, the options of a unit are not those that its
 * code was made with. So the module's code is divided into functions (by symbols, and by the tables for unwinding
 * where there are none), the functions are put together by the compile units of the debug information, and a unit
 * with a call of a hook somewhere is instrumented. One without is plain if
 *   - some of its code accesses memory other than its own stack, or calls something: a compiler with hooks on puts
 *     one into every such function. A unit of data, or of arithmetic only, looks the same with and without; and
 *   - its producer does not say -fsanitize=thread: gcc notes its options, clang does so for `raddle cc`.
 * A function that no unit claims (an object without debug information) is judged alone, in the same way.
 */
#include "symbols/unhooked_code.h"

#include "symbols/machine_code.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* A section of code or of data that can be written. */
struct section {
    uint64_t low, high;
    const uint8_t *bytes; /* of code */
};

/* A function, or what has a symbol like one. */
struct piece {
    uint64_t low, high; /* high = low: up to the next one */
    const char *name, *file;
    bool skip;
};

struct module {
    struct rd_arena *a;
    bool arm;
    struct {
        RD_VEC(struct section);
    } code, plt, data;
    struct {
        RD_VEC(uint64_t);
    } slots; /* where the addresses of hooks are */
    struct {
        RD_VEC(struct piece);
    } pieces;
};

bool rd_unhooked_support(const char *name, bool hidden) {
    static const char *const names[] = {"_start",
                                        "_init",
                                        "_fini",
                                        "_dl_relocate_static_pie",
                                        "deregister_tm_clones",
                                        "register_tm_clones",
                                        "frame_dummy",
                                        "atexit",
                                        "at_quick_exit",
                                        "pthread_atfork",
                                        "stat",
                                        "stat64",
                                        "fstat",
                                        "fstat64",
                                        "lstat",
                                        "lstat64",
                                        "fstatat",
                                        "fstatat64",
                                        "mknod",
                                        "mknodat"};
    static const char *const always[] = {"__do_global_dtors_aux",
                                         "__libc_csu_",
                                         "__libc_start_call_main",
                                         "__clang_call_terminate",
                                         "_Unwind_",
                                         "__gxx_personality",
                                         "__cxa_",
                                         "_ZSt",
                                         "_ZNSt",
                                         "_ZNKSt",
                                         "_ZN9__gnu_cxx",
                                         "_ZN10__cxxabiv1"};
    for (size_t i = 0; i < RD_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0 && (i < 7 || hidden))
            return true;
    for (size_t i = 0; i < RD_COUNT(always); i++)
        if (strncmp(name, always[i], strlen(always[i])) == 0)
            return true;
    return (hidden && strncmp(name, "__", 2) == 0) || strstr(name, ".cold");
}

/* ---- sections and slots ---- */

static const struct section *section_at(const struct section *list, uint32_t count, uint64_t address) {
    for (uint32_t i = 0; i < count; i++)
        if (address >= list[i].low && address < list[i].high)
            return &list[i];
    return NULL;
}
#define SECTION(list, address) section_at((list).at, (list).count, (address))

static void read_slots(struct module *m, Elf *elf, Elf_Scn *scn, const GElf_Shdr *h) {
    GElf_Shdr symbols;
    Elf_Scn *table = elf_getscn(elf, h->sh_link);
    Elf_Data *data = elf_getdata(scn, NULL), *from = table ? elf_getdata(table, NULL) : NULL;
    if (!data || !from || !gelf_getshdr(table, &symbols) || symbols.sh_type != SHT_DYNSYM || !h->sh_entsize)
        return;
    for (int i = 0; i < (int)(h->sh_size / h->sh_entsize); i++) {
        GElf_Rela r;
        GElf_Sym s;
        if (!gelf_getrela(data, i, &r) || !gelf_getsym(from, (int)GELF_R_SYM(r.r_info), &s))
            continue;
        const char *name = elf_strptr(elf, symbols.sh_link, s.st_name);
        if (name && strncmp(name, "__tsan_", 7) == 0)
            rd_vec_push(m->a, &m->slots, r.r_offset);
    }
}

static void read_sections(struct module *m, Elf *elf) {
    size_t names;
    GElf_Ehdr head;
    m->arm = gelf_getehdr(elf, &head) && head.e_machine == EM_AARCH64;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h))
            continue;
        const char *name = elf_strptr(elf, names, h.sh_name);
        struct section s = {.low = h.sh_addr, .high = h.sh_addr + h.sh_size};
        if (h.sh_type == SHT_RELA)
            read_slots(m, elf, scn, &h);
        if (!name || !(h.sh_flags & SHF_ALLOC) || h.sh_flags & SHF_TLS)
            continue;
        if (h.sh_flags & SHF_WRITE && strncmp(name, ".got", 4) != 0 && strcmp(name, ".data.rel.ro") != 0)
            rd_vec_push(m->a, &m->data, s);
        if (!(h.sh_flags & SHF_EXECINSTR) || h.sh_type == SHT_NOBITS)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        if (!data || !data->d_buf || data->d_size < h.sh_size || strcmp(name, ".init") == 0 ||
            strcmp(name, ".fini") == 0)
            continue;
        s.bytes = data->d_buf;
        if (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0)
            rd_vec_push(m->a, &m->plt, s);
        else
            rd_vec_push(m->a, &m->code, s);
    }
}

/* ---- functions ---- */

static void add_piece(struct module *m, struct piece p) {
    if (SECTION(m->code, p.low))
        rd_vec_push(m->a, &m->pieces, p);
}

static void read_functions(struct module *m, struct rd_image *image) {
    const char *file = NULL;
    int count = dwfl_module_getsymtab(image->module);
    for (int i = 0; i < count; i++) {
        GElf_Sym sym;
        GElf_Addr address;
        GElf_Word index;
        const char *name = dwfl_module_getsym_info(image->module, i, &sym, &address, &index, NULL, NULL);
        unsigned type = GELF_ST_TYPE(sym.st_info);
        bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
        if (type == STT_FILE)
            file = name && name[0] ? name : NULL;
        bool code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
        if (!code || !name || !name[0] || name[0] == '$' || index == SHN_UNDEF || index == SHN_ABS)
            continue;
        /* ld makes what is hidden local, after the symbols of all files */
        bool hidden = local && (!file || GELF_ST_VISIBILITY(sym.st_other) == STV_HIDDEN);
        add_piece(m, (struct piece){.low = address,
                                    .high = address + sym.st_size,
                                    .name = name,
                                    .file = local ? file : NULL,
                                    .skip = rd_unhooked_support(name, hidden)});
    }
}

/*
 * Functions by the table for unwinding, which is there in stripped files, too: pairs of 32 bits, relative to the
 * table; the first of a pair is where a function begins, the second one where its description is, which has the
 * length.
 */
static void read_unwinding(struct module *m, Elf *elf, uint64_t entry) {
    const uint8_t *table = NULL, *frames = NULL;
    GElf_Shdr h, th = {0}, fh = {0};
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        bool first = name && strcmp(name, ".eh_frame_hdr") == 0, second = name && strcmp(name, ".eh_frame") == 0;
        Elf_Data *data = (first || second) && h.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
        if (!data || !data->d_buf || data->d_size < h.sh_size)
            continue;
        *(first ? &table : &frames) = data->d_buf;
        *(first ? &th : &fh) = h;
    }
    static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
    uint32_t count = 0;
    if (!table || !frames || th.sh_size < 12 || memcmp(table, usual, sizeof usual) != 0)
        return;
    memcpy(&count, table + 8, sizeof count);
    for (uint32_t i = 0; i < count && 12 + 8 * (uint64_t)(i + 1) <= th.sh_size; i++) {
        int32_t pair[2];
        uint32_t length;
        memcpy(pair, table + 12 + 8 * (size_t)i, sizeof pair);
        uint64_t low = th.sh_addr + (uint64_t)(int64_t)pair[0];
        uint64_t at = th.sh_addr + (uint64_t)(int64_t)pair[1] - fh.sh_addr;
        if (at + 16 > fh.sh_size)
            continue;
        memcpy(&length, frames + at + 12, sizeof length);
        add_piece(m, (struct piece){.low = low, .high = low + length, .skip = low == entry});
    }
}

/* Those with a name come first, and of these those that are to be skipped. */
static int by_low(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->skip != y->skip)
        return x->skip ? -1 : 1;
    if (!x->name != !y->name)
        return x->name ? -1 : 1;
    return x->name ? strcmp(x->name, y->name) : 0;
}

/* Sorts the pieces, with one for each stretch of code, and gives an end to those that have none. */
static void settle(struct module *m) {
    struct piece *at = m->pieces.at;
    uint32_t count = 0;
    if (m->pieces.count)
        qsort(at, m->pieces.count, sizeof *at, by_low);
    for (uint32_t i = 0; i < m->pieces.count; i++) {
        if (count && at[i].low < at[count - 1].high) { /* another name, or a label in it */
            if (at[i].low == at[count - 1].low)
                at[count - 1].high = RD_MAX(at[count - 1].high, at[i].high);
            continue;
        }
        if (count && at[i].low == at[count - 1].low) {
            at[count - 1].high = at[i].high;
            continue;
        }
        at[count++] = at[i];
    }
    m->pieces.count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = SECTION(m->code, at[i].low)->high;
        if (i + 1 < count)
            end = RD_MIN(end, at[i + 1].low);
        at[i].high = at[i].high == at[i].low ? end : RD_MIN(at[i].high, end);
    }
}

/* ---- what the code does ---- */

static bool is_slot(const struct module *m, uint64_t address) {
    for (uint32_t i = 0; i < m->slots.count; i++)
        if (m->slots.at[i] == address)
            return true;
    return false;
}

static bool is_hook(const struct module *m, struct rd_branch t) {
    if (!t.found || t.slot)
        return t.found && is_slot(m, t.address);
    const struct section *s = SECTION(m->plt, t.address);
    if (!s)
        return false;
    const uint8_t *code = s->bytes + (t.address - s->low);
    size_t room = s->high - t.address;
    struct rd_branch through =
        m->arm ? rd_plt_aarch64(code, room, t.address) : rd_plt_x86_64(code, room, t.address);
    return through.found && is_slot(m, through.address);
}

static bool has_hook(const struct module *m, const struct piece *p) {
    const struct section *s = SECTION(m->code, p->low);
    for (uint64_t at = p->low; at < p->high; at += m->arm ? 4 : 1) {
        const uint8_t *code = s->bytes + (at - s->low);
        size_t room = p->high - at;
        if (is_hook(m, m->arm ? rd_branch_aarch64(code, room, at) : rd_branch_x86_64(code, room, at)))
            return true;
    }
    return false;
}

/* Is there anything that a compiler would put a hook at? */
static bool has_access(const struct module *m, const struct piece *p) {
    const struct section *s = SECTION(m->code, p->low);
    for (uint64_t at = p->low; at < p->high;) {
        const uint8_t *code = s->bytes + (at - s->low);
        size_t room = p->high - at;
        struct rd_insn i = m->arm ? rd_insn_aarch64(code, room, at) : rd_insn_x86_64(code, room, at);
        if (i.call || i.based || (i.at && SECTION(m->data, i.address)))
            return true;
        at += i.length ? i.length : 1;
    }
    return false;
}

/* Is the code there that of a construct of OpenMP, and not of a function that was inlined into it? Compilers make
 * functions of their own of parallel regions and of tasks: "main._omp_fn.0", ".omp_outlined.", ".omp_task_entry.".
 */
static bool is_openmp(struct module *m, struct rd_image *image, const struct piece *p, uint64_t address) {
    struct rd_frame *f;
    if (!p->name || !(strstr(p->name, "._omp_fn.") || strstr(p->name, ".omp_")))
        return false;
    const char *in = rd_dwarf_frames(image, m->a, address, &f) ? f[0].function : NULL;
    return !in || strstr(in, "._omp_fn.") || strstr(in, ".omp_");
}

/*
 * Does it have an atomic instruction? In code with hooks that is inline assembly, which may synchronise, or a
 * compare-and-swap that the compiler has made of an atomic or a reduction of OpenMP: gcc does so for floating-point
 * numbers, clang for a maximum. Other accesses of inline assembly cannot be told from the compiler's own.
 */
static bool find_locked(struct module *m, struct rd_image *image, const struct piece *p,
                        struct rd_unhooked *found) {
    const struct section *s = SECTION(m->code, p->low);
    *found = (struct rd_unhooked){.function = p->name, .address = p->low, .compares = true, .openmp = true};
    for (uint64_t at = p->low; at < p->high && !m->arm;) {
        struct rd_insn i = rd_insn_x86_64(s->bytes + (at - s->low), p->high - at, at);
        if (i.locked) {
            found->inlined = true;
            found->compares &= i.compares;
            found->openmp = found->compares && found->openmp && is_openmp(m, image, p, at);
        }
        at += i.length ? i.length : 1;
    }
    return found->inlined;
}

/* ---- judging ---- */

static const char *text_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attr;
    return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool says_hooks(Dwarf_Die *unit) {
    const char *producer = text_of(unit, DW_AT_producer);
    return producer && strstr(producer, "-fsanitize=thread");
}

static bool is_assembler(Dwarf_Die *unit) {
    const char *producer = text_of(unit, DW_AT_producer);
    return dwarf_srclang(unit) == DW_LANG_Mips_Assembler || (producer && strncmp(producer, "GNU AS", 6) == 0);
}

/* A C++ library in the module itself: nothing stands between it and the code that calls it. */
static bool has_cxx_library(const struct module *m) {
    for (uint32_t i = 0; i < m->pieces.count; i++)
        if (m->pieces.at[i].name && strcmp(m->pieces.at[i].name, "__cxa_throw") == 0)
            return true;
    return false;
}

static void judge(struct module *m, struct rd_image *image, struct rd_unhooked_list *found) {
    enum { NO_CODE, HOOKS, PLAIN };
    uint32_t units = image->units.count;
    uint8_t *state = rd_arena_zero(m->a, units + 1);
    if (has_cxx_library(m))
        rd_vec_push(m->a, found, (struct rd_unhooked){.unit = "libstdc++.a"});
    for (uint32_t i = 0; i < m->pieces.count; i++) {
        const struct piece *p = &m->pieces.at[i];
        uint32_t unit = rd_dwarf_unit_at(image, p->low);
        if (p->skip || (unit < units && state[unit] == HOOKS))
            continue;
        bool hooks = has_hook(m, p), plain = !hooks && has_access(m, p);
        if (unit < units)
            state[unit] = hooks ? HOOKS : plain ? PLAIN : state[unit];
        else if (plain)
            rd_vec_push(m->a, found, (struct rd_unhooked){.unit = p->file, .function = p->name, .address = p->low});
    }
    for (uint32_t i = 0; i < m->pieces.count; i++) {
        const struct piece *p = &m->pieces.at[i];
        uint32_t unit = rd_dwarf_unit_at(image, p->low);
        bool hooks = unit < units ? state[unit] == HOOKS : has_hook(m, p);
        struct rd_unhooked locked;
        if (!p->skip && hooks && find_locked(m, image, p, &locked))
            rd_vec_push(m->a, found, locked);
    }
    for (uint32_t i = 0; i < units; i++) {
        Dwarf_Die *die = &image->units.at[i].die;
        if (state[i] == PLAIN && !says_hooks(die))
            rd_vec_push(m->a, found,
                        (struct rd_unhooked){.unit = dwarf_diename(die), .assembler = is_assembler(die)});
    }
}

bool rd_unhooked_find(struct rd_image *image, struct rd_arena *a, struct rd_unhooked_list *found) {
    struct module m = {.a = a};
    GElf_Addr bias;
    GElf_Ehdr head;
    rd_image_open(image);
    Elf *elf = image->module ? dwfl_module_getelf(image->module, &bias) : NULL;
    if (!elf || !gelf_getehdr(elf, &head))
        return false;
    read_sections(&m, elf);
    read_functions(&m, image);
    read_unwinding(&m, elf, head.e_entry);
    settle(&m);
    rd_dwarf_units(image, a);
    judge(&m, image, found);
    return true;
}
