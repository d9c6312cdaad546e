/*
 * place_of_address.c - see place_of_address.h. The table of modules is filled from the dynamic linker's list at the
 * start, at the checkpoint and after a dlopen. A module keeps its number for good, so places stay valid.
 */
#include "rt/address/place_of_address.h"

#include "base/text.h"
#include "rt/access/shared_access.h"
#include "rt/hook/hook.h"
#include "rt/hook/io/stream.h"
#include "rt/layout.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "trace/place.h"

#include <link.h>
#include <string.h>
#include <sys/resource.h>

static_assert((int)RD_PLACE_MODULE + (int)RD_MODULES_MAX <= (int)RD_PLACE_HEAP, "each module has a region");
static_assert((int)RD_PLACE_HEAP + (int)RD_TID_MAX <= (int)RD_PLACE_STACK, "each thread's heap has a region");
static_assert((int)RD_PLACE_STACK + (int)RD_TID_MAX <= (int)RD_PLACE_IO, "each thread's stack has a region");
static_assert((int)RD_PLACE_IO + (int)RD_IO_KINDS <= (int)RD_PLACE_OTHER, "each kind of file has a region");
static_assert(RD_HEAP_SLOT >> 30 == 64, "RD_PLACE_MAPPED is the end of the heap");
static_assert(RD_HEAP_SLOT + RD_MAPS_SLOT <= (uint64_t)1 << 48, "heap and mappings of a thread share a region");

static struct {
    uint64_t stack_top, stack_low; /* of the main thread */
    bool instrumented;             /* one of the modules is instrumented */
} process;

void rd_place_main_stack(uint64_t top) {
    struct rlimit limit;
    uint64_t size = (uint64_t)128 << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size)
        size = limit.rlim_cur;
    RD_CHECK(!process.stack_top && top > size);
    process.stack_top = top;
    process.stack_low = top - size;
}

void rd_place_main_bounds(void **low, void **top) {
    RD_ASSERT(process.stack_top);
    *low = (void *)process.stack_low;
    *top = (void *)process.stack_top;
}

static void read_build_id(struct rd_module *m, const struct dl_phdr_info *info) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_NOTE)
            continue;
        const char *p = (const char *)(info->dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;
        while (p + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *n = (const void *)p;
            const char *name = p + sizeof *n, *desc = name + ((n->n_namesz + 3) & ~3u);
            if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                m->build_id_size = (uint8_t)RD_MIN(n->n_descsz, sizeof m->build_id);
                memcpy(m->build_id, desc, m->build_id_size);
                return;
            }
            p = desc + ((n->n_descsz + 3) & ~3u);
        }
    }
}

/*
 * Applies the properties of a loaded module to this process. An earlier process may have entered the module into
 * the channel's table: exec isolation has a new process for each execution.
 */
static void use(const struct rd_module *m) {
    process.instrumented |= m->instrumented;
    if (m->streams)
        rd_stream_locks();
}

/*
 * Copies the path of a module. The linker's list has the words of dlopen("./x.so"), or of LD_LIBRARY_PATH=., which
 * mean nothing elsewhere; the program may change its directory later.
 */
static void copy_path(char *to, size_t room, const char *path) {
    struct rd_text t;
    rd_text_init(&t, to, room);
    if (strchr(path, '/') && path[0] != '/' && rd_raw(SYS_getcwd, to, (long)room) > 0) {
        t.used = strlen(to);
        rd_text_str(&t, to[1] ? "/" : "");
        path += strncmp(path, "./", 2) == 0 ? 2 : 0;
    }
    rd_text_str(&t, path);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    struct rd_channel *c = rd_rt.channel;
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD)
            continue;
        low = RD_MIN(low, info->dlpi_addr + ph->p_vaddr);
        high = RD_MAX(high, info->dlpi_addr + ph->p_vaddr + ph->p_memsz);
    }
    for (uint32_t i = 0; i < c->execution.module_count; i++) {
        if (c->execution.modules[i].start == low && c->execution.modules[i].end == high) {
            c->execution.modules[i].known = i && rd_module_is_known(info->dlpi_name);
            use(&c->execution.modules[i]);
            return 0;
        }
    }
    if (c->execution.module_count == RD_MODULES_MAX || high == 0)
        return 0;
    struct rd_module *m = &c->execution.modules[c->execution.module_count++];
    *m = (struct rd_module){.base = info->dlpi_addr, .start = low, .end = high};
    /* the linker's list has no name for the executable; the driver knows its path */
    copy_path(m->path, sizeof m->path, info->dlpi_name);
    read_build_id(m, info);
    m->instrumented = rd_module_refers(info, "__tsan_init");
    m->known = rd_module_is_known(m->path) &&
               m != c->execution.modules; /* the executable is no library of known functions */
    m->streams = rd_module_refers(info, "flockfile") || rd_module_refers(info, "ftrylockfile");
    use(m);
    return 0;
}

void rd_place_refresh(void) {
    uint32_t before = rd_rt.channel->execution.module_count;
    dl_iterate_phdr(add_module, NULL);
    if (rd_rt.channel->execution.module_count != before && rd_rt.threaded)
        rd_sharing_load();
}

/* Remembers the module for the next look-up. Not this library: its objects have no places, and are rarely looked
 * up. */
static void remember(struct rd_module *m) {
    uint64_t own = (uintptr_t)&rd_rt;
    if (own >= m->start && own < m->end)
        return;
    unsigned region = RD_PLACE_MODULE + (unsigned)(m - rd_rt.channel->execution.modules);
    rd_rt.near = (struct rd_place_near){m->start, m->end - m->start, m->base, rd_place_make(region, 0), m};
}

static struct rd_module *module_of(uint64_t addr) {
    struct rd_channel *c = rd_rt.channel;
    if (RD_LIKELY(addr - rd_rt.near.start < rd_rt.near.size))
        return rd_rt.near.module;
    for (uint32_t i = 0; i < c->execution.module_count; i++) {
        if (addr >= c->execution.modules[i].start && addr < c->execution.modules[i].end) {
            remember(&c->execution.modules[i]);
            return &c->execution.modules[i];
        }
    }
    return NULL;
}

/* The place of an address in a stack; 0: the address is in no stack. */
static rd_place stack_place(uint64_t addr) {
    uint64_t slot = addr - RD_STACKS_AT, tid = slot / RD_STACK_SLOT;
    if (tid < RD_TID_MAX && addr < RD_STACK_TOP(tid))
        return rd_place_make(RD_PLACE_STACK + (unsigned)tid, RD_STACK_TOP(tid) - addr);
    if (addr >= process.stack_low && addr < process.stack_top)
        return rd_place_make(RD_PLACE_STACK, process.stack_top - addr);
    return 0;
}

static rd_place in_module(const struct rd_module *m, uint64_t addr) {
    return rd_place_make(RD_PLACE_MODULE + (unsigned)(m - rd_rt.channel->execution.modules), addr - m->base);
}

rd_place rd_place_of(uint64_t addr) {
    if (addr == 0)
        return 0;
    uint64_t heap = addr - RD_HEAP_AT;
    if (heap < RD_TID_MAX * RD_HEAP_SLOT)
        return rd_place_make(RD_PLACE_HEAP + (unsigned)(heap / RD_HEAP_SLOT), heap % RD_HEAP_SLOT);
    const struct rd_module *m = module_of(addr);
    if (m)
        return in_module(m, addr);
    uint64_t mapped = addr - RD_MAPS_AT;
    if (mapped < RD_TID_MAX * RD_MAPS_SLOT)
        return rd_place_make(RD_PLACE_HEAP + (unsigned)(mapped / RD_MAPS_SLOT),
                             RD_PLACE_MAPPED + mapped % RD_MAPS_SLOT);
    uint64_t file = addr - RD_FILES_AT;
    if (file < RD_IO_KINDS * RD_FILES_SLOT)
        return rd_place_make(RD_PLACE_IO + (unsigned)(file / RD_FILES_SLOT), file % RD_FILES_SLOT);
    rd_place p = stack_place(addr);
    return p ? p : rd_place_make(RD_PLACE_OTHER, addr);
}

uint64_t rd_place_address(rd_place p) {
    unsigned region = rd_place_region(p);
    uint64_t offset = rd_place_offset(p);
    if (rd_place_module(p) >= 0)
        return rd_place_module(p) < (int)rd_rt.channel->execution.module_count
                   ? rd_rt.channel->execution.modules[rd_place_module(p)].base + offset
                   : 0;
    if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK && offset >= RD_PLACE_MAPPED)
        return RD_MAPS_AT + (region - RD_PLACE_HEAP) * RD_MAPS_SLOT + offset - RD_PLACE_MAPPED;
    if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK)
        return RD_HEAP_AT + (region - RD_PLACE_HEAP) * RD_HEAP_SLOT + offset;
    if (region == RD_PLACE_STACK)
        return process.stack_top - offset;
    if (region > RD_PLACE_STACK && region < RD_PLACE_IO)
        return RD_STACK_TOP(region - RD_PLACE_STACK) - offset;
    return 0;
}

const struct rd_module *rd_place_own(void) {
    static const struct rd_module *own;
    const struct rd_channel *c = rd_rt.channel;
    uint64_t at = (uintptr_t)&rd_rt;
    for (uint32_t i = 0; i < c->execution.module_count && !own; i++)
        if (at >= c->execution.modules[i].start && at < c->execution.modules[i].end)
            own = &c->execution.modules[i];
    return own;
}

bool rd_place_is_own(uint64_t addr) {
    const struct rd_module *own = rd_place_own();
    return own && addr >= own->start && addr < own->end;
}

rd_place rd_place_object(uint64_t addr) {
    uint64_t own = (uintptr_t)&rd_rt;
    if (addr == 0 || addr - RD_ARENA_AT < RD_ARENA_SIZE)
        return 0;
    const struct rd_module *m = addr - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT ? NULL : module_of(addr);
    if (!m)
        return rd_place_of(addr);
    return own >= m->start && own < m->end ? 0 : in_module(m, addr);
}

rd_place rd_place_code(uint64_t pc) {
    const struct rd_module *m = module_of(pc);
    if (m)
        return in_module(m, pc);
    rd_place_refresh();
    return rd_place_of(pc);
}

uint64_t rd_place_value(uint64_t value) {
    rd_place p = rd_place_of(value);
    unsigned region = rd_place_region(p);
    bool file =
        region >= RD_PLACE_IO && region < RD_PLACE_OTHER; /* no memory: files have places, but no pointers */
    return region == 0 || file || region >= RD_PLACE_OTHER ? value : p;
}

void rd_place_instrumented(uint64_t pc) {
    struct rd_module *m = rd_rt.channel ? module_of(pc) : NULL;
    if (m)
        m->instrumented = process.instrumented = true;
}

bool rd_place_any_instrumented(void) { return process.instrumented; }

bool rd_place_is_seen(uint64_t pc) {
    const struct rd_module *m = module_of(pc);
    return m && (m->instrumented || m->known);
}

bool rd_place_is_instrumented(uint64_t pc) {
    const struct rd_module *m = module_of(pc);
    return m && m->instrumented;
}
