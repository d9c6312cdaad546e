/*
 * cc.c - the compiler wrapper: runs the user's gcc or clang with the thread sanitizer's hooks on, and links with
 * libraddle instead of the sanitizer's own library.
 *
 * gcc gets -fsanitize=thread, and asks the linker for -ltsan; a directory with a libtsan.so of ours comes first on
 * the search path. clang would link its own runtime statically, so only the compiler proper gets the option
 * (-Xclang). clang omits the hook of the read in `x++` unless an option forbids that: without the hook no schedule
 * could show a lost update. gcc inlines small copies and comparisons without hooks; -fno-builtin-… makes them calls
 * of functions that the runtime interposes. clang is asked to note its options in the debug information, as gcc
 * does: so a translation unit that contains no access to hook is still known to be compiled with hooks
 * (symbols/unhooked_code.c).
 */
#include "cli/commands.h"
#include "cli/compiler_names.h"
#include "cli/options.h"
#include "drive/process/installed_file.h"
#include "drive/process/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDED_MAX = 64 }; /* words that the wrapper adds, and the NULL at the end */

/* The compiler to run: for "cc" and "c++" the one in RADDLE_CC or RADDLE_CXX, by default gcc. */
static const char *choose_compiler(const char *name) {
    bool cxx = strcmp(name, "c++") == 0;
    const char *wanted = getenv(cxx ? "RADDLE_CXX" : "RADDLE_CC");
    if (strcmp(name, "cc") != 0 && !cxx)
        return name;
    return wanted && *wanted ? wanted : cxx ? "g++" : "gcc";
}

/* Looks at the name of the compiler, then at the name of the file behind its links: cc may be gcc or clang. */
static bool is_clang(const char *compiler) {
    char file[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(compiler, '/');
    if (strstr(slash ? slash + 1 : compiler, "clang"))
        return true;
    if (!slash && !rd_find_in_path(compiler, file, sizeof file))
        return false;
    return realpath(slash ? compiler : file, real) && strstr(strrchr(real, '/'), "clang");
}

/* The properties of a compiler's command that decide which options are added. */
struct command {
    bool links;        /* the linker is run: no -c, -S, -E … */
    bool debug;        /* the command has an option -g */
    bool is_static;    /* the program is linked statically */
    bool has_no_input; /* no file is named: gcc --version */
};

static bool is_one_of(const char *word, const char *words) {
    size_t n = strlen(word);
    for (const char *w = words; *w;) {
        size_t k = strcspn(w, " ");
        if (k == n && memcmp(w, word, n) == 0)
            return true;
        w += k + (w[k] == ' ');
    }
    return false;
}

static struct command scan_arguments(char **args) {
    struct command c = {.links = true, .has_no_input = true};
    for (; *args; args++) {
        const char *a = *args;
        if (is_one_of(a, "-c -S -E -M -MM -fsyntax-only"))
            c.links = false;
        if (is_one_of(a, "-static -static-pie -static-libtsan"))
            c.is_static = true;
        if (strncmp(a, "-g", 2) == 0 && strncmp(a, "-gcc", 4) != 0)
            c.debug = true;
        if (a[0] != '-')
            c.has_no_input = false;
    }
    return c;
}

/* The command that is being put together. The process ends with it, so nothing is freed. */
struct words {
    char **at; /* NULL after the last word */
    size_t count, room;
};

static void add(struct words *w, const char *word) {
    RD_CHECK(w->count + 1 < w->room);
    w->at[w->count++] = (char *)word;
}

static void add_text(struct words *w, const char *format, const char *dir) {
    char *s = NULL;
    if (asprintf(&s, format, dir) < 0)
        abort();
    add(w, s);
}

/*
 * Functions that gcc replaces by loads and stores of its own, or by another function of this list, after it has put
 * the hooks in: such accesses would have none.
 */
static const char *const not_built_in[] = {
    "memcpy",  "memmove", "memset",  "memcmp", "mempcpy", "memchr",     "strcpy",      "stpcpy",   "strncpy",
    "stpncpy", "strcat",  "strncat", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strlen",   "strnlen",
    "strchr",  "strrchr", "index",   "rindex", "strstr",  "strspn",     "strcspn",     "strpbrk",  "strdup",
    "strndup", "bcmp",    "bcopy",   "bzero",  "sprintf", "snprintf",   "vsprintf",    "vsnprintf"};

static void add_compiler_options(struct words *w, const struct command *c, bool clang, const char *dir) {
    /* -Wtsan warns that atomic_thread_fence is not supported; raddle supports it */
    static const char *const for_gcc[] = {"-fsanitize=thread", "-Wno-tsan", "-fno-optimize-sibling-calls"};
    static const char *const for_clang[] = {
        "--start-no-unused-arguments",
        "-Xclang",
        "-fsanitize=thread",
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
#if defined(__x86_64__)
        "-mprefer-vector-width=128", /* it puts no hook before an access of 32 bytes, as loops would make them */
#endif
        "-grecord-command-line", /* the record has the options and the language (symbols/compiler_record.h) */
        "--end-no-unused-arguments"
    };
    for (unsigned i = 0; clang && i < RD_COUNT(for_clang); i++)
        add(w, for_clang[i]);
    for (unsigned i = 0; !clang && i < RD_COUNT(for_gcc); i++)
        add(w, for_gcc[i]);
    for (unsigned i = 0; !clang && i < RD_COUNT(not_built_in); i++)
        add_text(w, "-fno-builtin-%s", not_built_in[i]);
    if (!c->debug)
        add(w, "-g");
    if (clang)
        add(w, "--start-no-unused-arguments");
    static char include[PATH_MAX];
    if (rd_installed_file("include/.", RADDLE_INCLUDEDIR "/.", include)) /* the folder of raddle.h */
        add_text(w, "-idirafter%s", include);
    if (clang)
        add(w, "--end-no-unused-arguments");
    if (c->links && !clang)
        add_text(w, "-L%s/link-gcc", dir);
}

static void add_linker_options(struct words *w, const struct command *c, bool clang, const char *dir) {
    if (!c->links)
        return;
    if (clang) {
        add_text(w, "-L%s", dir);
        add(w, "-lraddle");
    }
    add_text(w, "-Wl,-rpath,%s", dir);
}

static size_t count_words(char **args) {
    size_t n = 0;
    while (args[n])
        n++;
    return n;
}

/* Becomes the command; returns only if that failed. */
static int run_command(char **args) {
    execvp(args[0], args);
    return rd_trouble("cannot run '%s': %s", args[0], strerror(errno));
}

int rd_cmd_cc(char **args) {
    size_t before = rd_compiler_words(args), count = count_words(args);
    if (!before) /* a launcher without a compiler: ccache -s */
        return run_command(args);
    const char *compiler = choose_compiler(args[before - 1]);
    bool clang = is_clang(compiler);
    struct command c = scan_arguments(args + before);
    const char *library = rd_library_path();
    if (!library)
        return rd_trouble("cannot find 'libraddle.so' beside the driver");
    if (c.is_static && !c.has_no_input)
        return rd_trouble("%s: a static program cannot be controlled; link it dynamically", args[before - 1]);
    static struct words w;
    static char dir[PATH_MAX];
    w.room = count + ADDED_MAX;
    w.at = calloc(w.room, sizeof *w.at);
    if (!w.at)
        abort();
    snprintf(dir, sizeof dir, "%s", library);
    *strrchr(dir, '/') = 0;
    for (size_t i = 0; i + 1 < before; i++)
        add(&w, args[i]);
    add(&w, compiler);
    if (!c.has_no_input)
        add_compiler_options(&w, &c, clang, dir);
    for (size_t i = before; i < count; i++)
        add(&w, args[i]);
    if (!c.has_no_input && !clang) {
        /* its versions are gcc's own copies, whatever not_built_in says; given twice for -D and for -Wp,-D */
        add(&w, "-U_FORTIFY_SOURCE");
        add(&w, "-Wp,-U_FORTIFY_SOURCE");
    }
    if (!c.has_no_input)
        add_linker_options(&w, &c, clang, dir);
    return run_command(w.at);
}

#define COMPILER_PAGE(NAME, SUMMARY) \
    { .name = NAME, .arguments = "OPTIONS...", .summary = SUMMARY, .description = description }

static const char description[] =
    "Compiles and links as gcc does, so that Raddle controls the program at every access to memory. Nothing in the "
    "source changes, and the program still runs without Raddle.\n"
    "\n"
    "  make CC=\"raddle cc\" CXX=\"raddle c++\"            gcc and g++, or what RADDLE_CC and RADDLE_CXX name\n"
    "  make CC=\"raddle clang\" CXX=\"raddle clang++\"     any compiler: 'raddle' before its name\n"
    "  CC=raddle-cc CXX=raddle-c++ ./configure           where a command of one word is needed\n"
    "  cmake -DCMAKE_C_COMPILER_LAUNCHER=raddle -DCMAKE_C_LINKER_LAUNCHER=raddle ...   (CXX likewise)\n"
    "  raddle ccache gcc -c x.c                          before a launcher, too\n"
    "\n"
    "Compile every part with it: the program, its libraries as far as they are yours, the test framework. The "
    "claim of "
    "a run names code that was not. -O1 -g is a good choice: reports have names and lines, and executions are "
    "short. "
    "CMake's Release and RelWithDebInfo define NDEBUG, which removes assert.\n"
    "\n"
    "What it adds: the hooks of the thread sanitizer (-fsanitize=thread), with libraddle in the place of the "
    "sanitizer's own library; options with which the compiler leaves memcpy, strlen and their relatives as calls; "
    "-g if "
    "no -g is given; a run path to libraddle. _FORTIFY_SOURCE is off. Other sanitizers cannot be combined with it.";

const struct rd_command rd_command_cc =
    COMPILER_PAGE("cc", "compile C so that every memory access is under control");
const struct rd_command rd_command_cxx =
    COMPILER_PAGE("c++", "the same for C++; also 'raddle clang++', 'raddle ccache gcc'");
