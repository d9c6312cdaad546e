/*
 * instrumented.c - the functions that a module imports; so also whether it was compiled with -fsanitize=thread.
 *
 * A constructor of each instrumented module calls __tsan_init, but the return address does not always name the
 * module: gcc with optimisation jumps to __tsan_init, and its start-up object puts the function itself into the
 * executable's .preinit_array. The undefined symbol cannot be optimised away: a module that imports __tsan_init is
 * instrumented.
 */
#include "rt/hook/hook.h"

#include <link.h>

static bool is(const char *s, const char *want) {
    while (*want != '\0' && *s == *want)
        s++, want++;
    return *want == '\0' && *s == '\0';
}

/* The address in an entry of the dynamic section: the dynamic linker has relocated it, except in the vDSO. */
static const void *pointer(const struct dl_phdr_info *info, ElfW(Addr) value) {
    return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

void rd_module_imports(struct rd_imports *n, const struct dl_phdr_info *info) {
    const ElfW(Dyn) *d = NULL;
    *n = (struct rd_imports){0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        const void *at = pointer(info, d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            n->symbols = at;
        else if (d->d_tag == DT_STRTAB)
            n->names = at;
        else if (d->d_tag == DT_JMPREL)
            n->table[0] = at;
        else if (d->d_tag == DT_PLTRELSZ)
            n->size[0] = d->d_un.d_val;
        else if (d->d_tag == DT_RELA)
            n->table[1] = at;
        else if (d->d_tag == DT_RELASZ)
            n->size[1] = d->d_un.d_val;
    }
}

bool rd_module_refers(const struct dl_phdr_info *info, const char *name) {
    struct rd_imports n;
    rd_module_imports(&n, info);
    for (unsigned k = 0; n.symbols && n.names && k < RD_COUNT(n.table); k++)
        for (size_t i = 0; n.table[k] && i < n.size[k] / sizeof *n.table[k]; i++) {
            const ElfW(Sym) *s = &n.symbols[ELF64_R_SYM(n.table[k][i].r_info)];
            if (s->st_shndx == SHN_UNDEF && is(n.names + s->st_name, name))
                return true;
        }
    return false;
}
