/* options.c - see options.h. */
#include "cli/options.h"

#include "base/guess.h"
#include "cli/defaults/defaults.h"
#include "report/text/report_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The option whose value is being read, if it is not on the command line: messages say where it is. */
static const struct rd_default *being_read;

int rd_trouble(const char *format, ...) {
    FILE *out = rd_wrap_open(stderr, NULL); /* the arguments may come from a file, or be anything */
    va_list args;
    va_start(args, format);
    fputs("raddle: ", out);
    if (being_read)
        fputs(being_read->option.from, out);
    if (being_read && being_read->option.line)
        fprintf(out, ":%u", being_read->option.line);
    if (being_read)
        fputs(": ", out);
    vfprintf(out, format, args);
    fputc('\n', out);
    va_end(args);
    rd_wrap_close(out);
    return RD_EXIT_TROUBLE;
}

const char rd_option_formats[RD_DOCUMENTS][1];

/* The document whose formats the row stands for; RD_DOCUMENT_NONE: the row is one ordinary option. */
static enum rd_document formats_of(const struct rd_option *o) {
    for (unsigned d = RD_DOCUMENT_NONE + 1; d < RD_DOCUMENTS; d++)
        if (o->name == RD_OPTION_FORMATS(d))
            return (enum rd_document)d;
    return RD_DOCUMENT_NONE;
}

static int find_option(struct rd_args *a, const struct rd_option *table, const char *name, size_t length) {
    for (int i = 0; table[i].name; i++) {
        enum rd_document document = formats_of(&table[i]);
        a->format = document ? rd_format_find(document, name, length) : NULL;
        if (a->format)
            return i;
        if (!document && strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
            return i;
    }
    return -1;
}

bool rd_find_in_path(const char *name, char *to, size_t room) {
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        if ((size_t)snprintf(to, room, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name) < room &&
            access(to, X_OK) == 0)
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

void rd_options_each(const struct rd_option *table, void (*use)(void *ctx, const struct rd_option *o), void *ctx) {
    for (; table->name; table++) {
        enum rd_document document = formats_of(table);
        if (!document)
            use(ctx, table);
        for (uint32_t i = 0; document && i < rd_format_count; i++) {
            if (!rd_format_writes(rd_formats[i], document))
                continue;
            struct rd_option o = *table;
            o.name = rd_formats[i]->name;
            o.help = rd_formats[i]->help[document];
            if (document == RD_DOCUMENT_RUN && rd_formats[i]->index)
                o.value = "DIR";
            if (rd_formats[i]->in_log)
                o.value = NULL;
            use(ctx, &o);
        }
    }
}

static void try_name(void *guess, const struct rd_option *o) { rd_guess_try(guess, o->name, strlen(o->name)); }

/* Reports an option that is in no row of the table. */
static int unknown_option(const struct rd_args *a, const struct rd_option *table, const char *word) {
    struct rd_guess g;
    char guess[RD_GUESS_TEXT];
    size_t n = word[1] == '-' ? strcspn(word + 2, "=") : 0;
    rd_guess_begin(&g, word + 2, n);
    if (n)
        rd_options_each(table, try_name, &g);
    rd_trouble("unknown option '%s'%s (see 'raddle help %s')", word, rd_guess_words(&g, "--", guess), a->command);
    return RD_ARGS_MISTAKE;
}

static int usage_mistake(const struct rd_args *a, const char *before, const char *word, const char *after) {
    rd_trouble("%s '%s'%s (see 'raddle help %s')", before, word, after, a->command);
    return RD_ARGS_MISTAKE;
}

/* Where the next word comes from; NULL: the command line. */
static struct rd_default *origin_of_next(const struct rd_args *a) {
    if (!a->from)
        return NULL;
    size_t i = (size_t)(a->at - a->words);
    return i < a->from_count ? a->from[i] : NULL;
}

bool rd_option_repeats(const struct rd_option *o) { return o->help && strstr(o->help, "may repeat"); }

int rd_args_try(struct rd_args *a, const struct rd_option *table, const char **value) {
    char *word = *a->at;
    a->origin = origin_of_next(a);
    *value = NULL;
    a->format = NULL;
    if (!word || word[0] != '-' || word[1] == 0)
        return RD_ARGS_END;
    a->at++;
    if (strcmp(word, "--") == 0)
        return RD_ARGS_END;
    int i = -1;
    const char *inline_value = NULL; /* in the same word: --seed=3, -n5 */
    if (word[1] == '-') {
        size_t n = strcspn(word + 2, "=");
        i = find_option(a, table, word + 2, n);
        inline_value = word[2 + n] == '=' ? word + 3 + n : NULL;
    } else {
        for (int k = 0; table[k].name && i < 0; k++)
            if (table[k].letter == word[1])
                i = k;
        inline_value = word[2] ? word + 2 : NULL;
    }
    if (i < 0)
        return RD_ARGS_UNKNOWN;
    if (!table[i].value || (a->format && a->format->in_log))
        return inline_value ? RD_ARGS_UNWANTED : i;
    *value = inline_value ? inline_value : *a->at;
    if (!*value)
        return RD_ARGS_MISSING;
    if (!inline_value)
        a->at++;
    return i;
}

int rd_args_next(struct rd_args *a, const struct rd_option *table, const char **value) {
    const char *word = *a->at;
    int i = rd_args_try(a, table, value);
    being_read = a->origin;
    if (i == RD_ARGS_UNKNOWN)
        return unknown_option(a, table, word);
    if (i == RD_ARGS_UNWANTED)
        return usage_mistake(a, "option", word, " takes no value");
    if (i == RD_ARGS_MISSING)
        return usage_mistake(a, "option", word, " needs a value");
    return i;
}

enum { HELP_INDENT = 31, HELP_WIDTH = 80, HELP_WIDEST = 110 };

/* Pages are as wide as the terminal, within limits; elsewhere 80 columns. */
static unsigned help_width(void) {
    struct winsize ws;
    if (!isatty(1) || ioctl(1, TIOCGWINSZ, &ws) != 0 || ws.ws_col <= HELP_INDENT + 20)
        return HELP_WIDTH;
    return RD_MIN(ws.ws_col, (unsigned)HELP_WIDEST);
}

/* Prints one paragraph in words from `column` on; later lines begin at `indent`. */
static void print_wrapped(const char *text, size_t length, unsigned column, unsigned indent) {
    unsigned width = help_width();
    for (size_t i = 0; i < length;) {
        size_t blanks = strspn(text + i, " "), n = strcspn(text + i + blanks, " \n");
        if (i && column + blanks + n > width) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            blanks = 0;
        }
        size_t skipped = strspn(text + i, " ");
        printf("%*s%.*s", (int)blanks, "", (int)n, text + i + skipped);
        column += (unsigned)(blanks + n);
        i += skipped + n;
    }
    putchar('\n');
}

void rd_options_text(const char *text) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (line[0] == ' ')
            printf("%.*s\n", (int)n, line);
        else
            print_wrapped(line, n, 0, 0);
        line += n + (line[n] == '\n');
    }
}

void rd_options_row(const char *left, const char *text) {
    int width = printf("  %-*s", HELP_INDENT - 3, left);
    if (width < HELP_INDENT)
        putchar(' ');
    else
        printf("\n%*s", HELP_INDENT, "");
    print_wrapped(text, strlen(text), HELP_INDENT, HELP_INDENT);
}

static void print_help(void *ctx, const struct rd_option *o) {
    char left[64];
    (void)ctx;
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
             o->letter ? ", " : "  ", o->name, o->value ? " " : "", o->value ? o->value : "");
    rd_options_row(left, o->help);
}

void rd_options_help(const struct rd_option *table) { rd_options_each(table, print_help, NULL); }

bool rd_parse_count(const char *option, const char *text, uint64_t max, uint64_t *to) {
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || n > max) {
        rd_trouble("--%s needs a whole number up to %llu, not '%s'", option, (unsigned long long)max, text);
        return false;
    }
    *to = n;
    return true;
}

bool rd_parse_seconds(const char *option, const char *text, double *to) {
    char *end;
    double s = strtod(text, &end);
    if (end == text || *end || !isfinite(s) || s <= 0 || s > 1e9) {
        rd_trouble("--%s needs a number of seconds, not '%s'", option, text);
        return false;
    }
    *to = s;
    return true;
}

int rd_parse_word(const char *option, const char *text, const char *words) {
    int i = 0;
    for (const char *w = words; *w; i++) {
        size_t n = strcspn(w, " ");
        if (strlen(text) == n && memcmp(w, text, n) == 0)
            return i;
        w += n + (w[n] == ' ');
    }
    struct rd_guess g;
    char guess[RD_GUESS_TEXT];
    rd_guess_begin(&g, text, strlen(text));
    for (const char *w = words; *w; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        rd_guess_try(&g, w, n);
        w += n;
    }
    rd_trouble("--%s is one of: %s; not '%s'%s", option, words, text, rd_guess_words(&g, "", guess));
    return -1;
}
