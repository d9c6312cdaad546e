/* source_lines.c - reads lines of the program's source, which reports print beside the operations. */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool rd_source_around(const char *path, int line, int before, int after,
                      void (*each)(void *ctx, int number, const char *text), void *ctx) {
    struct stat st;
    if (!path[0] || line <= 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    char *text = NULL;
    size_t room = 0;
    bool found = false;
    for (int n = 1; n <= line + after; n++) {
        ssize_t got = getline(&text, &room, f);
        if (got < 0)
            break;
        while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == '\r'))
            text[--got] = 0;
        if (n >= line - before) {
            each(ctx, n, text);
            found |= n == line;
        }
    }
    free(text);
    fclose(f);
    return found;
}
