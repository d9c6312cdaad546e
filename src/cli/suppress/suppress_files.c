/*
 * suppress_files.c - see suppress_files.h. The files have the format of the sanitizers' suppressions: a line is a
 * kind of finding, a colon, and a pattern (base/name_pattern.h); a line that begins with # is a comment.
 */
#include "cli/suppress/suppress_files.h"

#include "cli/options.h"
#include "cli/program_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 1 << 16, KEYS_MAX = 2048 };

#define KIND(kind) (1u << RD_##kind)
#define HEAP_KINDS \
    (KIND(USE_AFTER_FREE) | KIND(DOUBLE_FREE) | KIND(HEAP_OVERFLOW) | KIND(LEAK) | RD_SUPPRESSED_HEAP_MISUSE)

/* The kinds of lines beside the names of findings. */
static const struct {
    const char *name;
    uint32_t kinds;
    enum rd_suppress_scope scope;
    bool variables;
} names[] = {{"race", KIND(DATA_RACE), RD_SUPPRESS_FRAMES, true},
             {"race_top", KIND(DATA_RACE), RD_SUPPRESS_TOP, false},
             {"called_from_lib", KIND(DATA_RACE), RD_SUPPRESS_MODULE, false},
             {"deadlock", KIND(DEADLOCK) | KIND(PREDICTED_DEADLOCK), RD_SUPPRESS_FRAMES, false},
             {"mutex", KIND(MISUSE), RD_SUPPRESS_FRAMES, false},
             {"thread", 0, RD_SUPPRESS_NOTHING, false},
             {"signal", 0, RD_SUPPRESS_NOTHING, false},
             {"heap", HEAP_KINDS, RD_SUPPRESS_FRAMES, false},
             {"variable", KIND(DATA_RACE), RD_SUPPRESS_NAMES, true},
             {"var", KIND(DATA_RACE), RD_SUPPRESS_NAMES, true}};

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

static char *copy_of(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

/* Fills in what the kind of the line says. False: there is no such kind. */
static bool take_kind(struct rd_suppress_line *l, const char *kind) {
    for (unsigned i = 0; i < RD_COUNT(names); i++)
        if (strcmp(names[i].name, kind) == 0) {
            l->kinds = names[i].kinds;
            l->scope = names[i].scope;
            l->variables = names[i].variables;
            return true;
        }
    unsigned known = rd_finding_by_name(kind);
    if (known == RD_NO_FINDING || known >= RD_FINDING_KINDS)
        return false;
    l->kinds = 1u << known | (known == RD_MISUSE ? RD_SUPPRESSED_HEAP_MISUSE : 0);
    l->scope = RD_SUPPRESS_FRAMES;
    l->variables = known == RD_DATA_RACE;
    return true;
}

/* The file that is being read. */
struct suppress_reader {
    struct rd_suppress_files *to;
    struct rd_symbols *symbols;
    const char *file;
    unsigned line;
};

/*
 * Adds the ranges of the code or of the variables that the line names. If it names too much of the program, there
 * are none: then the driver suppresses its findings after the search.
 */
static void add_ranges(struct suppress_reader *r, const struct rd_suppress_line *l, bool data) {
    static struct rd_range found[RANGES_MAX];
    struct rd_suppress_files *s = r->to;
    uint32_t room = RANGES_MAX - s->range_count;
    uint32_t n = data ? rd_symbols_matched_data(r->symbols, l->pattern, found, room)
                      : rd_symbols_matched(r->symbols, l->pattern, found, room);
    for (uint32_t i = 0; n < room && i < n; i++)
        s->ranges[s->range_count++] =
            (struct rd_suppressed){.first = found[i].first,
                                   .last = found[i].last,
                                   .kinds = l->kinds,
                                   .line = (uint16_t)(l - s->lines),
                                   .by = data ? RD_SUPPRESSED_MEMORY : RD_SUPPRESSED_CODE};
}

/* Parses a line. False after a message. */
static bool take_line(struct suppress_reader *r, char *line) {
    struct rd_suppress_files *s = r->to;
    char *colon = strchr(line, ':');
    if (!colon)
        return rd_trouble("%s:%u: no kind of finding before '%s' (such as race:%s)", r->file, r->line, line, line),
               false;
    if (s->line_count == RD_SUPPRESS_LINES)
        return rd_trouble("%s:%u: more than %d lines of suppressions", r->file, r->line, RD_SUPPRESS_LINES), false;
    struct rd_suppress_line *l = &s->lines[s->line_count];
    *l = (struct rd_suppress_line){.file = r->file, .number = r->line};
    *colon = 0;
    const char *kind = trimmed(line), *pattern = trimmed(colon + 1);
    if (!take_kind(l, kind))
        return rd_trouble("%s:%u: unknown kind '%s' (race, race_top, called_from_lib, deadlock, mutex, heap, "
                          "variable, or one that 'raddle list findings' names)",
                          r->file, r->line, kind),
               false;
    if (!*pattern)
        return rd_trouble("%s:%u: no function or file after '%s:'", r->file, r->line, kind), false;
    l->pattern = copy_of(pattern);
    if (asprintf(&l->text, "%s:%s", kind, pattern) < 0)
        abort();
    s->line_count++;
    if (l->scope == RD_SUPPRESS_FRAMES)
        add_ranges(r, l, false);
    if (l->variables)
        add_ranges(r, l, true);
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

bool rd_suppress_files_find(struct rd_suppress_files *s, struct rd_session *session) {
    s->ranges =
        calloc(RANGES_MAX + KEYS_MAX, sizeof *s->ranges); /* used until the process ends, as are the lines */
    s->lines = calloc(RD_SUPPRESS_LINES, sizeof *s->lines);
    if (!s->ranges || !s->lines)
        abort();
    session->suppress = s->ranges;
    if (s->count == 0)
        return true;
    struct suppress_reader r = {.to = s, .symbols = rd_program_symbols_open(session->target->path)};
    if (!r.symbols)
        return false;
    bool fine = true;
    for (uint32_t i = 0; fine && i < s->count; i++) {
        r.file = s->files[i];
        fine = read_file(&r);
    }
    rd_symbols_close(r.symbols);
    session->suppress_count = s->range_count;
    return fine;
}

bool rd_suppress_files_add_key(struct rd_suppress_files *s, struct rd_session *session,
                               const struct rd_finding *f) {
    uint32_t kinds = rd_is_heap_misuse(f) ? RD_SUPPRESSED_HEAP_MISUSE : 1u << f->kind;
    if (s->range_count == RANGES_MAX + KEYS_MAX)
        return false;
    s->ranges[s->range_count++] = (struct rd_suppressed){.first = f->key, .kinds = kinds, .by = RD_SUPPRESSED_KEY};
    session->suppress_count = s->range_count;
    return true;
}
