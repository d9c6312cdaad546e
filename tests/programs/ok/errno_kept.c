// Successful calls do not change errno, as in libc and in the kernel.
// RADDLE: -s dpor
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 42 };
#define KEEPS(call)            \
    do {                       \
        errno = KEPT;          \
        (void)!(call);         \
        assert(errno == KEPT); \
    } while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *nothing(void *arg) { return arg; }

static void transfers(void) {
    int fd[2], pair[2], event, timer, poller;
    char bytes[8] = {1};
    KEEPS(pipe(fd) == 0);
    KEEPS(write(fd[1], "abc", 3) == 3);
    KEEPS(read(fd[0], bytes, 1) == 1);
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    KEEPS(poll(&p, 1, 10) == 1);
    KEEPS(fcntl(fd[0], F_GETFL) >= 0);
    KEEPS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    KEEPS(send(pair[0], "x", 1, 0) == 1);
    KEEPS(recv(pair[1], bytes, 1, 0) == 1);
    KEEPS(write(pair[0], "y", 1) == 1);
    KEEPS(read(pair[1], bytes, 1) == 1);
    KEEPS((event = eventfd(1, 0)) >= 0);
    KEEPS((poller = epoll_create1(0)) >= 0);
    struct epoll_event e = {.events = EPOLLIN};
    KEEPS(epoll_ctl(poller, EPOLL_CTL_ADD, event, &e) == 0);
    KEEPS(epoll_wait(poller, &e, 1, 10) == 1);
    KEEPS(read(event, bytes, sizeof bytes) == sizeof bytes);
    KEEPS(write(event, bytes, sizeof bytes) == sizeof bytes);
    KEEPS((timer = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0);
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    KEEPS(timerfd_settime(timer, 0, &soon, NULL) == 0);
    KEEPS(read(timer, bytes, sizeof bytes) == sizeof bytes);
    const int all[] = {fd[0], fd[1], pair[0], pair[1], event, timer, poller};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        KEEPS(close(all[i]) == 0);
}

static void *use(void *arg) {
    pthread_t other;
    sem_t sem;
    struct timespec t = {.tv_nsec = 10};
    void *block;
    transfers();
    KEEPS(pthread_mutex_lock(&mutex) == 0);
    KEEPS(pthread_mutex_unlock(&mutex) == 0);
    KEEPS(pthread_cond_signal(&cond) == 0);
    KEEPS(sem_init(&sem, 0, 1) == 0);
    KEEPS(sem_wait(&sem) == 0);
    KEEPS(sem_post(&sem) == 0);
    KEEPS(pthread_create(&other, NULL, nothing, NULL) == 0);
    KEEPS(pthread_join(other, NULL) == 0);
    KEEPS(nanosleep(&t, NULL) == 0);
    KEEPS(clock_gettime(CLOCK_REALTIME, &t) == 0);
    KEEPS((block = malloc(100)) != NULL);
    KEEPS((block = realloc(block, 100000)) != NULL);
    KEEPS((free(block), 0));
    KEEPS((block = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED);
    KEEPS(munmap(block, 4096) == 0);
    KEEPS(snprintf((char[8]){0}, 8, "%d", 3) == 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    pthread_join(t, NULL);
    return 0;
}
