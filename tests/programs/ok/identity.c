// User and group numbers belong to the whole process: libc changes them in all its threads.
// RADDLE: -s dfs
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *nothing(void *arg) { return arg; }

static void *worker(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&lock);
    assert(setegid(getegid()) == 0 && seteuid(geteuid()) == 0);
    assert(setgid(getgid()) == 0 && setuid(getuid()) == 0);
    assert(setregid((gid_t)-1, getegid()) == 0 && setreuid((uid_t)-1, geteuid()) == 0);
    assert(setresuid((uid_t)-1, (uid_t)-1, (uid_t)-1) == 0 && setresgid((gid_t)-1, (gid_t)-1, (gid_t)-1) == 0);
    if (setgroups(0, NULL) != 0)
        assert(errno == EPERM);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
