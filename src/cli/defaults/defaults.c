/* defaults.c - see defaults.h. */
#include "cli/defaults/defaults.h"

#include "base/guess.h"
#include "cli/commands.h"
#include "cli/defaults/options_file.h"
#include "cli/defaults/shell_split.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The commands with such options. If two have an option with one name, the first says whether it has a value. */
static const struct rd_command *const readers[] = {&rd_command_run, &rd_command_test, &rd_command_variables,
                                                   &rd_command_bench};

static const char variable[] = "RADDLE_OPTIONS";

/* The options that are being read. */
struct defaults_reader {
    struct rd_defaults *to;
    struct rd_option *all; /* of all commands */
};

static struct rd_option *options_of_all(void) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < RD_COUNT(readers); i++)
        for (const struct rd_option *o = readers[i]->options; o->name; o++)
            n++;
    struct rd_option *all = calloc(n + 1, sizeof *all), *to = all;
    if (!all)
        abort();
    for (uint32_t i = 0; i < RD_COUNT(readers); i++)
        for (const struct rd_option *o = readers[i]->options; o->name; o++)
            *to++ = *o;
    return all;
}

static char *text_of(const char *format, const char *a, const char *b, const char *c) {
    char *text;
    if (asprintf(&text, format, a, b, c) < 0)
        abort();
    return text;
}

static char *copy_of(const char *text) { return text ? text_of("%s%s%s", text, "", "") : NULL; }

static struct rd_default *add(struct rd_defaults *d, const char *from, const char *name, const char *value) {
    if (d->count == d->room) {
        d->room = d->room ? 2 * d->room : 16;
        d->at = reallocarray(d->at, d->room, sizeof *d->at);
        if (!d->at)
            abort();
    }
    struct rd_default *x = &d->at[d->count++];
    *x = (struct rd_default){.option = {.from = copy_of(from), .name = copy_of(name), .value = copy_of(value)},
                             .word = text_of("--%s%s%s", name, value ? "=" : "", value ? value : ""),
                             .takes_value = value != NULL};
    return x;
}

static void try_name(void *guess, const struct rd_option *o) { rd_guess_try(guess, o->name, strlen(o->name)); }

/* Says what is wrong with an option. `at`: where it stands; `word`: as it stands there. Returns false. */
static bool tell_mistake(const struct defaults_reader *r, int mistake, const char *at, const char *word,
                         const char *dashes) {
    struct rd_guess g;
    char guess[RD_GUESS_TEXT];
    const char *name = word + strspn(word, "-");
    size_t n = strcspn(name, "=");
    if (mistake == RD_ARGS_END)
        return rd_trouble("%s: '%s' is no option", at, word), false;
    if (mistake == RD_ARGS_UNWANTED)
        return rd_trouble("%s: option '%s' takes no value", at, word), false;
    if (mistake == RD_ARGS_MISSING)
        return rd_trouble("%s: option '%s' needs a value", at, word), false;
    rd_guess_begin(&g, name, n);
    if (n > 1)
        rd_options_each(r->all, try_name, &g);
    return rd_trouble("%s: unknown option '%s'%s", at, word, rd_guess_words(&g, dashes, guess)), false;
}

static bool only_on_the_line(const char *name) { return !strcmp(name, "help") || !strcmp(name, "no-config"); }

/* Reads RADDLE_OPTIONS. False after a message. */
static bool read_variable(struct defaults_reader *r) {
    const char *text = getenv(variable), *mistake = NULL, *value;
    char **words = rd_shell_split(text ? text : "", &mistake);
    if (!words)
        return rd_trouble("%s: %s", variable, mistake), false;
    struct rd_args a = {.at = words};
    bool fine = true;
    while (fine && *a.at) {
        const char *word = *a.at;
        int i = rd_args_try(&a, r->all, &value);
        if (i < 0) {
            fine = tell_mistake(r, i, variable, word, "--");
            break;
        }
        const char *name = a.format ? a.format->name : r->all[i].name;
        if (only_on_the_line(name))
            fine = (rd_trouble("%s: '%s' can only be on the command line", variable, word), false);
        else
            add(r->to, variable, name, value)->repeats = rd_option_repeats(&r->all[i]);
    }
    free(words);
    return fine;
}

/* The value of an option that names a file or directory, which is relative to that of the file .raddle. */
static char *value_in(const struct rd_options_line *line, const struct rd_option *o) {
    bool path = o->value &&
                (strncmp(o->value, "FILE", 4) == 0 || strcmp(o->value, "OUT") == 0 || strcmp(o->value, "DIR") == 0);
    bool relative = path && line->value[0] && line->value[0] != '/' && strcmp(line->value, "-") != 0;
    return relative && line->folder[0] ? text_of("%s/%s%s", line->folder, line->value, "") : copy_of(line->value);
}

static bool take_line(void *reader, const struct rd_options_line *line) {
    struct defaults_reader *r = reader;
    char *word = text_of("--%s%s%s", line->name, line->value ? "=" : "", line->value ? line->value : "");
    char *words[] = {word, NULL}, at[4096];
    const char *value;
    struct rd_args a = {.at = words};
    int i = rd_args_try(&a, r->all, &value);
    snprintf(at, sizeof at, "%s:%u", line->file, line->line);
    bool fine = i >= 0;
    if (!fine)
        tell_mistake(r, i, at, line->name, "");
    else if (only_on_the_line(line->name))
        fine = (rd_trouble("%s: '%s' can only be on the command line", at, line->name), false);
    else {
        char *full = line->value ? value_in(line, &r->all[i]) : NULL;
        struct rd_default *x = add(r->to, line->file, line->name, full);
        x->option.line = line->line;
        x->option.section = copy_of(line->section);
        x->repeats = rd_option_repeats(&r->all[i]);
        free(full);
    }
    free(word);
    return fine;
}

/* Is the one option the other, or does it take its effect back? */
static bool same_option(const char *a, const char *b) {
    return strcmp(a + 3 * (strncmp(a, "no-", 3) == 0), b + 3 * (strncmp(b, "no-", 3) == 0)) == 0;
}

/*
 * Reads the command line without messages up to the program, where `a` then points. Returns true if it is `wanted`
 * or, with NULL, if it has a mistake.
 */
static bool scan_line(struct rd_args *a, const struct rd_option *table, const char *wanted) {
    const char *value;
    bool found = false;
    int i;
    while ((i = rd_args_try(a, table, &value)) >= 0)
        found |= wanted && same_option(wanted, a->format ? a->format->name : table[i].name);
    return found || (!wanted && i != RD_ARGS_END);
}

static bool line_has(const struct rd_args *a, const struct rd_option *table, const char *wanted) {
    struct rd_args copy = *a;
    return scan_line(&copy, table, wanted);
}

bool rd_default_is_for(const struct rd_default *x, const char *name) {
    return !x->option.section || (name && fnmatch(x->option.section, name, 0) == 0);
}

/* Does the command have the option, and does it mean the same there? */
static bool is_in(const struct rd_option *table, const struct rd_default *x) {
    char *words[] = {x->word, NULL};
    const char *value;
    struct rd_args a = {.at = words};
    return rd_args_try(&a, table, &value) >= 0 && (value != NULL) == x->takes_value;
}

/* Finds out which options count. */
static void weigh(struct rd_defaults *d, const struct rd_args *a, const struct rd_option *table) {
    struct rd_args end = *a;
    scan_line(&end, table, NULL);
    const char *program = *end.at, *slash = program ? strrchr(program, '/') : NULL;
    program = slash ? slash + 1 : program;
    for (uint32_t i = 0; i < d->count; i++) {
        struct rd_default *x = &d->at[i];
        x->counts = is_in(table, x) && (d->sections_later ? !x->option.section : rd_default_is_for(x, program));
        x->on_line = !x->repeats && line_has(a, table, x->option.name);
        for (uint32_t k = 0; x->counts && k < i; k++)
            if (!d->at[k].repeats && same_option(d->at[k].option.name, x->option.name)) {
                d->at[k].on_line |= x->option.line == 0;
                d->at[k].counts = false;
            }
    }
    for (uint32_t i = 0; i < d->count; i++)
        d->at[i].counts &= !d->at[i].on_line;
}

/* Puts the words of the options that count before those of the command line. */
static void put_before(struct rd_defaults *d, struct rd_args *a) {
    size_t rest = 0;
    while (a->at[rest])
        rest++;
    a->words = calloc(d->count + rest + 1, sizeof *a->words);
    a->from = calloc(d->count + 1, sizeof *a->from);
    if (!a->words || !a->from)
        abort();
    for (uint32_t i = 0; i < d->count; i++) {
        if (!d->at[i].counts)
            continue;
        a->from[a->from_count] = &d->at[i];
        a->words[a->from_count++] = d->at[i].word;
    }
    memcpy(a->words + a->from_count, a->at, rest * sizeof *a->words);
    a->at = a->words;
}

bool rd_defaults_begin(struct rd_defaults *d, struct rd_args *a, const struct rd_option *table) {
    const char *config = getenv("RADDLE_CONFIG");
    if (line_has(a, table, NULL) || line_has(a, table, "help") || line_has(a, table, "no-config"))
        return true;
    if (config && strcmp(config, "none") == 0)
        return true;
    if (config && *config)
        return rd_trouble("RADDLE_CONFIG can only be 'none', not '%s'", config), false;
    struct defaults_reader r = {.to = d, .all = options_of_all()};
    bool fine = rd_options_file_read(take_line, &r) && read_variable(&r);
    free(r.all);
    if (!fine)
        return false;
    weigh(d, a, table);
    put_before(d, a);
    return true;
}

uint32_t rd_defaults_given(const struct rd_defaults *d, const struct rd_given_option **list) {
    struct rd_given_option *to = calloc(d->count + 1, sizeof *to);
    uint32_t n = 0;
    if (!to)
        abort();
    for (uint32_t i = 0; i < d->count; i++)
        if (d->at[i].counts)
            to[n++] = d->at[i].option;
    *list = to;
    return n;
}
