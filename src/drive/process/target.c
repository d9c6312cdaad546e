/*
 * target.c - checks the file of the program before a process is started, and refuses with a reason a program that
 * Raddle cannot run: a script, a program for another machine, a static program (Raddle enters through the dynamic
 * linker, LD_PRELOAD).
 */
#include "drive/process/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
#error "raddle knows x86-64 and aarch64"
#endif

/* The absolute path of a program. A name without a slash is searched for in PATH, as a shell does. */
static bool find_program(const char *name, char *to) {
    if (strchr(name, '/'))
        return realpath(name, to) != NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
        if (access(candidate, X_OK) == 0 && realpath(candidate, to))
            return true;
        p += n + (p[n] == ':');
    }
    errno = ENOENT;
    return false;
}

static void hash_file(struct rd_target *t, const unsigned char *data, size_t size) {
    uint64_t a = size, b = ~size;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, data + i, RD_MIN(size - i, sizeof word));
        a = rd_hash2(a, word);
        b = rd_hash2(b, ~word);
    }
    memcpy(t->build_id, &a, 8);
    memcpy(t->build_id + 8, &b, 8);
    t->build_id_size = 16;
}

/* Reads the notes of one segment. False: the build ID is not among them. */
static bool find_build_id(struct rd_target *t, const unsigned char *data, size_t from, size_t size) {
    for (size_t at = from; at + sizeof(Elf64_Nhdr) <= from + size;) {
        Elf64_Nhdr n;
        memcpy(&n, data + at, sizeof n);
        size_t name = at + sizeof n, desc = name + ((n.n_namesz + 3u) & ~3u);
        if (desc + n.n_descsz > from + size)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(data + name, "GNU", 4) == 0) {
            t->build_id_size = (uint8_t)RD_MIN(n.n_descsz, sizeof t->build_id);
            memcpy(t->build_id, data + desc, t->build_id_size);
            return true;
        }
        at = desc + ((n.n_descsz + 3u) & ~3u);
    }
    return false;
}

static bool holds(const unsigned char *data, size_t size, const char *text) {
    return memmem(data, size, text, strlen(text)) != NULL;
}

/*
 * Is an OpenMP runtime linked in statically? Raddle has no hooks in such a runtime. It is recognised by the names
 * of environment variables that libgomp and libomp read.
 */
static bool has_openmp(const unsigned char *data, size_t size) {
    return (holds(data, size, "GOMP_SPINCOUNT") && holds(data, size, "libgomp: ")) ||
           (holds(data, size, "KMP_BLOCKTIME") && holds(data, size, "KMP_AFFINITY"));
}

/* Checks the ELF file and finds its build ID. Returns NULL, or the reason why Raddle cannot run it. */
static const char *check_elf(struct rd_target *t, const unsigned char *data, size_t size) {
    Elf64_Ehdr h;
    if (size >= 2 && data[0] == '#' && data[1] == '!')
        return "it is a script; name the program that the script starts";
    if (size < sizeof h || memcmp(data, ELFMAG, SELFMAG) != 0)
        return "it is not an ELF program";
    memcpy(&h, data, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != MACHINE)
        return "it is for another machine";
    if (h.e_type != ET_EXEC && h.e_type != ET_DYN)
        return "it is not a program";
    bool interpreter = false, known = false;
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        size_t at = h.e_phoff + (size_t)i * h.e_phentsize;
        if (at + sizeof p > size)
            return "it is damaged";
        memcpy(&p, data + at, sizeof p);
        interpreter |= p.p_type == PT_INTERP;
        if (p.p_type == PT_NOTE && p.p_offset < size && p.p_filesz <= size - p.p_offset)
            known |= find_build_id(t, data, p.p_offset, p.p_filesz);
    }
    if (!interpreter)
        return h.e_type == ET_DYN ? "it is a library or a static program; link it dynamically"
                                  : "it is statically linked; link it dynamically";
    if (has_openmp(data, size))
        return "it has the OpenMP runtime linked in, which raddle cannot control; link that dynamically "
               "(docs/openmp.md)";
    if (!known)
        hash_file(t, data, size);
    return NULL;
}

int rd_target_open(struct rd_target *t, char **args, struct rd_error *error) {
    memset(t, 0, sizeof *t);
    t->args = args;
    while (args[t->arg_count])
        t->arg_count++;
    if (!find_program(args[0], t->path)) {
        rd_error_set(error, "cannot find '%s': %s", args[0], strerror(errno));
        return -1;
    }
    if (!getcwd(t->cwd, sizeof t->cwd)) {
        rd_error_set(error, "cannot tell the current directory: %s", strerror(errno));
        return -1;
    }
    struct stat st;
    int fd = open(t->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        rd_error_set(error, "cannot open '%s': %s", args[0], strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    const char *wrong = NULL;
    if (S_ISDIR(st.st_mode))
        wrong = "it is a directory";
    else if (!S_ISREG(st.st_mode) || st.st_size == 0)
        wrong = "it is not an ELF program";
    void *data = wrong ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (!wrong && data == MAP_FAILED)
        wrong = strerror(errno);
    else if (!wrong) {
        wrong = check_elf(t, data, (size_t)st.st_size);
        munmap(data, (size_t)st.st_size);
    }
    if (!wrong && access(t->path, X_OK) != 0)
        wrong = strerror(errno);
    if (!wrong && (st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0 && st.st_uid != geteuid())
        wrong = "it is set-user-ID or set-group-ID, and the system does not let another library in";
    if (wrong)
        rd_error_set(error, "cannot run '%s': %s", args[0], wrong);
    return wrong ? -1 : 0;
}
