/* program_output.c - see program_output.h. */
#include "cli/program_output.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t file_size(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
}

/* Reads the last RD_OUTPUT_END bytes of a file: of a long output, more is not sure to be kept (worker.h). */
static size_t read_end(int fd, char *to, size_t size, size_t *cut) {
    size_t kept = RD_MIN(size, (size_t)RD_OUTPUT_END);
    ssize_t n = pread(fd, to, kept, (off_t)(size - kept));
    *cut += size - kept;
    return n > 0 ? (size_t)n : 0;
}

char *rd_program_output_text(const struct rd_worker *w, size_t *size, size_t *cut) {
    size_t n = file_size(w->output_fd), errors = w->error_fd != w->output_fd ? file_size(w->error_fd) : 0;
    char *text = malloc(RD_MIN(n, (size_t)RD_OUTPUT_END) + RD_MIN(errors, (size_t)RD_OUTPUT_END) + 1);
    if (!text)
        abort();
    *cut = 0;
    *size = read_end(w->output_fd, text, n, cut);
    if (errors)
        *size += read_end(w->error_fd, text + *size, errors, cut);
    text[*size] = 0;
    return text;
}
