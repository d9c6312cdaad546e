/*
 * Every execution leaves memory of all kinds behind, and looks for memory that the execution before has left. If
 * the second thread is much faster than the first, the execution also leaves a descriptor, a mapping and output.
 * The argument is the number of operations of each thread.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static struct {
    sem_t posted;
    char pages[8192];
} own[2];
static __thread int local[2048];
static char *kept[2];
static int operations, done[2], opened;

static void leave_memory(int who) {
    char *block = malloc(6000);
    volatile char stack[8192];
    assert(!kept[who] && own[who].pages[6000] == 0 && block[5000] == 0 && local[1500] == 0);
    stack[0] = stack[4096] = block[5000] = own[who].pages[6000] = 1;
    local[1500] = 1;
    kept[who] = block; /* not freed */
}

static void leave_more(void) {
    int fd = open("/dev/null", O_RDONLY);
    char *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(opened++ == 0 && fd == 3 && p != MAP_FAILED && p[4096] == 0);
    p[4096] = 1;
    printf("left\n");
}

static void *work(void *arg) {
    int who = (int)(intptr_t)arg;
    for (; done[who] < operations; done[who]++)
        sem_post(&own[who].posted);
    leave_memory(who);
    if (who == 1 && done[0] < operations / 4)
        leave_more();
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    assert(argc == 2);
    operations = atoi(argv[1]);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(done[0] == operations && done[1] == operations && kept[0] && kept[1]);
    return 0;
}
