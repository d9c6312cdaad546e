// system and popen in two threads: the status of one command, the output of the other.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void *caller(void *arg) {
    int status = system("exit 5");
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    return arg;
}

static void *opener(void *arg) {
    char line[32] = "";
    FILE *f = popen("echo hello; exit 6", "r");
    assert(f && fgets(line, sizeof line, f) && strcmp(line, "hello\n") == 0);
    assert(!fgets(line, sizeof line, f));
    int status = pclose(f);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, caller, NULL);
    pthread_create(&t[1], NULL, opener, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
