/*
 * quick_exit.c - see quick_exit.h. exit() calls what atexit() and its relatives were given (they are interposed:
 * hook/exit.c), then the end functions of all modules, then it flushes streams. A module that the compiler's own
 * start files were linked into, and nothing else that runs at the end, has one end function, which calls what
 * atexit() was given by that module, and an empty _fini; both are known by their code. Anything else counts as
 * something to do.
 */
#include "rt/isolate/quick_exit.h"

#include "rt/address/place_of_address.h"
#include "rt/state.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern FILE *_IO_list_all __attribute__((weak)); /* libc's list of open streams */

static struct {
    bool empty;       /* no module has anything to do */
    unsigned modules; /* that were loaded then */
} look;

#if defined __x86_64__
static const unsigned char *after_mark(const unsigned char *code) {
    return memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? code + 4 : code; /* endbr64 */
}

/* Only the stack is moved there and back. */
static bool is_empty(const void *fini) {
    return memcmp(after_mark(fini), "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", 9) == 0;
}

/* Compares a flag of its own with 0, and goes on if it is. */
static bool is_usual(const void *fini) {
    const unsigned char *code = after_mark(fini);
    return memcmp(code, "\x80\x3d", 2) == 0 && code[6] == 0 && code[7] == 0x75 && code[9] == 0x55;
}
#else
static bool is_empty(const void *fini) { return !fini; }
static bool is_usual(const void *fini) { return !fini; }
#endif

static int look_at(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    const ElfW(Dyn) *d = NULL;
    const struct rd_module *own = rd_place_own();
    const void *fini = NULL;
    void *const *array = NULL;
    size_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_FINI)
            fini = (const void *)(info->dlpi_addr + d->d_un.d_ptr);
        else if (d->d_tag == DT_FINI_ARRAY)
            array = (void *const *)(info->dlpi_addr + d->d_un.d_ptr);
        else if (d->d_tag == DT_FINI_ARRAYSZ)
            bytes = d->d_un.d_val;
    }
    if (own && own->base == info->dlpi_addr)
        return 0;
    look.empty &=
        (!fini || is_empty(fini)) && (!array || bytes == 0 || (bytes == sizeof *array && is_usual(*array)));
    return 0;
}

/* Modules in the program's own list, if that is all there are; 0: there may be others. */
static unsigned loaded(void) {
    unsigned n = 0;
    if (_r_debug.r_version != 1)
        return 0; /* there is a second list */
    for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
        n++;
    return n;
}

void rd_quick_exit_look(void) {
    look.empty = __GLIBC_PREREQ(2, 35); /* before that the linker does not say whether there is a second list */
    dl_iterate_phdr(look_at, NULL);
    look.modules = loaded();
}

/* Something that was not written yet, or was read ahead. */
static bool holds_something(const FILE *f) {
    return f->_mode > 0 || f->_IO_write_ptr != f->_IO_write_base || f->_IO_read_ptr != f->_IO_read_end;
}

bool rd_quick_exit_possible(void) {
    if (!look.empty || rd_rt.exit_work || !&_IO_list_all || !look.modules || loaded() != look.modules)
        return false;
    for (const FILE *f = _IO_list_all; f; f = f->_chain)
        if (holds_something(f))
            return false;
    return true;
}
