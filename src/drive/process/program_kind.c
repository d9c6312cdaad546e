/*
 * program_kind.c - see program_kind.h. Raddle enters a program through the dynamic linker (LD_PRELOAD) and takes
 * over functions of the GNU C library. So it refuses programs for other machines, static ones, those of other C
 * libraries, Go programs (whose threads never call a C library), and those with a sanitizer's runtime, which takes
 * over the same functions: the one of gcc is a library that the program needs, the one of clang is linked in and
 * exports its functions.
 */
#include "drive/process/program_kind.h"

#include "base/text.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
#error "raddle knows x86-64 and aarch64"
#endif

struct elf_file {
    const unsigned char *data;
    size_t size;
    Elf64_Ehdr head;
};

/* Returns the bytes from an offset on; NULL: the file does not have that many. */
static const void *bytes_at(const struct elf_file *f, uint64_t at, uint64_t size) {
    return at <= f->size && size <= f->size - at ? f->data + at : NULL;
}

/* Returns the text at an offset; NULL: it does not end in the file. */
static const char *text_at(const struct elf_file *f, uint64_t at) {
    return at < f->size && memchr(f->data + at, 0, f->size - at) ? (const char *)f->data + at : NULL;
}

static bool segment(const struct elf_file *f, unsigned i, Elf64_Phdr *p) {
    uint64_t at = f->head.e_phoff + (uint64_t)i * sizeof *p;
    const void *from = at < f->head.e_phoff || i >= f->head.e_phnum ? NULL : bytes_at(f, at, sizeof *p);
    if (from)
        memcpy(p, from, sizeof *p);
    return from != NULL;
}

static bool find_segment(const struct elf_file *f, uint32_t type, Elf64_Phdr *p) {
    for (unsigned i = 0; segment(f, i, p); i++)
        if (p->p_type == type)
            return true;
    return false;
}

/* The offset in the file of an address that a segment loads; UINT64_MAX: none does. */
static uint64_t offset_of(const struct elf_file *f, uint64_t address) {
    Elf64_Phdr p;
    for (unsigned i = 0; segment(f, i, &p); i++)
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
            return p.p_offset + (address - p.p_vaddr);
    return UINT64_MAX;
}

/* Reads the notes of one segment: the build ID, and whether the Go linker has left its own. */
static void read_notes(const struct elf_file *f, const Elf64_Phdr *p, struct rd_file_id *id, bool *is_go) {
    const unsigned char *notes = bytes_at(f, p->p_offset, p->p_filesz);
    for (uint64_t at = 0; notes && p->p_filesz - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr n;
        memcpy(&n, notes + at, sizeof n);
        uint64_t name = at + sizeof n, desc = name + (((uint64_t)n.n_namesz + 3) & ~(uint64_t)3);
        uint64_t end = desc + n.n_descsz;
        if (desc > p->p_filesz || end > p->p_filesz)
            return;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
            id->size = (uint8_t)RD_MIN(n.n_descsz, sizeof id->bytes);
            memcpy(id->bytes, notes + desc, id->size);
        }
        *is_go |= n.n_namesz == 4 && memcmp(notes + name, "Go\0", 4) == 0;
        at = desc + (((uint64_t)n.n_descsz + 3) & ~(uint64_t)3);
        if (at > p->p_filesz)
            return;
    }
}

static const char *other_machine(const struct elf_file *f) {
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{EM_X86_64, "x86-64"}, {EM_386, "i386"},    {EM_AARCH64, "aarch64"}, {EM_ARM, "arm"},
                 {EM_RISCV, "riscv"},   {EM_PPC64, "ppc64"}, {EM_S390, "s390"},       {EM_MIPS, "mips"}};
    static char text[128];
    const char *its = "another machine", *ours = "";
    for (unsigned i = 0; i < RD_COUNT(names); i++) {
        its = names[i].machine == f->head.e_machine ? names[i].name : its;
        ours = names[i].machine == MACHINE ? names[i].name : ours;
    }
    struct rd_text t;
    rd_text_init(&t, text, sizeof text);
    rd_text_str(&t, "it is a program for ");
    rd_text_str(&t, its);
    rd_text_str(&t, ", and this raddle is for ");
    rd_text_str(&t, ours);
    return text;
}

/* What a sanitizer's runtime is called: the library of gcc or clang, and a function that the runtime exports. */
static const struct sanitizer {
    const char *library, *clang_library, *function, *wrong;
} sanitizers[] = {
    {"libasan.so", "libclang_rt.asan", "__asan_init",
     "it is built with AddressSanitizer, which takes over the same functions as raddle; build it without "
     "-fsanitize=address (raddle finds errors of the heap itself)"},
    {"libtsan.so", "libclang_rt.tsan", "__tsan_init",
     "it is linked with ThreadSanitizer, which takes over the same functions as raddle; build and link it with "
     "'raddle "
     "cc' or 'raddle c++' and without -fsanitize=thread"},
    {"libhwasan.so", "libclang_rt.hwasan", "__hwasan_init",
     "it is built with HWAddressSanitizer, which takes over the same functions as raddle; build it without "
     "-fsanitize=hwaddress (raddle finds errors of the heap itself)"},
    {"libmsan.so", "libclang_rt.msan", "__msan_init",
     "it is built with MemorySanitizer, which takes over the same functions as raddle; build it without "
     "-fsanitize=memory"},
    {"liblsan.so", "libclang_rt.lsan", "__lsan_init",
     "it is linked with LeakSanitizer, which takes over the same functions as raddle; build it without "
     "-fsanitize=leak "
     "('raddle run --detect leaks' finds leaks)"},
};

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* Does the program define the function for others? It is in the table of dynamic symbols then. */
static const struct sanitizer *exported_sanitizer(const struct elf_file *f) {
    Elf64_Shdr s, names;
    for (unsigned i = 0; i < f->head.e_shnum; i++) {
        const void *at = bytes_at(f, f->head.e_shoff + (uint64_t)i * sizeof s, sizeof s);
        if (!at)
            return NULL;
        memcpy(&s, at, sizeof s);
        if (s.sh_type != SHT_DYNSYM || s.sh_link >= f->head.e_shnum || !bytes_at(f, s.sh_offset, s.sh_size))
            continue;
        at = bytes_at(f, f->head.e_shoff + (uint64_t)s.sh_link * sizeof s, sizeof s);
        if (!at)
            return NULL;
        memcpy(&names, at, sizeof names);
        for (uint64_t k = 0; k + sizeof(Elf64_Sym) <= s.sh_size; k += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, f->data + s.sh_offset + k, sizeof symbol);
            const char *name =
                symbol.st_shndx == SHN_UNDEF ? NULL : text_at(f, names.sh_offset + (uint64_t)symbol.st_name);
            for (unsigned n = 0; name && n < RD_COUNT(sanitizers); n++)
                if (strcmp(name, sanitizers[n].function) == 0)
                    return &sanitizers[n];
        }
    }
    return NULL;
}

/* The sanitizer whose library the program needs. */
static const struct sanitizer *needed_sanitizer(const struct elf_file *f) {
    Elf64_Phdr p;
    if (!find_segment(f, PT_DYNAMIC, &p) || !bytes_at(f, p.p_offset, p.p_filesz))
        return NULL;
    const unsigned char *entries = f->data + p.p_offset;
    Elf64_Dyn d;
    uint64_t names = UINT64_MAX;
    for (uint64_t at = 0; at + sizeof d <= p.p_filesz; at += sizeof d) {
        memcpy(&d, entries + at, sizeof d);
        if (d.d_tag == DT_STRTAB)
            names = offset_of(f, d.d_un.d_ptr);
    }
    for (uint64_t at = 0; names != UINT64_MAX && at + sizeof d <= p.p_filesz; at += sizeof d) {
        memcpy(&d, entries + at, sizeof d);
        const char *name = d.d_tag == DT_NEEDED && d.d_un.d_val < f->size ? text_at(f, names + d.d_un.d_val) : NULL;
        for (unsigned n = 0; name && n < RD_COUNT(sanitizers); n++)
            if (begins(name, sanitizers[n].library) || begins(name, sanitizers[n].clang_library))
                return &sanitizers[n];
    }
    return NULL;
}

/* Another C library than the GNU one: its dynamic linker has another name. */
static const char *other_libc(const struct elf_file *f, const Elf64_Phdr *interpreter) {
    const char *path = text_at(f, interpreter->p_offset), *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path ? path : "";
    if (begins(name, "ld-musl"))
        return "it is linked with the C library musl, and raddle controls programs of the GNU C library only; "
               "build it "
               "on a system with that";
    if (begins(name, "ld-uClibc") || begins(name, "ld64-uClibc") || begins(name, "linker"))
        return "it is not linked with the GNU C library, and raddle controls programs of that only";
    return NULL;
}

static bool holds(const struct elf_file *f, const char *text) {
    return memmem(f->data, f->size, text, strlen(text)) != NULL;
}

/*
 * Is an OpenMP runtime linked in statically? Raddle has no hooks in such a runtime. It is recognised by the names
 * of environment variables that libgomp and libomp read.
 */
static bool has_openmp(const struct elf_file *f) {
    return (holds(f, "GOMP_SPINCOUNT") && holds(f, "libgomp: ")) ||
           (holds(f, "KMP_BLOCKTIME") && holds(f, "KMP_AFFINITY"));
}

/* The reason why this ELF file is no program that this build of Raddle can run, by its head alone. */
static const char *wrong_head(const struct elf_file *f) {
    const Elf64_Ehdr *h = &f->head;
    if (h->e_ident[EI_DATA] != ELFDATA2LSB)
        return "it is a program for another machine";
    if (h->e_ident[EI_CLASS] == ELFCLASS32)
        return h->e_machine == EM_386 || h->e_machine == EM_X86_64
                   ? "it is a 32-bit program; build it for 64 bits (without -m32 or -mx32)"
                   : "it is a 32-bit program; build it for 64 bits";
    if (h->e_ident[EI_CLASS] != ELFCLASS64)
        return "it is damaged";
    if (h->e_machine != MACHINE)
        return other_machine(f);
    return h->e_type != ET_EXEC && h->e_type != ET_DYN ? "it is not a program (an object file, or a dump)" : NULL;
}

const char *rd_program_kind_wrong(const unsigned char *data, size_t size, struct rd_file_id *id) {
    struct elf_file f = {.data = data, .size = size};
    Elf64_Phdr p, interpreter;
    bool is_go = false;
    id->size = 0;
    if (size >= 2 && data[0] == '#' && data[1] == '!')
        return "it is a script; name the program that the script starts";
    if (size < sizeof f.head || memcmp(data, ELFMAG, SELFMAG) != 0)
        return "it is not an ELF program";
    memcpy(&f.head, data, sizeof f.head);
    const char *wrong = wrong_head(&f);
    if (wrong)
        return wrong;
    if (f.head.e_phnum && (f.head.e_phentsize != sizeof p || !segment(&f, f.head.e_phnum - 1u, &p)))
        return "it is damaged";
    for (unsigned i = 0; segment(&f, i, &p); i++)
        if (p.p_type == PT_NOTE)
            read_notes(&f, &p, id, &is_go);
    if (is_go)
        return "it is a Go program, whose threads do not use the C library; raddle controls C and C++ programs (go "
               "test "
               "-race checks Go)";
    if (!find_segment(&f, PT_INTERP, &interpreter))
        return f.head.e_type == ET_DYN ? "it is a library or a static program; link it dynamically"
                                       : "it is statically linked; link it dynamically";
    const struct sanitizer *sanitizer = needed_sanitizer(&f);
    sanitizer = sanitizer ? sanitizer : exported_sanitizer(&f);
    if (sanitizer)
        return sanitizer->wrong;
    wrong = other_libc(&f, &interpreter);
    if (wrong)
        return wrong;
    if (has_openmp(&f))
        return "it has the OpenMP runtime linked in, which raddle cannot control; link that dynamically "
               "(docs/openmp.md)";
    return NULL;
}
