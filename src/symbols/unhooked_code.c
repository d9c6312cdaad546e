/*
 * unhooked_code.c - finds the code of a module without hooks, by the machine code itself. The recorded options of a
 * compile unit do not suffice: with link-time optimisation, for instance, the code is compiled with other options.
 *
 * The code of the module is divided into functions, by symbols, or by the tables for unwinding where there are
 * none. The debug information assigns functions to compile units. A unit with a call of a hook in one of its
 * functions is instrumented. A unit without one is plain if
 *   - some of its code accesses memory other than its own stack, or calls a function: a compiler with hooks puts
 * one into every such function. A unit of data, or of arithmetic only, looks the same with and without hooks; and
 *   - its producer does not say -fsanitize=thread: gcc records its options, clang does so for `raddle cc`.
 * A function that belongs to no unit (of an object without debug information) is judged alone, in the same way.
 *
 * The file may be damaged: each offset is compared with the size of its section before it is used.
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

/* A function, or another piece of code with a symbol. */
struct code_piece {
    uint64_t low, high; /* before `settle`, high = low means: up to the next piece */
    const char *name;   /* NULL: it has none */
    const char *file;   /* source file of a local symbol; NULL: not known */
    bool skip;          /* support code (rd_unhooked_support), which is not judged */
};

/* The module that is being read. */
struct unhooked_module {
    struct rd_arena *a;
    const struct rd_decoder *decoder;
    struct {
        RD_VEC(struct section);
    } code, plt, data;
    struct {
        RD_VEC(uint64_t);
    } slots; /* addresses of the slots that hold the addresses of hooks */
    struct {
        RD_VEC(struct code_piece);
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

/* The section that the address is in; NULL: none. */
static const struct section *section_at(const struct section *list, uint32_t count, uint64_t address) {
    for (uint32_t i = 0; i < count; i++)
        if (address >= list[i].low && address < list[i].high)
            return &list[i];
    return NULL;
}
#define SECTION(list, address) section_at((list).at, (list).count, (address))

/* Adds the slots that the relocations of this section fill with addresses of hooks. */
static void read_slots(struct unhooked_module *m, Elf *elf, Elf_Scn *scn, const GElf_Shdr *h) {
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

static void read_sections(struct unhooked_module *m, Elf *elf) {
    size_t names;
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

/* Adds the piece if it is in a section of code. */
static void add_piece(struct unhooked_module *m, struct code_piece p) {
    if (SECTION(m->code, p.low))
        rd_vec_push(m->a, &m->pieces, p);
}

/* Adds the functions of the symbol table. */
static void read_functions(struct unhooked_module *m, struct rd_image *image) {
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
        /* ld makes hidden symbols local and puts them after the symbols of all files */
        bool hidden = local && (!file || GELF_ST_VISIBILITY(sym.st_other) == STV_HIDDEN);
        add_piece(m, (struct code_piece){.low = address,
                                         .high = address + sym.st_size,
                                         .name = name,
                                         .file = local ? file : NULL,
                                         .skip = rd_unhooked_support(name, hidden)});
    }
}

/*
 * Adds the functions of the table for unwinding (.eh_frame_hdr), which stripped files have, too. The table is a
 * list of pairs of 32-bit offsets from its start: the start of a function, and its description in .eh_frame, which
 * has the length of the function.
 */
static void read_unwinding(struct unhooked_module *m, Elf *elf, uint64_t entry) {
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
        add_piece(m, (struct code_piece){.low = low, .high = low + length, .skip = low == entry});
    }
}

/* Order by address; at one address pieces to skip come first, then pieces with a name. */
static int by_low(const void *a, const void *b) {
    const struct code_piece *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->skip != y->skip)
        return x->skip ? -1 : 1;
    if (!x->name != !y->name)
        return x->name ? -1 : 1;
    return x->name ? strcmp(x->name, y->name) : 0;
}

/* Sorts the pieces, drops those inside others, and gives an end to those without one. */
static void settle(struct unhooked_module *m) {
    struct code_piece *at = m->pieces.at;
    uint32_t count = 0;
    if (m->pieces.count)
        qsort(at, m->pieces.count, sizeof *at, by_low);
    for (uint32_t i = 0; i < m->pieces.count; i++) {
        if (count && at[i].low < at[count - 1].high) { /* another name of the same code, or a label in it */
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
    RD_CHECK(count <= m->pieces.count);
    m->pieces.count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = SECTION(m->code, at[i].low)->high;
        if (i + 1 < count)
            end = RD_MIN(end, at[i + 1].low);
        at[i].high = at[i].high == at[i].low ? end : RD_MIN(at[i].high, end);
    }
}

/* ---- instructions ---- */

static bool is_slot(const struct unhooked_module *m, uint64_t address) {
    for (uint32_t i = 0; i < m->slots.count; i++)
        if (m->slots.at[i] == address)
            return true;
    return false;
}

/* True if the target is a hook, through a slot or through an entry of the procedure linkage table. */
static bool is_hook(const struct unhooked_module *m, struct rd_branch t) {
    if (!t.found || t.slot)
        return t.found && is_slot(m, t.address);
    const struct section *s = SECTION(m->plt, t.address);
    if (!s)
        return false;
    const uint8_t *code = s->bytes + (t.address - s->low);
    size_t room = s->high - t.address;
    struct rd_branch through = m->decoder->plt(code, room, t.address);
    return through.found && is_slot(m, through.address);
}

/* True if the piece calls a hook. */
static bool has_hook(const struct unhooked_module *m, const struct code_piece *p) {
    const struct section *s = SECTION(m->code, p->low);
    for (uint64_t at = p->low; at < p->high; at += m->decoder->step) {
        const uint8_t *code = s->bytes + (at - s->low);
        size_t room = p->high - at;
        if (is_hook(m, m->decoder->branch(code, room, at)))
            return true;
    }
    return false;
}

/* True if the piece has an access or a call at which a compiler would put a hook. */
static bool has_access(const struct unhooked_module *m, const struct code_piece *p) {
    const struct section *s = SECTION(m->code, p->low);
    for (uint64_t at = p->low; at < p->high;) {
        const uint8_t *code = s->bytes + (at - s->low);
        size_t room = p->high - at;
        struct rd_insn i = m->decoder->insn(code, room, at);
        if (i.call || i.based || (i.at && SECTION(m->data, i.address)))
            return true;
        at += i.length ? i.length : 1;
    }
    return false;
}

/* True if the code at the address was compiled from an OpenMP construct, and not from a function that was inlined
 * into one. Compilers make separate functions of parallel regions and tasks: "main._omp_fn.0", ".omp_outlined.".
 */
static bool is_openmp(struct unhooked_module *m, struct rd_image *image, const struct code_piece *p,
                      uint64_t address) {
    struct rd_frame *f;
    if (!p->name || !(strstr(p->name, "._omp_fn.") || strstr(p->name, ".omp_")))
        return false;
    const char *in = rd_dwarf_frames(image, m->a, address, &f) ? f[0].function : NULL;
    return !in || strstr(in, "._omp_fn.") || strstr(in, ".omp_");
}

/*
 * True if the piece, which has hooks, has an atomic instruction without one; *found describes it. Such an
 * instruction comes from inline assembly, which may synchronise, or is a compare-and-swap that the compiler has
 * made of an OpenMP atomic or reduction: gcc does so for floating-point numbers, clang for a maximum. Other
 * accesses of inline assembly cannot be told from those that the compiler emits.
 */
static bool find_locked(struct unhooked_module *m, struct rd_image *image, const struct code_piece *p,
                        struct rd_unhooked *found) {
    const struct section *s = SECTION(m->code, p->low);
    *found = (struct rd_unhooked){.function = p->name, .address = p->low, .compares = true, .openmp = true};
    for (uint64_t at = p->low; at < p->high;) {
        struct rd_insn i = m->decoder->insn(s->bytes + (at - s->low), p->high - at, at);
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

/* True if the recorded options of the unit have hooks on. */
static bool says_hooks(Dwarf_Die *unit) {
    const char *producer = text_of(unit, DW_AT_producer);
    return producer && strstr(producer, "-fsanitize=thread");
}

static bool is_assembler(Dwarf_Die *unit) {
    const char *producer = text_of(unit, DW_AT_producer);
    return dwarf_srclang(unit) == DW_LANG_Mips_Assembler || (producer && strncmp(producer, "GNU AS", 6) == 0);
}

/* True if the C++ library is linked into the module: then calls of its functions pass through no slot. */
static bool has_cxx_library(const struct unhooked_module *m) {
    for (uint32_t i = 0; i < m->pieces.count; i++)
        if (m->pieces.at[i].name && strcmp(m->pieces.at[i].name, "__cxa_throw") == 0)
            return true;
    return false;
}

/* Appends the plain units and functions, and the functions with atomic instructions, to the list. */
static void judge(struct unhooked_module *m, struct rd_image *image, struct rd_unhooked_list *found) {
    enum { NO_CODE, HOOKS, PLAIN };
    uint32_t units = image->units.count;
    uint8_t *state = rd_arena_zero(m->a, units + 1);
    if (has_cxx_library(m))
        rd_vec_push(m->a, found, (struct rd_unhooked){.unit = "libstdc++.a"});
    for (uint32_t i = 0; i < m->pieces.count; i++) {
        const struct code_piece *p = &m->pieces.at[i];
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
        const struct code_piece *p = &m->pieces.at[i];
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

/* The decoder for this e_machine; NULL: there is none. */
static const struct rd_decoder *decoder_of(unsigned machine) {
    static const struct rd_decoder *const decoders[] = {&rd_decoder_x86_64, &rd_decoder_aarch64};
    for (unsigned i = 0; i < RD_COUNT(decoders); i++)
        if (decoders[i]->machine == machine)
            return decoders[i];
    return NULL;
}

bool rd_unhooked_find(struct rd_image *image, struct rd_arena *a, struct rd_unhooked_list *found) {
    struct unhooked_module m = {.a = a};
    GElf_Addr bias;
    GElf_Ehdr head;
    rd_image_open(image);
    Elf *elf = image->module ? dwfl_module_getelf(image->module, &bias) : NULL;
    m.decoder = elf && gelf_getehdr(elf, &head) ? decoder_of(head.e_machine) : NULL;
    if (!m.decoder)
        return false;
    read_sections(&m, elf);
    read_functions(&m, image);
    read_unwinding(&m, elf, head.e_entry);
    settle(&m);
    rd_dwarf_units(image, a);
    judge(&m, image, found);
    return true;
}
