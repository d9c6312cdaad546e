/*
 * The code that runs at the end of a program, and its order. The first argument is the case, the others are
 * libraries: `ends` prints a line when it is unloaded, `silent` prints none. Output is not buffered, unless the
 * case is about that.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *what, *ends, *silent;
static void *early;
static int turns, only; /* only: a library registers no handler, so only its destructor prints */

static int is(const char *name) { return strcmp(what, name) == 0; }

static void say(const char *text) { assert(write(1, text, strlen(text)) == (ssize_t)strlen(text)); }

static void one(void) { say("one\n"); }
static void two(void) { say("two\n"); }
static void number(int status, void *arg) {
    char text[] = "status 0, argument 0\n";
    text[7] = (char)('0' + status);
    text[19] = (char)('0' + (intptr_t)arg);
    say(text);
}

static void adds(void) {
    say("adds\n");
    assert(atexit(two) == 0);
    assert(on_exit(number, (void *)4) == 0);
}

static void leaves(void) {
    say("leaves\n");
    exit(0); /* the remaining handlers still run, once each */
}

static void *takes(void *arg) {
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void starts(void) {
    pthread_t t;
    pthread_create(&t, NULL, takes, NULL);
    pthread_join(t, NULL);
    say(turns == 3 ? "started\n" : "not all\n");
}

static void *load(const char *path, int other_list) {
    void *library = other_list ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
    if (!library)
        say(dlerror());
    assert(library);
    void (*begin)(void) = (void (*)(void))dlsym(library, "begin");
    if (begin && !only)
        begin();
    return library;
}

/* Runs in one of the threads, whichever comes first. */
static void act(void) {
    if (is("thread"))
        assert(atexit(one) == 0 && on_exit(number, (void *)1) == 0 && atexit(two) == 0);
    if (is("exit in a thread"))
        exit(0);
    if (is("quick"))
        quick_exit(0);
    if (is("library in a thread"))
        load(ends, 0);
    if (is("other list in a thread"))
        load(ends, 1);
    if (is("closed in a thread"))
        dlclose(load(ends, 0));
    if (is("other list closed"))
        dlclose(load(ends, 1));
    if (is("one for another")) { /* as many libraries as before, but not the same */
        dlclose(early);
        load(ends, 0);
    }
    if (is("early closed"))
        dlclose(early);
    if (is("buffered"))
        printf("no end of line");
}

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    if (turns++ == 0)
        act();
    pthread_mutex_unlock(&lock);
    return arg;
}

static void before(void) {
    if (is("handlers"))
        assert(atexit(one) == 0 && on_exit(number, (void *)1) == 0 && atexit(two) == 0);
    if (is("handler adds"))
        assert(atexit(one) == 0 && atexit(adds) == 0);
    if (is("handler leaves"))
        assert(atexit(one) == 0 && atexit(leaves) == 0 && atexit(two) == 0);
    if (is("handler starts"))
        assert(atexit(one) == 0 && atexit(starts) == 0);
    if (is("exit in a thread"))
        assert(atexit(one) == 0);
    if (is("quick"))
        assert(atexit(one) == 0 && at_quick_exit(two) == 0);
    if (is("library") || is("early closed"))
        early = load(ends, 0);
    if (is("other list"))
        early = load(ends, 1);
    if (is("one for another"))
        early = load(silent, 0);
}

int main(int argc, char **argv) {
    pthread_t t[2];
    assert(argc == 4);
    only = strncmp(argv[1], "only ", 5) == 0;
    what = argv[1] + (only ? 5 : 0);
    ends = argv[2];
    silent = argv[3];
    before();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
