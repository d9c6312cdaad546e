/*
 * patch.c - replaces calls of the compiler's hooks by instructions without effect, and puts the calls back.
 *
 * A *site* is such a call; its pc is the return address. The bytes before the pc are changed only if they are one
 * of two kinds of calls: a direct call of an entry of the module's procedure linkage table, or an indirect call
 * through its global offset table; and only if the slot in that table is the one of a hook that does nothing but
 * announce an access. The slot is recognised by the module's relocations, because with lazy binding its value is
 * not the hook's address yet. All other calls (of memcpy, whose hook does more than announce accesses, of hooks
 * that do the access themselves, calls that an optimiser has turned into jumps) stay as they are.
 *
 * The text of a module is a private mapping: a change concerns this process and children that are forked later.
 * While it is changed the text is writable and executable; if the system forbids that, no site is switched off.
 * Taking away the right to execute meanwhile could not be undone on a system that forbids to give it again.
 */
#include "rt/access/patch.h"

#include "trace/profile.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { TEXTS_MAX = 64, SLOTS_MAX = 4096 };

/* An executable segment of a module. */
struct patch_text {
    uint64_t start, end;
    int how;        /* its protection (PROT_*), as the module's header says */
    uint8_t open;   /* it is writable now */
    uint8_t closed; /* making it writable has failed */
};

static struct {
    bool known; /* the modules' tables have been read */
    struct patch_text text[TEXTS_MAX];
    uint32_t texts;
    uint64_t
        slot[SLOTS_MAX]; /* addresses, in the modules' offset tables, of the slots of hooks that only announce */
    uint32_t slots;
    uint8_t off[RD_SITES_MAX];   /* by site: the length of the call that was taken out; 0: none was */
    uint32_t call[RD_SITES_MAX]; /* by site: the last four bytes of that call */
} here;

#if defined __x86_64__

static bool is_slot(uint64_t at) {
    for (uint32_t i = 0; i < here.slots; i++)
        if (here.slot[i] == at)
            return true;
    return false;
}

/* The 32-bit displacement of an instruction. */
static int64_t relative(const uint8_t *p) {
    int32_t r;
    memcpy(&r, p, sizeof r);
    return r;
}

/* Returns whether the entry of a linkage table (an optional endbr64, an optional bnd prefix, jmp *slot(%rip)) goes
 * through the slot of a hook. */
static bool goes_to_hook(const struct patch_text *t, uint64_t entry) {
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    if (entry < t->start || entry + 16 > t->end)
        return false;
    const uint8_t *p = (const uint8_t *)entry;
    if (memcmp(p, landing, sizeof landing) == 0)
        p += sizeof landing;
    p += *p == 0xf2;
    return p[0] == 0xff && p[1] == 0x25 && is_slot((uint64_t)(uintptr_t)p + 6 + (uint64_t)relative(p + 2));
}

/* The length of the call of a hook that ends at pc: 5 (call rel32), 6 (call *slot(%rip)), or 0: there is none. */
static uint32_t call_before(const struct patch_text *t, uint64_t pc) {
    if (pc < t->start + 6 || pc > t->end)
        return 0;
    const uint8_t *p = (const uint8_t *)pc;
    if (p[-5] == 0xe8 && goes_to_hook(t, pc + (uint64_t)relative(p - 4)))
        return 5;
    return p[-6] == 0xff && p[-5] == 0x15 && is_slot(pc + (uint64_t)relative(p - 4)) ? 6 : 0;
}

/* A nop of 6 bytes; without the first, one of 5. */
static const uint8_t nop[] = {0x66, 0x0f, 0x1f, 0x44, 0, 0};

static void take_out(uint32_t site, uint64_t pc, uint32_t length) {
    RD_CHECK(length == 5 || length == 6);
    memcpy(&here.call[site], (void *)(pc - 4), 4);
    memcpy((void *)(pc - length), nop + sizeof nop - length, length);
}

static void put_back(uint32_t site, uint64_t pc, uint32_t length) {
    static const uint8_t through_slot[] = {0xff, 0x15};
    RD_CHECK(length == 5 || length == 6);
    RD_ASSERT(memcmp((void *)(pc - length), nop + sizeof nop - length, length) == 0);
    memcpy((void *)(pc - 4), &here.call[site], 4);
    if (length == 6)
        memcpy((void *)(pc - 6), through_slot, 2);
    else
        *(uint8_t *)(pc - 5) = 0xe8;
}

#define RELOCATES(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)

#else

/* The instructions of other processors are not known: all hooks stay on. */
static uint32_t call_before(const struct patch_text *t, uint64_t pc) {
    (void)t;
    (void)pc;
    return 0;
}
static void take_out(uint32_t site, uint64_t pc, uint32_t length) { (void)site, (void)pc, (void)length; }
static void put_back(uint32_t site, uint64_t pc, uint32_t length) { (void)site, (void)pc, (void)length; }
#define RELOCATES(type) ((void)(type), false)

#endif

/* Returns whether the function is a hook that returns no value and at most announces an access. */
static bool announces(const char *name) {
    static const char *const before[] = {"unaligned_", "volatile_"}, *const kinds[] = {"read", "write", "vptr_",
                                                                                       "func_"};
    if (strncmp(name, "__tsan_", 7) != 0)
        return false;
    name += 7;
    for (unsigned i = 0; i < RD_COUNT(before); i++)
        if (strncmp(name, before[i], strlen(before[i])) == 0)
            name += strlen(before[i]);
    for (unsigned i = 0; i < RD_COUNT(kinds); i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* The symbols and relocations of a module. */
struct relocations {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls, *others; /* DT_JMPREL, DT_RELA */
    size_t calls_size, others_size;    /* in bytes */
};

static void read_slots(uint64_t base, const struct relocations *t, const ElfW(Rela) * list, size_t size) {
    for (size_t i = 0; list && i < size / sizeof *list; i++) {
        const ElfW(Sym) *s = &t->symbols[ELF64_R_SYM(list[i].r_info)];
        if (RELOCATES(ELF64_R_TYPE(list[i].r_info)) && announces(t->names + s->st_name) && here.slots < SLOTS_MAX)
            here.slot[here.slots++] = base + list[i].r_offset;
    }
}

/* The address in an entry of the dynamic section. glibc's dynamic linker has made these addresses absolute, except
 * in the vDSO, whose section is read-only. */
static const void *pointer(const struct dl_phdr_info *info, const ElfW(Dyn) * d) {
    uint64_t value = d->d_un.d_ptr;
    return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static void read_tables(const struct dl_phdr_info *info, const ElfW(Dyn) * d) {
    struct relocations t = {0};
    bool with_addends = false;
    for (; d && d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            t.symbols = pointer(info, d);
            break;
        case DT_STRTAB:
            t.names = pointer(info, d);
            break;
        case DT_JMPREL:
            t.calls = pointer(info, d);
            break;
        case DT_PLTRELSZ:
            t.calls_size = d->d_un.d_val;
            break;
        case DT_PLTREL:
            with_addends = d->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            t.others = pointer(info, d);
            break;
        case DT_RELASZ:
            t.others_size = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
    if (!t.symbols || !t.names)
        return;
    if (with_addends)
        read_slots(info->dlpi_addr, &t, t.calls, t.calls_size);
    read_slots(info->dlpi_addr, &t, t.others, t.others_size);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_DYNAMIC)
            dynamic = (const void *)start;
        if (ph->p_type == PT_LOAD && ph->p_flags & PF_X && here.texts < TEXTS_MAX)
            here.text[here.texts++] =
                (struct patch_text){.start = start,
                                    .end = start + ph->p_memsz,
                                    .how = PROT_READ | PROT_EXEC | (ph->p_flags & PF_W ? PROT_WRITE : 0)};
    }
    read_tables(info, dynamic);
    return 0;
}

static int protect(const struct patch_text *t, int how) {
    uint64_t first = t->start & ~(uint64_t)4095, end = (t->end + 4095) & ~(uint64_t)4095;
    RD_CHECK(first < end && how & PROT_EXEC);
    return mprotect((void *)first, end - first, how);
}

/* The segment with the instruction before pc. */
static struct patch_text *text_of(uint64_t pc) {
    for (uint32_t i = 0; i < here.texts; i++)
        if (pc > here.text[i].start && pc <= here.text[i].end)
            return &here.text[i];
    return NULL;
}

static bool writable(struct patch_text *t) {
    if (!t->open && !t->closed) {
        t->open = protect(t, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
        t->closed = !t->open;
    }
    return t->open;
}

static bool switch_off(uint32_t site, uint64_t pc) {
    struct patch_text *t = text_of(pc);
    uint32_t length = t ? call_before(t, pc) : 0;
    if (!length || !writable(t))
        return false;
    RD_CHECK(!here.off[site]); /* else the saved bytes would be those of a nop */
    take_out(site, pc, length);
    here.off[site] = (uint8_t)length;
    return true;
}

static void switch_on(uint32_t site, uint64_t pc) {
    struct patch_text *t = text_of(pc);
    RD_CHECK(t && writable(t));
    put_back(site, pc, here.off[site]);
    here.off[site] = 0;
    RD_ASSERT(call_before(t, pc)); /* it is a call of a hook again */
}

bool rd_patch_apply(void) {
    const struct rd_plan *plan = &rd_rt.channel->execution.plan;
    struct rd_profile *p = rd_channel_profile(rd_rt.channel);
    bool selective = rd_accesses_selective(plan->access_points) && !plan->sites_on;
    if (!here.known && !selective)
        return false;
    bool changed = !here.known;
    if (!here.known)
        dl_iterate_phdr(add_module, NULL);
    here.known = true;
    RD_ASSERT(p->site_count <= RD_SITES_MAX);
    for (uint32_t i = 0; i < p->site_count; i++) {
        bool off = selective && p->sites[i].off;
        if (off == (here.off[i] != 0))
            continue;
        changed = true;
        uint64_t pc = rd_place_address(p->sites[i].pc);
        if (!off) {
            switch_on(i, pc);
        } else if (!switch_off(i, pc)) {
            p->sites[i].off = 0;
            p->sites[i].fixed = 1;
        }
    }
    for (uint32_t i = 0; i < here.texts; i++)
        if (here.text[i].open && protect(&here.text[i], here.text[i].how) == 0)
            here.text[i].open = 0;
    return changed;
}
