/*
 * program_changes.c - changed program files: other bytes in the headers, the tables of sections and segments,
 * notes, symbol tables and debug information of a real program.
 */
#include "fuzz_files.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A part of the file. */
struct file_part {
    uint64_t at, size;
};

static void part(struct file_part *p, uint64_t at, uint64_t size) { *p = (struct file_part){at, size}; }

/* Chooses a part of the (sound) file: headers in one of three cases, else a section that is not code of the
 * machine. */
static struct file_part some_part(struct files_bytes b, struct rd_rng *r) {
    Elf64_Ehdr head;
    Elf64_Shdr section, names;
    struct file_part p = {0, sizeof head};
    memcpy(&head, b.data, sizeof head);
    uint32_t kind = rd_rng_below(r, 9);
    if (kind == 1)
        part(&p, head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr));
    else if (kind == 2)
        part(&p, head.e_shoff, (uint64_t)head.e_shnum * sizeof section);
    memcpy(&names, b.data + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
    for (unsigned tries = 200; kind > 2 && tries--;) {
        uint32_t i = rd_rng_below(r, head.e_shnum);
        memcpy(&section, b.data + head.e_shoff + i * sizeof section, sizeof section);
        const char *name = (const char *)b.data + names.sh_offset + section.sh_name;
        bool wanted = strncmp(name, ".debug_", 7) == 0 || section.sh_type == SHT_NOTE ||
                      section.sh_type == SHT_SYMTAB || section.sh_type == SHT_STRTAB ||
                      section.sh_type == SHT_DYNSYM || section.sh_type == SHT_DYNAMIC ||
                      strcmp(name, ".eh_frame") == 0;
        if (!wanted || !section.sh_size)
            continue;
        part(&p, section.sh_offset, section.sh_size);
        break;
    }
    return p;
}

/* Overwrites 1, 2, 4 or 8 bytes with a boundary, a number near the old one, or anything. */
static void overwrite(struct files_bytes b, struct file_part p, struct rd_rng *r) {
    static const uint64_t boundaries[] = {
        0,          1,          2,          3,         4,          8,          0x10,
        0x7f,       0x80,       0xff,       0x7fff,    0x8000,     0xffff,     0x7fffffff,
        0x80000000, 0xffffffff, 0xfffffff0, INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 7};
    size_t size = (size_t)1 << rd_rng_below(r, 4);
    uint64_t at = p.at + rd_rng_next(r) % p.size, value = 0;
    if (rd_rng_below(r, 2))
        at &= ~(uint64_t)(size - 1);
    if (at > b.size || size > b.size - at)
        return;
    memcpy(&value, b.data + at, size);
    switch (rd_rng_below(r, 4)) {
    case 0:
        value = rd_rng_next(r);
        break;
    case 1:
        value += rd_rng_below(r, 33) - 16;
        break;
    case 2:
        value ^= 1ull << rd_rng_below(r, 8 * (uint32_t)size);
        break;
    default:
        value = boundaries[rd_rng_below(r, RD_COUNT(boundaries))];
    }
    memcpy(b.data + at, &value, size);
}

struct files_bytes files_change_program(const struct files_corpus *c, struct rd_rng *r, uint32_t *which) {
    *which = rd_rng_below(r, c->count);
    struct files_bytes from = c->pairs[*which].program, b = {malloc(from.size + 1), from.size};
    memcpy(b.data, from.data, from.size + 1);
    for (uint32_t n = 1 + rd_rng_below(r, 3); n--;) {
        struct file_part p = some_part(from, r);
        for (uint32_t k = 1 + rd_rng_below(r, 4); k-- && p.size;)
            overwrite(b, p, r);
    }
    if (rd_rng_below(r, 32) == 0)
        b.size = rd_rng_below(r, (uint32_t)b.size + 1); /* cut off */
    return b;
}
