// The output of a thread that holds a stream's lock stays together; a trylock of the stream reports that it is held.
// RADDLE: -s dfs -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int together, tried;

static void *speaker(void *arg) {
    flockfile(out);
    flockfile(out); /* it is recursive */
    fputs("one ", out);
    pthread_mutex_lock(&m);
    together++;
    pthread_mutex_unlock(&m);
    fprintf(out, "%s ", "two");
    funlockfile(out);
    fputc('\n', out);
    funlockfile(out);
    return arg;
}

static void *other(void *arg) {
    fwrite("three\n", 1, 6, out);
    if (ftrylockfile(out) == 0) {
        tried++;
        funlockfile(out);
    }
    return arg;
}

int main(void) {
    char *text = NULL;
    size_t size = 0;
    pthread_t t[2];
    out = open_memstream(&text, &size);
    pthread_create(&t[0], NULL, speaker, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    fclose(out);
    assert(strcmp(text, "one two \nthree\n") == 0 || strcmp(text, "three\none two \n") == 0);
    assert(together == 1 && tried <= 1);
    free(text);
    return 0;
}
