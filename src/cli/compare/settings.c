/*
 * settings.c - how two runs were asked for different things. Options that concern only what is printed or where it
 * is written make no difference; neither do time and workers of a test, which `raddle test` chooses by the load of
 * the machine.
 */
#include "cli/compare/comparison.h"

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

json_t *rd_json_made(json_t *value) {
    if (!value)
        abort();
    return value;
}

void rd_json_put(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new_nocheck(object, key, rd_json_made(value)) != 0)
        abort();
}

void rd_json_add(json_t *list, json_t *value) {
    if (json_array_append_new(list, rd_json_made(value)) != 0)
        abort();
}

json_t *rd_json_shared(const json_t *value) { return value ? json_incref((json_t *)value) : json_null(); }

/* A search in the table of the options of `raddle run`. */
struct wanted {
    const char *name; /* not terminated */
    size_t length;    /* 0: by the letter */
    char letter;
    bool found;
    struct rd_option option;
};

static void try_option(void *ctx, const struct rd_option *o) {
    struct wanted *w = ctx;
    bool same = w->length ? strlen(o->name) == w->length && memcmp(o->name, w->name, w->length) == 0
                          : o->letter && o->letter == w->letter;
    if (same && !w->found) {
        w->found = true;
        w->option = *o;
    }
}

/* Does the option change what is run, or what counts as a bug? Strategy and seed have keys of their own. */
static bool matters(const char *name, bool test) {
    static const char *const never[] = {"strategy",   "seed",        "out",      "json",  "junit",
                                        "sarif",      "html",        "github",   "quiet", "coverage",
                                        "statistics", "show-output", "progress", "color", "all-steps"};
    for (unsigned i = 0; i < RD_COUNT(never); i++)
        if (strcmp(name, never[i]) == 0)
            return false;
    return !test || (strcmp(name, "time") != 0 && strcmp(name, "jobs") != 0);
}

static const char *word_at(const json_t *words, size_t i) {
    const char *word = json_string_value(json_array_get(words, i));
    return word ? word : "";
}

/* The options of a command line that matter, each as one word "--name=value". Unknown ones stay as they are. */
static json_t *options_of(const json_t *command, bool test) {
    json_t *to = rd_json_made(json_array());
    size_t n = json_array_size(command);
    for (size_t i = strcmp(word_at(command, 1), "run") == 0 ? 2 : n; i < n; i++) {
        const char *word = word_at(command, i), *inline_value = NULL, *value = "";
        if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
            break;
        struct wanted w = {.letter = word[1]};
        if (word[1] == '-') {
            w.name = word + 2;
            w.length = strcspn(w.name, "=");
            inline_value = w.name[w.length] ? w.name + w.length + 1 : NULL;
        } else if (word[2]) {
            inline_value = word + 2;
        }
        rd_options_each(rd_command_run.options, try_option, &w);
        if (!w.found) {
            rd_json_add(to, rd_json_shared(json_array_get(command, i)));
            continue;
        }
        if (w.option.value)
            value = inline_value ? inline_value : word_at(command, ++i);
        if (matters(w.option.name, test))
            rd_json_add(to, json_sprintf("--%s%s%s", w.option.name, w.option.value ? "=" : "", value));
    }
    return to;
}

/* Adds the options that a file .raddle or RADDLE_OPTIONS has given. Of one that stands in the command line, too,
 * both count. */
static json_t *with_given(json_t *to, const json_t *given, bool test) {
    const json_t *o;
    size_t i;
    json_array_foreach(given, i, o) {
        const char *name = json_string_value(json_object_get(o, "option"));
        const char *value = json_string_value(json_object_get(o, "value"));
        if (name && matters(name + strspn(name, "-"), test))
            rd_json_add(to,
                        json_sprintf("--%s%s%s", name + strspn(name, "-"), value ? "=" : "", value ? value : ""));
    }
    return to;
}

static json_t *all_options_of(const json_t *run, bool test) {
    return with_given(options_of(json_object_get(run, "command"), test), json_object_get(run, "options"), test);
}

/* The variables of an environment as words NAME=VALUE. */
static json_t *variables_of(const json_t *environment) {
    json_t *to = rd_json_made(json_array());
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)environment, name, value)
        rd_json_add(to, json_sprintf("%s=%s", name, json_string_value(value)));
    return to;
}

/* The words of a list that are not in another one, once each. */
static json_t *only_in(const json_t *words, const json_t *others) {
    json_t *only = rd_json_made(json_array()), *known = rd_json_made(json_object()), *word;
    size_t i;
    json_array_foreach(others, i, word) rd_json_put(known, json_string_value(word), json_true());
    json_array_foreach(words, i, word) {
        if (json_object_get(known, json_string_value(word)))
            continue;
        rd_json_add(only, json_incref(word));
        rd_json_put(known, json_string_value(word), json_true());
    }
    json_decref(known);
    return only;
}

/* Takes the references of the values. */
static void note(json_t *differences, const json_t *test, const char *what, json_t *a, json_t *b) {
    json_t *entry;
    size_t i;
    json_array_foreach(differences, i, entry) {
        json_t *runs = json_object_get(entry, "runs");
        if (strcmp(json_string_value(json_object_get(entry, "what")), what) != 0)
            continue;
        json_integer_set(runs, json_integer_value(runs) + 1);
        json_decref(a);
        json_decref(b);
        return;
    }
    entry = rd_json_made(json_object());
    rd_json_put(entry, "what", json_string(what));
    rd_json_put(entry, "test", rd_json_shared(test));
    rd_json_put(entry, "runs", json_integer(1));
    rd_json_put(entry, "a", a);
    rd_json_put(entry, "b", b);
    rd_json_add(differences, entry);
}

/* Takes the references of two lists of words whose order does not matter. */
static void compare_words(json_t *differences, const json_t *test, const char *what, json_t *a, json_t *b) {
    json_t *only_a = only_in(a, b), *only_b = only_in(b, a);
    json_decref(a);
    json_decref(b);
    if (json_array_size(only_a) + json_array_size(only_b) > 0) {
        note(differences, test, what, only_a, only_b);
        return;
    }
    json_decref(only_a);
    json_decref(only_b);
}

void rd_settings_compare(json_t *differences, const json_t *test, const json_t *a, const json_t *b) {
    static const struct {
        const char *key, *what;
    } settings[] = {{"raddle", "version of raddle"}, {"program", "program"},   {"build_id", "build"},
                    {"arguments", "arguments"},      {"strategy", "strategy"}, {"seed", "seed"}};
    for (unsigned i = 0; i < RD_COUNT(settings); i++) {
        const json_t *in_a = json_object_get(a, settings[i].key), *in_b = json_object_get(b, settings[i].key);
        if (!json_equal(in_a, in_b))
            note(differences, test, settings[i].what, rd_json_shared(in_a), rd_json_shared(in_b));
    }
    bool is_test = !json_is_null(test);
    compare_words(differences, test, "options", all_options_of(a, is_test), all_options_of(b, is_test));
    compare_words(differences, test, "environment", variables_of(json_object_get(a, "environment")),
                  variables_of(json_object_get(b, "environment")));
}
