/*
 * github_log.c - see github_log.h. Annotations are lines of the log ("workflow commands"): every character that
 * could end the line or a property is escaped.
 */
#include "report/ci/github_log.h"

#include "report/ci/source_root.h"
#include "report/ci/visible_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>

enum { SUMMARY_BYTES_MAX = 1 << 20 }; /* GitHub shows no summary of a step that is longer */

void rd_github_put(FILE *out, const char *text, bool property) {
    while (*text)
        if (*text == '%' || *text == '\n' || *text == '\r' || (property && (*text == ':' || *text == ',')))
            fprintf(out, "%%%02X", (unsigned char)*text++);
        else
            rd_visible_character(out, &text);
}

void rd_github_begin(FILE *out, const char *command, const char *title, const char *of) {
    fprintf(out, "::%s title=", command);
    rd_github_put(out, title, true);
    rd_github_put(out, of, true);
}

/* ---- the summary of the job, in Markdown ---- */

void rd_github_markdown(FILE *out, const char *text) {
    while (*text)
        if (strchr("\\`*_{}[]()<>#+-!|~&\"'$:@", *text) || strncasecmp(text, "www.", 4) == 0)
            fprintf(out, "%s&#%d;", *text == '@' ? "<!-- -->" : "", *text), text++;
        else if (*text == '\n' || *text == '\t')
            fputc(' ', out), text++;
        else
            rd_visible_character(out, &text);
}

void rd_github_code(FILE *out, const char *text) {
    fputs("<code>", out);
    rd_github_markdown(out, text);
    fputs("</code>", out);
}

void rd_github_link(FILE *out, const char *path, int line, bool inside) {
    const char *server = getenv("GITHUB_SERVER_URL"), *repository = getenv("GITHUB_REPOSITORY"),
               *commit = getenv("GITHUB_SHA");
    char uri[PATH_MAX * 3], at[PATH_MAX + 16];
    snprintf(at, sizeof at, line ? "%s:%d" : "%s", path, line);
    if (!inside || !server || !repository || !commit) {
        rd_github_code(out, at);
        return;
    }
    fputs("[", out);
    rd_github_code(out, at);
    fputs("](", out);
    fputs(server, out);
    for (int i = 0; i < 3; i++) {
        rd_source_uri(i == 0 ? repository : i == 1 ? commit : path, uri, sizeof uri);
        fprintf(out, "%s%s", i == 1 ? "/blob/" : "/", uri);
    }
    fprintf(out, "#L%d)", line);
}

size_t rd_github_room(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return SUMMARY_BYTES_MAX;
    return SUMMARY_BYTES_MAX - RD_MIN((size_t)st.st_size, (size_t)SUMMARY_BYTES_MAX);
}

const char *rd_github_append(const char *path, const char *text, size_t size) {
    if (size > rd_github_room(path))
        return "the summary of this step is full";
    FILE *out = fopen(path, "ae");
    if (!out)
        return strerror(errno);
    bool failed = fwrite(text, 1, size, out) != size;
    failed |= fclose(out) != 0;
    return failed ? strerror(errno) : NULL;
}

void rd_github_no_summary(FILE *out, const char *of, const char *why) {
    rd_github_begin(out, "warning", "Raddle: no summary of ", of);
    fputs("::cannot append to GITHUB_STEP_SUMMARY: ", out);
    rd_github_put(out, why, false);
    fputc('\n', out);
}

/* The word that ends the part of the log that is not to be obeyed; "": there is none. */
static char token[33];

void rd_github_obey_nothing(FILE *out) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random)
        return; /* a word that the program can guess is of no use */
    snprintf(token, sizeof token, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    fprintf(out, "::stop-commands::%s\n", token);
    fflush(out);
}

void rd_github_obey(FILE *out) {
    if (token[0])
        fprintf(out, "::%s::\n", token);
    token[0] = 0;
}
