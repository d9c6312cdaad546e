/*
 * cc.c - the compiler wrapper: the user's gcc or clang with the thread sanitizer's hooks on, linked with libraddle
 * instead of the sanitizer's own library.
 *
 * gcc takes -fsanitize=thread as it is and asks the linker for -ltsan; a directory with a libtsan.so of ours comes
 * first on the search path. clang would link its own runtime statically, so only its compiler proper is told
 * (-Xclang). clang also drops the read of `x++` unless it is told not to: a lost update could not be interleaved.
 * gcc puts small copies and comparisons into the code without a hook, unless they are calls; those are interposed.
 * clang is asked to note its options in the debug information, as gcc does: so a unit that has nothing to be hooked
 * is known to be seen (symbols/unhooked_code.c).
 */
#include "cli/commands.h"
#include "cli/compiler_names.h"
#include "cli/options.h"
#include "drive/process/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXTRA = 40 };

static const char *choose(const char *name) {
    bool cxx = strcmp(name, "c++") == 0;
    const char *wanted = getenv(cxx ? "RADDLE_CXX" : "RADDLE_CC");
    if (strcmp(name, "cc") != 0 && !cxx)
        return name;
    return wanted && *wanted ? wanted : cxx ? "g++" : "gcc";
}

/* Where the program is that a name without a path stands for. */
static bool find_in_path(const char *name, char *to, size_t room) {
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        if ((size_t)snprintf(to, room, "%.*s/%s", (int)n, p, name) < room && access(to, X_OK) == 0)
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

/* By its name, or by that of the file which the name stands for: cc may be either. */
static bool is_clang(const char *compiler) {
    char file[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(compiler, '/');
    if (strstr(slash ? slash + 1 : compiler, "clang"))
        return true;
    if (!slash && !find_in_path(compiler, file, sizeof file))
        return false;
    return realpath(slash ? compiler : file, real) && strstr(strrchr(real, '/'), "clang");
}

struct command {
    bool links, debug, is_static, nothing;
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
    }
    return c;
}

/* The command that is put together; freed with the process. */
struct words {
    char **at;
    size_t count;
};

static void add(struct words *w, const char *word) { w->at[w->count++] = (char *)word; }

static void add_text(struct words *w, const char *format, const char *dir) {
    char *s = NULL;
    if (asprintf(&s, format, dir) < 0)
        abort();
    w->at[w->count++] = s;
}

static void add_before(struct words *w, const struct command *c, bool clang, const char *dir) {
    /* -Wtsan says that atomic_thread_fence is not supported: here it is */
    static const char *const for_gcc[] = {"-fsanitize=thread",          "-Wno-tsan",
                                          "-fno-builtin-memcpy",        "-fno-builtin-memmove",
                                          "-fno-builtin-memset",        "-fno-builtin-memcmp",
                                          "-fno-builtin-mempcpy",       "-fno-builtin-memchr",
                                          "-fno-builtin-strcpy",        "-fno-builtin-stpcpy",
                                          "-fno-builtin-strncpy",       "-fno-builtin-strcat",
                                          "-fno-builtin-strncat",       "-fno-builtin-strcmp",
                                          "-fno-builtin-strncmp",       "-fno-builtin-strlen",
                                          "-fno-builtin-strchr",        "-fno-builtin-strrchr",
                                          "-fno-optimize-sibling-calls"};
    static const char *const for_clang[] = {
        "--start-no-unused-arguments",
        "-Xclang",
        "-fsanitize=thread",
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
        "-grecord-command-line", /* it names the language (symbols/compiler_record.h) */
        "--end-no-unused-arguments"};
    for (unsigned i = 0; clang && i < RD_COUNT(for_clang); i++)
        add(w, for_clang[i]);
    for (unsigned i = 0; !clang && i < RD_COUNT(for_gcc); i++)
        add(w, for_gcc[i]);
    if (!c->debug)
        add(w, "-g");
    if (clang)
        add(w, "--start-no-unused-arguments");
    add_text(w, "-idirafter%s/../include", dir); /* raddle.h: beside the build, or where it was installed */
    add_text(w, "-idirafter%s/../../include", dir);
    if (clang)
        add(w, "--end-no-unused-arguments");
    if (c->links && !clang)
        add_text(w, "-L%s/cc", dir);
}

static void add_after(struct words *w, const struct command *c, bool clang, const char *dir) {
    if (!c->links)
        return;
    if (clang) {
        add_text(w, "-L%s", dir);
        add(w, "-lraddle");
    }
    add_text(w, "-Wl,-rpath,%s", dir);
}

static size_t length_of(char **args) {
    size_t n = 0;
    while (args[n])
        n++;
    return n;
}

/* The compiler's command without anything added to it: nothing is compiled or linked. */
static int run_as_it_is(char **args) {
    execvp(args[0], args);
    return rd_trouble("cannot run '%s': %s", args[0], strerror(errno));
}

int rd_cmd_cc(char **args) {
    size_t before = rd_compiler_words(args), count = length_of(args);
    if (!before) /* a launcher that starts no compiler: ccache -s */
        return run_as_it_is(args);
    const char *compiler = choose(args[before - 1]);
    bool clang = is_clang(compiler);
    struct command c = look(args + before);
    const char *library = rd_library_path();
    if (!library)
        return rd_trouble("cannot find 'libraddle.so' beside the driver");
    if (c.is_static && !c.nothing)
        return rd_trouble("%s: a static program cannot be controlled; link it dynamically", args[before - 1]);
    static struct words w;
    static char dir[PATH_MAX];
    w.at = calloc(count + EXTRA, sizeof *w.at);
    if (!w.at)
        abort();
    snprintf(dir, sizeof dir, "%s", library);
    *strrchr(dir, '/') = 0;
    for (size_t i = 0; i + 1 < before; i++)
        add(&w, args[i]);
    add(&w, compiler);
    if (!c.nothing)
        add_before(&w, &c, clang, dir);
    for (size_t i = before; i < count; i++)
        add(&w, args[i]);
    if (!c.nothing)
        add_after(&w, &c, clang, dir);
    return run_as_it_is(w.at);
}
