/*
 * quick_exit.c - see quick_exit.h. exit() calls the functions that were registered with atexit() and its relatives
 * (hooks: rt/hook/process/exit.c), then the end functions of all modules, then it flushes streams. A module without
 * destructors of its own has one end function, which the compiler's start files bring and which calls the functions
 * that the module registered with atexit(), and an empty _fini. Both are recognised by their code. Any other end
 * function counts as work for exit().
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
    bool empty;       /* no module has an end function with work to do */
    unsigned modules; /* number of modules that were loaded at the checkpoint; 0: not known */
} look;

#if defined __x86_64__
/* Returns where the code goes on behind the mark for indirect branches. */
static const unsigned char *after_mark(const unsigned char *code) {
    return memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? code + 4 : code; /* endbr64 */
}

/* Returns whether _fini only moves the stack pointer and moves it back. */
static bool is_empty(const void *fini) {
    return memcmp(after_mark(fini), "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", 9) == 0;
}

/* Returns whether it is the compiler's end function: it compares a flag of its module with 0, and returns if it is
 * set. */
static bool is_usual(const void *fini) {
    const unsigned char *code = after_mark(fini);
    return memcmp(code, "\x80\x3d", 2) == 0 && code[6] == 0 && code[7] == 0x75 && code[9] == 0x55;
}
#else
static bool is_empty(const void *fini) { return !fini; }
static bool is_usual(const void *fini) { return !fini; }
#endif

/* For dl_iterate_phdr: looks at the end functions of one module. */
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

/* Returns the number of modules in the program's own list; 0: there may be other lists. */
static unsigned loaded(void) {
    unsigned n = 0;
    if (_r_debug.r_version != 1)
        return 0; /* a later version means that there is a second list */
    for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
        n++;
    return n;
}

void rd_quick_exit_look(void) {
    look.empty = __GLIBC_PREREQ(2, 35); /* older linkers do not say whether there is a second list */
    dl_iterate_phdr(look_at, NULL);
    look.modules = loaded();
}

/* Returns whether the stream holds output that was not written yet, or input that was read ahead. */
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
