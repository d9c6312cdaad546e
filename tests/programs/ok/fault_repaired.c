// Two threads write to write-protected pages; a handler, which takes a lock, makes them writable. Both threads can be
// in it.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *pages;
static int repaired;

static void repair(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    size_t at = (size_t)((char *)info->si_addr - pages) / PAGE;
    assert(at < 2);
    pthread_mutex_lock(&lock);
    repaired++;
    pthread_mutex_unlock(&lock);
    mprotect(pages + at * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static void *worker(void *page) {
    *(volatile char *)page = 7;
    assert(*(volatile char *)page == 7);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    pages = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&t, NULL, worker, pages);
    worker(pages + PAGE);
    pthread_join(t, NULL);
    assert(repaired == 2);
    return 0;
}
