/*
 * demangle.c - readable C++ names. The demangler is that of the C++ runtime library. The driver is C and not linked
 * to it, so it loads the library when it meets the first mangled name: reports about C programs do not pay for it,
 * and on a machine without the library names stay mangled.
 */
#include "symbols/symbols.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

/* The demangler; NULL: there is none. */
static demangler *bind(void) {
    static demangler *found;
    static bool tried;
    if (tried)
        return found;
    tried = true;
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        *(void **)&found = dlsym(library, "__cxa_demangle");
    return found;
}

char *rd_demangle(const char *name) {
    demangler *f = strncmp(name, "_Z", 2) == 0 ? bind() : NULL;
    int status = 0;
    char *readable = f ? f(name, NULL, NULL, &status) : NULL;
    return readable ? readable : strdup(name);
}

static bool ends_with(const char *text, size_t n, const char *end) {
    size_t m = strlen(end);
    return n > m && strncmp(text + n - m, end, m) == 0;
}

/* Removes one "(…)" from the end, if a name remains. */
static void strip_parameters(char *name) {
    size_t n = strlen(name), depth = 0, at = n;
    if (n == 0 || name[n - 1] != ')')
        return;
    while (at > 0) {
        at--;
        depth += name[at] == ')';
        if (name[at] == '(' && --depth == 0)
            break;
    }
    if (at > 0 && !ends_with(name, at, "operator") && strcmp(name + at, "(anonymous namespace)") != 0)
        name[at] = 0;
}

/* The start of the name after a return type, which the names of instantiated templates have. */
static const char *after_return_type(const char *name) {
    const char *start = name;
    int depth = 0;
    for (const char *p = name; *p && strncmp(p, "operator", 8) != 0; p++) {
        depth += *p == '<' || *p == '(' || *p == '{';
        depth -= *p == '>' || *p == ')' || *p == '}';
        if (*p == ' ' && depth == 0)
            start = p + 1;
    }
    return start;
}

/* Removes every "(…)" before "::": the parameters of a function that the named entity is local to. */
static void strip_scopes(char *name) {
    for (char *p = name; *p; p++) {
        if (*p != '(' || strncmp(p, "(anonymous", 10) == 0)
            continue;
        int depth = 0;
        char *q = p;
        do {
            depth += *q == '(';
            depth -= *q == ')';
            q++;
        } while (*q && depth > 0);
        if (strncmp(q, " const::", 8) == 0)
            q += 6;
        if (strncmp(q, "::", 2) == 0 && !ends_with(name, (size_t)(p - name), "operator"))
            memmove(p, q, strlen(q) + 1);
    }
}

/* "void a::f<int>(b (*)(c)) const [clone .cold]" becomes "a::f<int>". */
void rd_demangle_strip(char *name) {
    static const char *const after[] = {" const", " volatile", " &", " &&", "[abi:cxx11]"};
    char *clone = strstr(name, " [clone ");
    if (clone)
        *clone = 0;
    for (size_t i = 0; i < RD_COUNT(after); i++) { /* qualifiers that can follow the parameters */
        size_t n = strlen(name);
        if (ends_with(name, n, after[i]))
            name[n - strlen(after[i])] = 0;
    }
    strip_parameters(name);
    strip_scopes(name);
    const char *start = after_return_type(name);
    memmove(name, start, strlen(start) + 1);
}
