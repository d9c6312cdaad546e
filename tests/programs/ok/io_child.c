// A thread reads the output of a child process: the test is not closed, and the summary says so.
// RADDLE: -s dfs
// EXPECT: none
// OUTPUT: not controlled: the program waited for input from outside the program
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg) {
    char c = 0;
    assert(read(ends[0], &c, 1) == 1 && c == 'x');
    return arg;
}

int main(void) {
    pthread_t t;
    assert(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(1000);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    int status = -1;
    assert(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
