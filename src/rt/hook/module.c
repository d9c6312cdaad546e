/*
 * module.c - what a module refers to: was it compiled with the thread sanitizer's hooks?
 *
 * Its own constructor calls __tsan_init, but the return address does not always say who that was: gcc with
 * optimisation jumps there, and its start-up object puts the function itself into the executable's .preinit_array.
 * What cannot be optimised away is the undefined symbol: a module that refers to __tsan_init is instrumented.
 */
#include "rt/hook/hook.h"

#include <link.h>

static bool is(const char *s, const char *want) {
    while (*want != '\0' && *s == *want)
        s++, want++;
    return *want == '\0' && *s == '\0';
}

/* The dynamic linker has made addresses absolute, except in the kernel's own module. */
static const void *pointer(const struct dl_phdr_info *info, ElfW(Addr) value) {
    return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

bool rd_module_refers(const struct dl_phdr_info *info, const char *name) {
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t count = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = pointer(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB)
            names = pointer(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_GNU_HASH) /* second word: where the defined ones begin */
            count = RD_MAX(count, ((const uint32_t *)pointer(info, d->d_un.d_ptr))[1]);
        else if (d->d_tag == DT_HASH) /* second word: how many there are */
            count = RD_MAX(count, ((const uint32_t *)pointer(info, d->d_un.d_ptr))[1]);
    }
    for (size_t i = 1; symbols && names && i < count; i++)
        if (symbols[i].st_shndx == SHN_UNDEF && is(names + symbols[i].st_name, name))
            return true;
    return false;
}
