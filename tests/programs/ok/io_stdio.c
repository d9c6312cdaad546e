// A stream that reads from a pipe waits as read does.
// RADDLE: -s dfs -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    assert(write(ends[1], "one\ntw", 6) == 6);
    assert(write(ends[1], "o\n", 2) == 2);
    FILE *f = fdopen(ends[1], "w");
    fprintf(f, "%d\n", 3);
    fclose(f);
    return arg;
}

int main(void) {
    pthread_t t;
    char line[32];
    int n = 0;
    assert(pipe(ends) == 0);
    FILE *f = fdopen(ends[0], "r");
    assert(f && fileno(f) == ends[0]);
    pthread_create(&t, NULL, writer, NULL);
    assert(fgets(line, sizeof line, f) && strcmp(line, "one\n") == 0);
    assert(fgets(line, sizeof line, f) && strcmp(line, "two\n") == 0);
    assert(fscanf(f, "%d", &n) == 1 && n == 3);
    assert(fgets(line, sizeof line, f) && strcmp(line, "\n") == 0);
    assert(!fgets(line, sizeof line, f) && feof(f));
    pthread_join(t, NULL);
    fclose(f);
    return 0;
}
