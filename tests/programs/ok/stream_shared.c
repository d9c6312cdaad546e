// Two threads read lines from one stream, a third fills the pipe behind it; each line is read whole, and once.
// RADDLE: -s random -n 40
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 12, WIDTH = 1000 };
static FILE *in, *out;
static int seen[LINES];

static void *reader(void *arg) {
    char line[WIDTH + 2];
    while (fgets(line, sizeof line, in)) {
        assert(strlen(line) == WIDTH + 1 && line[WIDTH] == '\n');
        seen[line[0] - 'a']++;
    }
    return arg;
}

static void *writer(void *arg) {
    for (int i = 0; i < LINES; i++) {
        fprintf(out, "%*s", WIDTH, "");
        putc('\n', out);
        fflush(out);
    }
    return arg;
}

static ssize_t letters(void *cookie, const char *text, size_t size) {
    static int next;
    int *fd = cookie;
    char copy[WIDTH + 1];
    size_t n = size < sizeof copy ? size : sizeof copy;
    memcpy(copy, text, n);
    copy[0] = (char)(copy[0] == ' ' ? 'a' + next++ : copy[0]);
    return write(*fd, copy, n);
}

int main(void) {
    int ends[2];
    pthread_t t[3];
    assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
    in = fdopen(ends[0], "r");
    out = fopencookie(&ends[1], "w", (cookie_io_functions_t){.write = letters});
    assert(in && out && fileno(in) == ends[0]);
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_create(&t[2], NULL, writer, NULL);
    pthread_join(t[2], NULL);
    fclose(out);
    close(ends[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    for (int i = 0; i < LINES; i++)
        assert(seen[i] == 1);
    return 0;
}
