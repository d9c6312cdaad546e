/*
 * call_scan.c - redirects the calls of instrumented modules to the thunks (call.h).
 *
 * A module calls functions that other modules define through slots, which the dynamic linker fills: entries of the
 * global offset table for calls by the procedure linkage table, other entries of that table, and pointers in
 * initialised data. This file makes each slot of an instrumented module that points to a function of a module
 * without hooks point to a thunk (call_thunks.h). All slots of one function get one thunk, so that pointers to it
 * are equal in all instrumented modules; dlsym() returns the thunk, too, to instrumented code.
 *
 * The modules are scanned at the start, when an instrumented module announces itself (__tsan_init, before its other
 * constructors), and at the checkpoint. Programs are started with all their calls bound (LD_BIND_NOW), so a slot
 * holds the address of the function itself.
 */
#include "rt/call/call_thunks.h"

#include "rt/hook/hook.h"
#include "rt/layout.h"
#include "rt/raw.h"
#include "trace/place.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONSTANT_MAX = 1024 };

uint8_t rd_call_vectors __attribute__((visibility("hidden"))); /* how long vector registers are: call_x86_64.S */

static struct {
    unsigned long long changes; /* how many modules had been loaded and unloaded at the last scan */
    struct {
        uint64_t start, size;
    } constant[CONSTANT_MAX];       /* segments of modules that are mapped without write access */
    uint32_t constants;             /* how many */
    uint32_t near;                  /* the one in which an address was found last */
    uint64_t data_first, data_last; /* the C library's writable segment */
} scan;

void rd_call_attach_table(int fd) {
    struct stat st = {0};
    RD_CHECK(!rd_call_kept);
    if (rd_raw(SYS_newfstatat, (long)fd, "", &st, (long)AT_EMPTY_PATH) != 0)
        return; /* under a debugger there is none */
    void *at = mmap((void *)RD_EXTENTS_AT, (size_t)st.st_size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return;
    madvise(at, (size_t)st.st_size, MADV_DONTDUMP);
    rd_call_kept = at;
}

bool rd_call_constant(uint64_t addr) {
    if (addr - scan.constant[scan.near].start < scan.constant[scan.near].size)
        return true;
    for (uint32_t i = 0; i < scan.constants; i++)
        if (addr - scan.constant[i].start < scan.constant[i].size) {
            scan.near = i;
            return true;
        }
    return false;
}

void rd_call_static_data(uint64_t *first, uint64_t *last) {
    RD_CHECK(scan.data_first <= scan.data_last);
    *first = scan.data_first;
    *last = scan.data_last;
}

#if defined(__x86_64__)

/* How the thunks save vector registers: 1 AVX, 2 AVX-512, 4 one of these with XGETBV(1), which tells which parts of
 * the registers are in use (CPUID leaf 0xd, sub-leaf 1, EAX bit 2). */
static uint8_t vectors(void) {
    enum { SAVE_STATES = 0xd, IN_USE = 4 };
    unsigned a = 0, b, c, d;
    __builtin_cpu_init(); /* this may be before the constructors */
    bool avx = __builtin_cpu_supports("avx"), avx512 = __builtin_cpu_supports("avx512f");
    if (avx && __get_cpuid_count(SAVE_STATES, 1, &a, &b, &c, &d) && a & IN_USE)
        return 4;
    return avx512 ? 2 : avx ? 1 : 0;
}

/* ---- modules ---- */

/* A module, while its slots are redirected. */
struct scanned_module {
    const struct dl_phdr_info *info;
    struct rd_imports in;
    uint64_t relro, relro_end; /* PT_GNU_RELRO: pages that the dynamic linker has made read-only after relocation */
    bool open;                 /* these pages are writable now */
    bool all;                  /* the module is instrumented: slots of all functions are redirected */
};

static void find_relro(struct scanned_module *m) {
    for (int i = 0; i < m->info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &m->info->dlpi_phdr[i];
        if (ph->p_type == PT_GNU_RELRO) {
            m->relro = (m->info->dlpi_addr + ph->p_vaddr) & ~(uint64_t)4095;
            m->relro_end = (m->info->dlpi_addr + ph->p_vaddr + ph->p_memsz) & ~(uint64_t)4095;
        }
    }
}

static void write_slot(struct scanned_module *m, uint64_t *slot, void *value) {
    uint64_t at = (uintptr_t)slot;
    RD_CHECK(rd_thunk_is((uintptr_t)value) && !rd_thunk_is(*slot)); /* a slot is redirected once */
    bool closed = at >= m->relro && at < m->relro_end;
    if (closed && !m->open) {
        mprotect((void *)m->relro, m->relro_end - m->relro, PROT_READ | PROT_WRITE);
        m->open = true;
    }
    *slot = (uintptr_t)value;
}

/* Returns whether the function is in an instrumented module, whose code announces its accesses, or in no known
 * module. */
static bool is_seen(uint64_t addr) {
    rd_place p = rd_place_of(addr);
    return rd_place_module(p) < 0 || rd_place_is_instrumented(addr);
}

static bool is_function(const ElfW(Sym) * s) {
    unsigned type = ELF64_ST_TYPE(s->st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* Returns whether the address is in a segment of the module. */
static bool holds(const struct dl_phdr_info *info, uint64_t at) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && at - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
            return true;
    }
    return false;
}

/* Makes the slot of one relocation point to a thunk, if its function needs one. */
static void redirect(struct scanned_module *m, const ElfW(Rela) * r) {
    unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
        return;
    RD_ASSERT(holds(m->info, m->info->dlpi_addr + r->r_offset));
    const ElfW(Sym) *s = &m->in.symbols[ELF64_R_SYM(r->r_info)];
    const char *name = m->in.names + s->st_name;
    uint64_t *slot = (uint64_t *)(uintptr_t)(m->info->dlpi_addr + r->r_offset);
    uint64_t target = *slot - (type == R_X86_64_64 ? (uint64_t)r->r_addend : 0);
    if (!target || !name[0] || !is_function(s) || (type == R_X86_64_64 && r->r_addend))
        return;
    if (is_seen(target) || rd_thunk_is(target) || strncmp(name, "__tsan_", 7) == 0 || strstr(name, "_personality_"))
        return;
    if (!m->all && (holds(m->info, target) || rd_place_is_own(target) || !rd_rules_find(name, target, false)))
        return;
    void *to = rd_thunk_for(target, name);
    if (to)
        write_slot(m, slot, to);
}

/* Redirects the slots of a module. all: for all functions; else only for functions of other modules with a rule
 * that says how they synchronise. */
static void redirect_all(const struct dl_phdr_info *info, bool all) {
    struct scanned_module m = {.info = info, .all = all};
    rd_module_imports(&m.in, info);
    find_relro(&m);
    RD_CHECK(m.relro <= m.relro_end);
    if (!m.in.symbols || !m.in.names)
        return;
    for (unsigned k = 0; k < RD_COUNT(m.in.table); k++)
        for (size_t i = 0; m.in.table[k] && i < m.in.size[k] / sizeof *m.in.table[k]; i++)
            redirect(&m, &m.in.table[k][i]);
    if (m.open)
        mprotect((void *)m.relro, m.relro_end - m.relro, PROT_READ);
}

/* ---- all modules ---- */

/* For dl_iterate_phdr(): notes the module's read-only segments, and the C library's writable segment. */
static int note_memory(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    bool library = holds(info, (uintptr_t)rd_real.strlen);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_LOAD && !(ph->p_flags & PF_W) && scan.constants < CONSTANT_MAX) {
            scan.constant[scan.constants].start = start;
            scan.constant[scan.constants++].size = ph->p_memsz;
        } else if (ph->p_type == PT_LOAD && library && ph->p_flags & PF_W) {
            scan.data_first = start;
            scan.data_last = start + ph->p_memsz - 1;
        }
    }
    return 0;
}

/* For dl_iterate_phdr(): redirects the slots of a module. */
static int look(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    uint64_t low = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            low = RD_MIN(low, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    bool all =
        low != UINT64_MAX && rd_place_is_instrumented(low) && rd_config_sees_accesses(&rd_rt.channel->config);
    if (low != UINT64_MAX && !rd_place_is_own(low) && (all || rd_rules_any()))
        redirect_all(info, all);
    return 0;
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    *(unsigned long long *)arg = info->dlpi_adds + info->dlpi_subs;
    return 1;
}

void rd_call_scan(void) {
    unsigned long long changes = 0;
    if (!rd_rt.channel || !rd_self)
        return;
    dl_iterate_phdr(count_changes, &changes);
    if (changes == scan.changes)
        return;
    uint32_t before = rd_self->inside;
    rd_self->inside = 1;
    scan.changes = changes;
    rd_call_vectors = vectors();
    if (!rd_callees)
        rd_callees = rd_arena_alloc(&rd_call_arena, (RD_CALL_THUNKS + RD_SYNC_THUNKS) * sizeof *rd_callees);
    rd_place_refresh();
    rd_rules_load();
    scan.constants = scan.near = 0;
    dl_iterate_phdr(note_memory, NULL);
    dl_iterate_phdr(look, NULL);
    RD_ASSERT(rd_thunks_are_right());
    rd_self->inside = before;
}

/* Returns whether the address is that of a function; dlsym() finds variables, too. */
static bool is_code(uint64_t target) {
    Dl_info info;
    void *extra = NULL;
    if (!dladdr1((void *)target, &info, &extra, RTLD_DL_SYMENT) || !extra)
        return false;
    return is_function(extra);
}

/* The thunk for a function that dlsym() has found; the address itself if it needs none. */
static void *translate(void *target, const char *name) {
    void *ours = dlsym(RTLD_DEFAULT, name), *to = NULL;
    if (ours && rd_place_is_own((uintptr_t)ours) && dlsym(RTLD_NEXT, name) == target)
        target = ours; /* with a handle of libc, dlsym() finds libc's function instead of the hook */
    if (is_code((uintptr_t)target) && !is_seen((uintptr_t)target))
        to = rd_thunk_for((uintptr_t)target, name);
    return to ? to : target;
}

void *rd_call_look_up(const struct rd_callee *callee, const struct rd_call_frame *frame) {
    RD_CHECK(callee->class == RD_FUNCTION_LOOKUP);
    void *handle = (void *)frame->general[0];
    const char *name = (const char *)frame->general[1], *version = (const char *)frame->general[2];
    bool versioned = strcmp(callee->name, "dlvsym") == 0;
    void *found = NULL;
    rd_rt_enter();
    if (handle == RTLD_NEXT) /* its result depends on the calling module, which would be libraddle here */
        rd_rt.channel->execution.calls_unseen = 1;
    else
        found = versioned ? dlvsym(handle, name, version) : dlsym(handle, name);
    rd_call_scan(); /* the function may be in a library that was loaded after the last scan */
    if (found)
        found = translate(found, name);
    rd_rt_leave();
    return found;
}

#else

void rd_call_scan(void) {
    if (rd_rt.channel)
        rd_rt.channel->execution.calls_unseen = 1;
}
void *rd_call_look_up(const struct rd_callee *callee, const struct rd_call_frame *frame) {
    (void)callee;
    (void)frame;
    return NULL;
}

#endif
