// Both threads build their command in the same buffer.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char command[32];

static void *caller(void *arg) {
    int code = *(int *)arg;
    snprintf(command, sizeof command, "exit %d", code);
    usleep(1);
    int status = system(command);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == code); /* BUG */
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int code[2] = {1, 2};
    pthread_create(&t[0], NULL, caller, &code[0]);
    pthread_create(&t[1], NULL, caller, &code[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
