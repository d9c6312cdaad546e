/*
 * preludes.h - actions that programs perform before their main work. The library is preloaded; the variable PRELUDE
 * names the action that runs when all libraries are loaded, before the first code of the program, as if a
 * constructor of the program ran it. Child processes of the program and raddle itself do not run it.
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
        abort(); /* the test asks for an action that does not exist */
    unsetenv("PRELUDE");
    unsetenv("LD_PRELOAD");
    all[i].run();
}

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

/* The last call is a jump (-O2), so the stack of main begins where it does without this library. */
#define PRELUDES(all)                                                                                     \
    int __libc_start_main(main_function f, int argc, char **argv, void (*init)(void), void (*fini)(void), \
                          void (*rtld_fini)(void), void *end) {                                           \
        start_function next = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");                      \
        run_prelude(all, sizeof all / sizeof *all);                                                       \
        return next(f, argc, argv, init, fini, rtld_fini, end);                                           \
    }
