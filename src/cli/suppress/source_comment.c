/*
 * source_comment.c - comments in the source that suppress findings: "// raddle:ignore(data-race) - why" at the end
 * of a line is about that line, alone in a line about the next one. Without kinds it is about every kind. A file
 * that was changed after the program was built does not count: its lines may be others.
 */
#include "cli/suppress/late_suppression.h"

#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char mark[] = "raddle:ignore";

struct search {
    int line; /* the line of the finding */
    unsigned kind;
    struct rd_suppress_comment *to;
    const struct rd_report *r;
    const char *path;
    bool found;
};

/* Does the list of kinds, up to `end`, have the name of this kind? */
static bool names_kind(const char *list, const char *end, unsigned kind) {
    while (list < end) {
        list += strspn(list, " ,\t");
        size_t n = strcspn(list, " ,\t)");
        const char *name = rd_finding_name(kind);
        bool race = kind == RD_DATA_RACE && n == 4 && strncmp(list, "race", 4) == 0;
        bool deadlock = kind == RD_PREDICTED_DEADLOCK && n == 8 && strncmp(list, "deadlock", 8) == 0;
        if (race || deadlock || (n == strlen(name) && strncmp(list, name, n) == 0))
            return true;
        if (n == 0)
            return false;
        list += n;
    }
    return false;
}

/* Is there nothing but a comment in the line, whose blanks at the beginning were skipped? */
static bool is_alone(const char *text) {
    if (text[0] != '/' || (text[1] != '/' && text[1] != '*'))
        return false;
    const char *end = text[1] == '*' ? strstr(text + 2, "*/") : NULL;
    return !end || end[2 + strspn(end + 2, " \t\r")] == 0;
}

/* The mark, if the comment whose text begins here begins with it; NULL: it does not, though it may speak of it. */
static const char *begins_with_mark(const char *text) {
    text += strspn(text, "/*!< \t");
    const char *end = text + sizeof mark - 1;
    bool word =
        strncmp(text, mark, sizeof mark - 1) == 0 && !isalnum((unsigned char)*end) && *end != '_' && *end != '-';
    return word ? text : NULL;
}

/* The character behind a literal that begins here with a quotation mark. */
static const char *after_literal(const char *text) {
    char quote = *text++;
    while (*text && *text != quote)
        text += *text == '\\' && text[1] ? 2 : 1;
    return text + (*text == quote);
}

/* The mark at the beginning of a comment of the line; NULL: there is none. */
static const char *find_mark(const char *text) {
    for (const char *at = text; *at;) {
        bool number = at > text && isalnum((unsigned char)at[-1]); /* 1'000 */
        if (*at == '"' || (*at == '\'' && !number)) {
            at = after_literal(at);
        } else if (at[0] == '/' && at[1] == '/') {
            return begins_with_mark(at + 2);
        } else if (at[0] == '/' && at[1] == '*') {
            const char *found = begins_with_mark(at + 2), *end = strstr(at + 2, "*/");
            if (found || !end)
                return found;
            at = end + 2;
        } else {
            at++;
        }
    }
    return NULL;
}

static void look(void *ctx, int number, const char *text) {
    struct search *s = ctx;
    const char *at = find_mark(text), *start = text + strspn(text, " \t");
    if (!at || s->found || (number != s->line && !is_alone(start)))
        return;
    const char *kinds = at + sizeof mark - 1;
    const char *end = *kinds == '(' ? strchr(kinds, ')') : NULL;
    if (*kinds == '(' && (!end || !names_kind(kinds + 1, end, s->kind)))
        return;
    s->found = true;
    snprintf(s->to->where, sizeof s->to->where, "%.560s:%d", rd_words_path(s->r, s->path), number);
    snprintf(s->to->text, sizeof s->to->text, "%s", at);
    char *close = strstr(s->to->text, "*/");
    size_t n = close ? (size_t)(close - s->to->text) : strlen(s->to->text);
    while (n && strchr(" \t\r", s->to->text[n - 1]))
        n--;
    s->to->text[n] = 0;
}

bool rd_source_comment(const struct rd_report *r, const char *path, int line, const char *program,
                       struct rd_suppress_comment *to) {
    struct search s = {.line = line, .kind = r->schedule->finding.kind, .to = to, .r = r, .path = path};
    struct stat source, binary;
    to->findings = 0;
    rd_source_around(r, path, line, 1, 0, look, &s);
    if (!s.found)
        return false;
    bool newer =
        stat(path, &source) != 0 || stat(program, &binary) != 0 || source.st_mtim.tv_sec > binary.st_mtim.tv_sec ||
        (source.st_mtim.tv_sec == binary.st_mtim.tv_sec && source.st_mtim.tv_nsec > binary.st_mtim.tv_nsec);
    if (newer)
        rd_trouble("%s: the comment '%s' is not used, because the file is newer than the program", to->where, mark);
    return !newer;
}
