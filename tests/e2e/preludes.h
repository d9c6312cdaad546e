/*
 * What programs do before they come to the point. The library is preloaded; the variable PRELUDE names what is done
 * once everything is loaded and before the first code of the program: as if a constructor of the program's did it.
 * Children of the program, and raddle itself, do nothing of the sort.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct prelude {
    const char *name;
    void (*run)(void);
};

static void run_prelude(const struct prelude *all, size_t count) {
    const char *wanted = getenv("PRELUDE");
    size_t i = 0;
    if (!wanted || strcmp(program_invocation_short_name, "raddle") == 0)
        return;
    while (i < count && strcmp(all[i].name, wanted) != 0)
        i++;
    if (i == count)
        abort(); /* the test wants one that there is not */
    unsetenv("PRELUDE");
    unsetenv("LD_PRELOAD");
    all[i].run();
}

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

/* The last call is a jump (-O2): the stack of main begins where it does without this library. */
#define PRELUDES(all)                                                                                     \
    int __libc_start_main(main_function f, int argc, char **argv, void (*init)(void), void (*fini)(void), \
                          void (*rtld_fini)(void), void *end) {                                           \
        start_function next = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");                      \
        run_prelude(all, sizeof all / sizeof *all);                                                       \
        return next(f, argc, argv, init, fini, rtld_fini, end);                                           \
    }
