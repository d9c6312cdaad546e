// A stream from a child process that answers only after another thread has written: reading it lets that thread run.
// RADDLE: -s random --seed 1 -n 5
// EXPECT: none
// OUTPUT: not controlled: the program started another process
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    assert(write(ends[1], "go\n", 3) == 3);
    return arg;
}

int main(void) {
    pthread_t t;
    char command[64], line[32];
    assert(pipe(ends) == 0);
    snprintf(command, sizeof command, "head -n 1 <&%d", ends[0]);
    FILE *f = popen(command, "r");
    pthread_create(&t, NULL, writer, NULL);
    assert(f && fgets(line, sizeof line, f) && strcmp(line, "go\n") == 0 && !fgets(line, sizeof line, f));
    assert(pclose(f) == 0);
    pthread_join(t, NULL);
    f = popen("read word && exit $word", "w");
    assert(f && fprintf(f, "%d\n", 3) == 2);
    int status = pclose(f);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return 0;
}
