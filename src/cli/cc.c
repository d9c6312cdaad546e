/*
 * cc.c - the compiler wrapper: the user's gcc or clang with the thread sanitizer's hooks on, linked with libraddle
 * instead of the sanitizer's own library.
 *
 * gcc takes -fsanitize=thread as it is and asks the linker for -ltsan; a directory with a libtsan.so of ours comes
 * first on the search path. clang would link its own runtime statically, so only its compiler proper is told
 * (-Xclang). clang also drops the read of `x++` unless it is told not to: a lost update could not be interleaved.
 */
#include "cli/commands.h"
#include "cli/options.h"
#include "drive/worker.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXTRA = 24 };

static const char *choose(const char *name) {
    bool cxx = strcmp(name, "c++") == 0;
    const char *wanted = getenv(cxx ? "RADDLE_CXX" : "RADDLE_CC");
    if (strcmp(name, "cc") != 0 && !cxx)
        return name;
    return wanted && *wanted ? wanted : cxx ? "g++" : "gcc";
}

static bool is_clang(const char *compiler) {
    char real[PATH_MAX];
    const char *slash = strrchr(compiler, '/');
    if (strstr(slash ? slash + 1 : compiler, "clang"))
        return true;
    return slash && realpath(compiler, real) && strstr(strrchr(real, '/'), "clang");
}

struct command {
    bool links, compiles, debug, is_static, nothing;
};

static bool one_of(const char *word, const char *words) {
    size_t n = strlen(word);
    for (const char *w = words; *w;) {
        size_t k = strcspn(w, " ");
        if (k == n && memcmp(w, word, n) == 0)
            return true;
        w += k + (w[k] == ' ');
    }
    return false;
}

static struct command look(char **args) {
    struct command c = {.links = true, .nothing = true};
    for (; *args; args++) {
        const char *a = *args;
        if (one_of(a, "-c -S -E -M -MM -fsyntax-only"))
            c.links = false;
        if (one_of(a, "-static -static-pie -static-libtsan"))
            c.is_static = true;
        if (strncmp(a, "-g", 2) == 0 && strncmp(a, "-gcc", 4) != 0)
            c.debug = true;
        if (a[0] != '-')
            c.nothing = false;
        const char *dot = strrchr(a, '.');
        if (a[0] != '-' && dot && one_of(dot + 1, "c cc cpp cxx C c++ i ii s S m"))
            c.compiles = true;
    }
    return c;
}

static char *text(const char *format, const char *a) {
    char *s = NULL;
    if (asprintf(&s, format, a) < 0)
        abort();
    return s;
}

static size_t add(char **to, size_t n, const char *word) {
    to[n] = (char *)word;
    return n + 1;
}

int rd_cmd_cc(const char *name, char **args) {
    const char *compiler = choose(name);
    bool clang = is_clang(compiler);
    struct command c = look(args);
    const char *library = rd_library_path();
    if (!library)
        return rd_trouble("cannot find 'libraddle.so' beside the driver");
    if (c.is_static && !c.nothing)
        return rd_trouble("%s: a static program cannot be controlled; link it dynamically", name);
    size_t count = 0;
    while (args[count])
        count++;
    char **all = calloc(count + EXTRA, sizeof *all);
    if (!all)
        abort();
    char *dir = strdup(library);
    *strrchr(dir, '/') = 0;
    size_t n = add(all, 0, compiler);
    if (!c.nothing) {
        if (clang) {
            n = add(all, n, "--start-no-unused-arguments");
            n = add(all, n, "-Xclang");
            n = add(all, n, "-fsanitize=thread");
            n = add(all, n, "-mllvm");
            n = add(all, n, "-tsan-instrument-read-before-write=1");
            n = add(all, n, "--end-no-unused-arguments");
        } else {
            n = add(all, n, "-fsanitize=thread");
            n = add(all, n, "-Wno-tsan"); /* "atomic_thread_fence is not supported": here it is */
        }
        if (!c.debug)
            n = add(all, n, "-g");
        if (c.links && !clang)
            n = add(all, n, text("-L%s/cc", dir));
    }
    memcpy(all + n, args, count * sizeof *all);
    n += count;
    if (!c.nothing && c.links) {
        if (clang) {
            n = add(all, n, text("-L%s", dir));
            n = add(all, n, "-lraddle");
        }
        n = add(all, n, text("-Wl,-rpath,%s", dir));
    }
    execvp(compiler, all);
    return rd_trouble("cannot run '%s': %s", compiler, strerror(errno));
}
