/*
 * suppress_files.c - see suppress_files.h. The files have the format of the sanitizers' suppressions: a line is a
 * kind of finding, a colon, and the name of a function or of a source file, with shell wildcards; a line
 * that begins with # is a comment. The detectors have no symbols, so each name becomes ranges of places.
 */
#include "cli/run/suppress_files.h"

#include "cli/options.h"
#include "cli/program_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 1 << 16 };

static const struct {
    const char *name;
    uint32_t list; /* enum rd_names */
} kinds[] = {
    {"race", RD_NAMES_SUPPRESS_RACE}, {"deadlock", RD_NAMES_SUPPRESS_DEADLOCK}, {"heap", RD_NAMES_SUPPRESS_HEAP}};

bool rd_suppress_files_add(struct rd_suppress_files *s, const char *file) {
    if (s->count == RD_SUPPRESS_FILES)
        return rd_trouble("--suppress can be given at most %d times", RD_SUPPRESS_FILES), false;
    s->files[s->count++] = file;
    return true;
}

/* Removes spaces, tabs and line ends at both ends, in place. */
static char *trimmed(char *text) {
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    text[n] = 0;
    return text;
}

/* The file that is being read, and the ranges so far. */
struct suppress_reader {
    struct rd_symbols *symbols;
    struct rd_range *to;
    uint32_t count;
    const char *file;
    unsigned line;
};

/* Parses a line and adds the ranges of the code that it names. False after a message. */
static bool take_line(struct suppress_reader *r, char *line) {
    char *colon = strchr(line, ':');
    if (!colon)
        return rd_trouble("%s:%u: no kind of finding before '%s' (such as race:%s)", r->file, r->line, line, line),
               false;
    *colon = 0;
    const char *kind = trimmed(line), *pattern = trimmed(colon + 1);
    unsigned k = 0;
    while (k < RD_COUNT(kinds) && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k == RD_COUNT(kinds))
        return rd_trouble("%s:%u: unknown kind '%s' (race, deadlock or heap)", r->file, r->line, kind), false;
    if (!*pattern)
        return rd_trouble("%s:%u: no function or file after '%s:'", r->file, r->line, kind), false;
    uint32_t room = RANGES_MAX - r->count;
    uint32_t n = rd_symbols_matched(r->symbols, pattern, r->to + r->count, room);
    if (n == room)
        return rd_trouble("%s:%u: '%s' and the lines before it name too much of the program", r->file, r->line,
                          pattern),
               false;
    for (uint32_t i = 0; i < n; i++)
        r->to[r->count + i].list = kinds[k].list;
    r->count += n;
    return true;
}

static bool read_file(struct suppress_reader *r) {
    FILE *in = fopen(r->file, "re");
    if (!in)
        return rd_trouble("cannot open '%s': %s", r->file, strerror(errno)), false;
    char *line = NULL;
    size_t room = 0;
    bool fine = true;
    for (r->line = 1; fine && getline(&line, &room, in) >= 0; r->line++) {
        char *text = trimmed(line);
        if (*text && *text != '#')
            fine = take_line(r, text);
    }
    if (fine && ferror(in))
        fine = (rd_trouble("cannot read '%s': %s", r->file, strerror(errno)), false);
    free(line);
    fclose(in);
    return fine;
}

bool rd_suppress_files_find(const struct rd_suppress_files *s, struct rd_session *session) {
    if (s->count == 0)
        return true;
    struct suppress_reader r = {.symbols = rd_program_symbols_open(session->target->path)};
    if (!r.symbols)
        return false;
    r.to = calloc(RANGES_MAX, sizeof *r.to);
    if (!r.to)
        abort();
    bool fine = true;
    for (uint32_t i = 0; fine && i < s->count; i++) {
        r.file = s->files[i];
        fine = read_file(&r);
    }
    rd_symbols_close(r.symbols);
    session->suppress = r.to; /* used until the process ends */
    session->suppress_count = r.count;
    return fine;
}
