/*
 * compiler_names.c - see compiler_names.h. A user who types `raddle gcc-12 …`, or sets raddle as the compiler
 * launcher of a build, wants the compiler wrapped. Testing the compiler itself instead, and reporting a run without
 * bugs, would be the worst answer.
 */
#include "cli/compiler_names.h"

#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins(const char *text, size_t n, const char *with) {
    size_t k = strlen(with);
    return n >= k && memcmp(text, with, k) == 0;
}

/* The length of the name without a version at its end: "-14", "-12.2.0", "-mp-16". */
static size_t without_version(const char *name) {
    size_t n = strlen(name), k = n;
    while (k && ((name[k - 1] >= '0' && name[k - 1] <= '9') || name[k - 1] == '.'))
        k--;
    if (k == n || k < 2 || name[k - 1] != '-')
        return n;
    k--;
    if (k > 3 && memcmp(name + k - 3, "-mp", 3) == 0)
        k -= 3;
    return k;
}

/* Is this the prefix of a cross compiler's name, without the last dash: "x86_64-linux-gnu", "musl"? */
static bool is_machine(const char *prefix, size_t n) {
    static const char *const machines[] = {"x86_64",    "amd64", "i386", "i486",  "i586", "i686", "aarch64",
                                           "arm",       "riscv", "ppc",  "power", "s390", "mips", "sparc",
                                           "loongarch", "alpha", "hppa", "m68k",  "sh4",  "ia64"};
    if (n == 4 && memcmp(prefix, "musl", 4) == 0)
        return true;
    for (size_t i = 0; i < RD_COUNT(machines); i++)
        if (begins(prefix, n, machines[i]) && memchr(prefix, '-', n))
            return true;
    return false;
}

bool rd_compiler_is(const char *word) {
    static const char *const names[] = {"cc", "c++", "gcc", "g++", "clang", "clang++", "c89", "c99", "c11", "c17"};
    const char *base = base_name(word);
    size_t n = without_version(base);
    for (size_t i = 0; i < RD_COUNT(names); i++) {
        size_t k = strlen(names[i]);
        if (n < k || memcmp(base + n - k, names[i], k) != 0)
            continue;
        if (n == k || (n > k + 1 && base[n - k - 1] == '-' && is_machine(base, n - k - 1)))
            return true;
    }
    return strcmp(base, "c89-gcc") == 0 || strcmp(base, "c99-gcc") == 0;
}

bool rd_compiler_launches(const char *word) {
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "icerun", "buildcache"};
    for (size_t i = 0; i < RD_COUNT(names); i++)
        if (strcmp(base_name(word), names[i]) == 0)
            return true;
    return false;
}

size_t rd_compiler_words(char **args) {
    size_t n = 0;
    while (args[n] && rd_compiler_launches(args[n])) {
        n++;
        while (args[n] && strchr(args[n], '=')) /* ccache takes settings before the compiler */
            n++;
    }
    return args[n] && rd_compiler_is(args[n]) ? n + 1 : 0;
}
