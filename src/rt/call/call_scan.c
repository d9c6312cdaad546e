/*
 * call_scan.c - redirects the calls of instrumented modules to the thunks (call.h).
 *
 * A module calls what others define through slots that the dynamic linker fills: of the procedure linkage table, of
 * the global offset table, and pointers in initialised data. Each that leads to a function of a module that is not
 * instrumented is made to lead to a thunk. One function has one thunk by each name, so pointers to it stay equal
 * among instrumented modules; dlsym() gives the thunk, too, to code that is instrumented.
 *
 * Done at the start, when an instrumented module says that it is there (__tsan_init, before its other
 * constructors), and at the checkpoint. Programs are started with all their calls bound, so a slot holds the
 * function itself.
 */
#include "rt/call/call.h"

#include "base/map.h"
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

enum { CONSTANT_MAX = 1024, THUNK_SIZE = 16 };

uint8_t rd_call_vectors __attribute__((visibility("hidden"))); /* how long vector registers are: call_x86_64.S */
uint64_t rd_call_targets[RD_CALL_THUNKS + RD_SYNC_THUNKS] __attribute__((visibility("hidden")));

static struct {
    unsigned long long
        changes;             /* modules that the dynamic linker had loaded and unloaded when it was looked last */
    uint32_t count;          /* thunks in use */
    uint32_t sync_count;     /* … and of those for rules */
    struct rd_map by_target; /* function, by address and name -> its thunk, + 1 */
    struct rd_map written;   /* states that some imported function writes */
    struct {
        uint64_t start, size;
    } constant[CONSTANT_MAX]; /* memory that nobody can write */
    uint32_t constants, near;
    uint64_t data_first, data_last; /* of the C library */
} scan;

void rd_call_attach_table(int fd) {
    struct stat st = {0};
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

bool rd_call_may_write(uint64_t state) { return rd_map_get(&scan.written, state) != NULL; }

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
    *first = scan.data_first;
    *last = scan.data_last;
}

#if defined(__x86_64__)

/* 1: AVX, 2: AVX-512, 4: one of them, and the processor tells which parts are in use. */
static uint8_t vectors(void) {
    enum { SAVE_STATES = 0xd, IN_USE = 4 };
    unsigned a = 0, b, c, d;
    __builtin_cpu_init(); /* this may be before the constructors */
    bool avx = __builtin_cpu_supports("avx"), avx512 = __builtin_cpu_supports("avx512f");
    if (avx && __get_cpuid_count(SAVE_STATES, 1, &a, &b, &c, &d) && a & IN_USE)
        return 4;
    return avx512 ? 2 : avx ? 1 : 0;
}

extern char rd_call_thunks[] __attribute__((visibility("hidden")));
extern char rd_sync_thunks[] __attribute__((visibility("hidden")));

static void *thunk(uint32_t index) {
    char *at = index < RD_CALL_THUNKS ? rd_call_thunks : rd_sync_thunks;
    return at + (uint64_t)(index % RD_CALL_THUNKS) * THUNK_SIZE;
}

static bool is_thunk(uint64_t addr) {
    return addr - (uintptr_t)rd_call_thunks < (uint64_t)RD_CALL_THUNKS * THUNK_SIZE ||
           addr - (uintptr_t)rd_sync_thunks < (uint64_t)RD_SYNC_THUNKS * THUNK_SIZE;
}

static struct rd_callee *callee_of(uint32_t index) { return &rd_callees[index]; }

/* Puts the address and the size of a library's variable into the rule; the program may have a copy of it, which
 * counts. */
static void find_variable(struct rd_rule *r) {
    char name[RD_SYNC_NAME];
    const char *from = (const char *)(uintptr_t)r->state;
    size_t n = strcspn(from, " ");
    Dl_info info;
    void *extra = NULL;
    r->state = 0;
    if (n >= sizeof name)
        return;
    memcpy(name, from, n);
    name[n] = '\0';
    void *at = dlsym(RTLD_DEFAULT, name);
    if (!at || !dladdr1(at, &info, &extra, RTLD_DL_SYMENT) || !extra)
        return;
    const ElfW(Sym) *symbol = extra;
    r->state = (uintptr_t)at;
    r->bytes = (uint32_t)symbol->st_size;
}

static const char *copy_of(const char *name) {
    size_t size = strlen(name) + 1;
    return memcpy(rd_arena_alloc(&rd_call_arena, size), name, size);
}

/* What is known of a function of that name: a rule for its library comes before the table. */
static void describe(struct rd_callee *c, const char *name) {
    static struct rd_function by_rule;
    const struct rd_function *f = rd_function_find(name);
    const struct rd_call_rule *said = rd_rules_find(name, c->target, true);
    struct rd_rule rules[RD_RULES_MAX];
    if (said) {
        unsigned class = said->is.kind == RD_SYNC_TOUCHES ? RD_FUNCTION_KNOWN : RD_FUNCTION_PURE;
        by_rule = (struct rd_function){name, said->is.memory, (uint8_t) class};
        f = &by_rule;
    }
    const char *bad;
    c->name = copy_of(name); /* the module that imports it may be unloaded */
    c->class = f ? f->class : RD_FUNCTION_OPAQUE;
    int n = f ? rd_rules_parse(f->rules, rules, &bad) : 0;
    RD_CHECK(n >= 0);
    c->rules = rd_arena_alloc(&rd_call_arena, ((size_t)n + 1) * sizeof *c->rules);
    memcpy(c->rules, rules, (size_t)n * sizeof *rules);
    c->rule_count = (uint32_t)n;
    for (int i = 0; i < n; i++) {
        if (c->rules[i].what == RD_RULE_VARIABLE)
            find_variable(&c->rules[i]);
        c->calls |= rules[i].what == RD_RULE_CALLS;
        if (rules[i].what == RD_RULE_STATE && rules[i].writes)
            *rd_map_put(&scan.written, &rd_call_arena, rules[i].state) = 1;
    }
}

/* Is there something to be done when the function is called? */
static bool matters(const struct rd_callee *c) {
    bool ours = rd_place_is_own(c->target);
    switch (c->class) {
    case RD_FUNCTION_OPAQUE:
        return !ours;
    case RD_FUNCTION_KNOWN:
        return c->rule_count > 0;
    case RD_FUNCTION_CARRIED:
        return ours;
    default:
        return false;
    }
}

/* The thunk for a function that counts before there are threads, too: a rule says how it synchronises, or it looks
 * up. */
static void *early_thunk_for(uint64_t target, const char *name, struct rd_call_rule *rule, uint64_t *slot) {
    uint32_t index = RD_CALL_THUNKS + scan.sync_count;
    if (scan.sync_count == RD_SYNC_THUNKS) {
        rd_rt.channel->calls_unseen = 1;
        return NULL;
    }
    struct rd_callee *c = callee_of(index);
    *c = (struct rd_callee){.target = target, .named = target};
    describe(c, name);
    if (rule) {
        rule->opaque = c->class == RD_FUNCTION_OPAQUE;
        c->class = RD_FUNCTION_SYNC;
        c->rule = rule;
        rd_rules_bind(rule, target);
    }
    rd_call_targets[index] = target;
    scan.sync_count++;
    *slot = index + 1;
    return thunk(index);
}

/* An address alone is not enough: after a library was unloaded, another one may be there. */
static uint64_t key_of(uint64_t target, const char *name) {
    return rd_hash2(target, rd_rule_state(name, strlen(name))) | 1;
}

/* The thunk for a function of another module; NULL: none is needed, or there are no more. */
static void *thunk_for(uint64_t target, const char *name) {
    uint64_t *slot = rd_map_put(&scan.by_target, &rd_call_arena, key_of(target, name));
    if (*slot)
        return *slot == UINT64_MAX ? NULL : thunk((uint32_t)*slot - 1);
    struct rd_call_rule *rule = rd_place_is_own(target) ? NULL : rd_rules_find(name, target, false);
    const struct rd_function *f = rd_function_find(name);
    if (rule || (f && f->class == RD_FUNCTION_LOOKUP))
        return early_thunk_for(target, name, rule, slot);
    if (scan.count == RD_CALL_THUNKS) {
        rd_rt.channel->calls_unseen = 1;
        return NULL;
    }
    struct rd_callee *c = callee_of(scan.count);
    *c = (struct rd_callee){.target = target, .named = target};
    describe(c, name);
    if (!matters(c)) {
        *slot = UINT64_MAX;
        return NULL;
    }
    if (rd_place_is_own(target)) {
        void *real = dlsym(RTLD_NEXT, name);
        c->named = real ? (uintptr_t)real : target;
    }
    rd_call_targets[scan.count] = target;
    *slot = ++scan.count;
    return thunk(scan.count - 1);
}

/* ---- modules ---- */

struct module {
    const struct dl_phdr_info *info;
    struct rd_imports in;
    uint64_t relro, relro_end; /* slots that were made read-only */
    bool open;                 /* … and can be written now */
    bool all;                  /* it is instrumented */
};

static void find_relro(struct module *m) {
    for (int i = 0; i < m->info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &m->info->dlpi_phdr[i];
        if (ph->p_type == PT_GNU_RELRO) {
            m->relro = (m->info->dlpi_addr + ph->p_vaddr) & ~(uint64_t)4095;
            m->relro_end = (m->info->dlpi_addr + ph->p_vaddr + ph->p_memsz) & ~(uint64_t)4095;
        }
    }
}

static void write_slot(struct module *m, uint64_t *slot, void *value) {
    uint64_t at = (uintptr_t)slot;
    bool closed = at >= m->relro && at < m->relro_end;
    if (closed && !m->open) {
        mprotect((void *)m->relro, m->relro_end - m->relro, PROT_READ | PROT_WRITE);
        m->open = true;
    }
    *slot = (uintptr_t)value;
}

/* Is the function in a module whose own code announces what it does, or in none that is known? */
static bool is_seen(uint64_t addr) {
    rd_place p = rd_place_of(addr);
    return rd_place_module(p) < 0 || rd_place_is_instrumented(addr);
}

static bool is_function(const ElfW(Sym) * s) {
    unsigned type = ELF64_ST_TYPE(s->st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static bool holds(const struct dl_phdr_info *info, uint64_t at) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && at - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
            return true;
    }
    return false;
}

static void redirect(struct module *m, const ElfW(Rela) * r) {
    unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
        return;
    const ElfW(Sym) *s = &m->in.symbols[ELF64_R_SYM(r->r_info)];
    const char *name = m->in.names + s->st_name;
    uint64_t *slot = (uint64_t *)(uintptr_t)(m->info->dlpi_addr + r->r_offset);
    uint64_t target = *slot - (type == R_X86_64_64 ? (uint64_t)r->r_addend : 0);
    if (!target || !name[0] || !is_function(s) || (type == R_X86_64_64 && r->r_addend))
        return;
    if (is_seen(target) || is_thunk(target) || strncmp(name, "__tsan_", 7) == 0 || strstr(name, "_personality_"))
        return;
    if (!m->all && (holds(m->info, target) || rd_place_is_own(target) || !rd_rules_find(name, target, false)))
        return;
    void *to = thunk_for(target, name);
    if (to)
        write_slot(m, slot, to);
}

/* `all`: whatever it calls; else only functions with a rule, which a library calls in itself as it likes. */
static void redirect_all(const struct dl_phdr_info *info, bool all) {
    struct module m = {.info = info, .all = all};
    rd_module_imports(&m.in, info);
    find_relro(&m);
    if (!m.in.symbols || !m.in.names)
        return;
    for (unsigned k = 0; k < RD_COUNT(m.in.table); k++)
        for (size_t i = 0; m.in.table[k] && i < m.in.size[k] / sizeof *m.in.table[k]; i++)
            redirect(&m, &m.in.table[k][i]);
    if (m.open)
        mprotect((void *)m.relro, m.relro_end - m.relro, PROT_READ);
}

/* ---- what is where ---- */

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

static int look(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    uint64_t low = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            low = RD_MIN(low, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    bool all = low != UINT64_MAX && rd_place_is_instrumented(low) && rd_rt.channel->config.points != RD_POINTS_SYNC;
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
    bool before = rd_self->inside;
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
    rd_self->inside = before;
}

/* Is the address that of a function? Variables are looked up by name, too. */
static bool is_code(uint64_t target) {
    Dl_info info;
    void *extra = NULL;
    if (!dladdr1((void *)target, &info, &extra, RTLD_DL_SYMENT) || !extra)
        return false;
    return is_function(extra);
}

static void *translate(void *target, const char *name) {
    void *ours = dlsym(RTLD_DEFAULT, name), *to = NULL;
    if (ours && rd_place_is_own((uintptr_t)ours) && dlsym(RTLD_NEXT, name) == target)
        target = ours; /* a handle of libc leads past the hook of that name */
    if (is_code((uintptr_t)target) && !is_seen((uintptr_t)target))
        to = thunk_for((uintptr_t)target, name);
    return to ? to : target;
}

void *rd_call_look_up(const struct rd_callee *callee, const struct rd_call_frame *frame) {
    void *handle = (void *)frame->general[0];
    const char *name = (const char *)frame->general[1], *version = (const char *)frame->general[2];
    bool versioned = strcmp(callee->name, "dlvsym") == 0;
    void *found = NULL;
    rd_rt_enter();
    if (handle == RTLD_NEXT) /* what comes next depends on who asks, and that is not this library */
        rd_rt.channel->calls_unseen = 1;
    else
        found = versioned ? dlvsym(handle, name, version) : dlsym(handle, name);
    rd_call_scan(); /* it may be in a library that was loaded since */
    if (found)
        found = translate(found, name);
    rd_rt_leave();
    return found;
}

#else

void rd_call_scan(void) {
    if (rd_rt.channel)
        rd_rt.channel->calls_unseen = 1;
}
void *rd_call_look_up(const struct rd_callee *callee, const struct rd_call_frame *frame) {
    (void)callee;
    (void)frame;
    return NULL;
}

#endif
