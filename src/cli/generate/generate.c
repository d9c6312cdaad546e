/* generate.c - raddle --generate, and what man pages and completions have in common. See generate.h. */
#include "cli/generate/generate.h"

#include "base/text.h"
#include "detect/detect.h"
#include "search/search.h"

#include <stdio.h>
#include <string.h>

bool rd_generate_is_command(const struct rd_command *c) { return c->arguments && c->summary; }

static void append(char *to, size_t room, const char *word, size_t length) {
    size_t n = strlen(to);
    RD_CHECK(n + length + 2 < room);
    snprintf(to + n, room - n, "%s%.*s", n ? " " : "", (int)length, word);
}

/* Puts the words of "a|b|NAME" into the value. Words in capitals stand for something and are left out. */
static void take_words(struct rd_takes *v, const char *text, size_t length) {
    for (const char *w = text; w < text + length;) {
        size_t n = strcspn(w, "|]");
        if (w[0] >= 'a' && w[0] <= 'z')
            append(v->words, sizeof v->words, w, n);
        w += n + 1;
    }
}

struct rd_takes rd_takes_of_option(const struct rd_option *o) {
    struct rd_takes v = {.kind = RD_TAKES_TEXT};
    if (!o->value)
        v.kind = RD_TAKES_NONE;
    else if (strcmp(o->name, "strategy") == 0)
        v.kind = RD_TAKES_STRATEGY;
    else if (strcmp(o->name, "detect") == 0) {
        v.kind = RD_TAKES_LIST;
        take_words(&v, o->value, strlen(o->value));
        for (unsigned i = 0; i < RD_DETECTORS; i++)
            append(v.words, sizeof v.words, rd_detectors[i].name, strlen(rd_detectors[i].name));
    } else if (strchr(o->value, '|')) {
        v.kind = RD_TAKES_WORDS;
        take_words(&v, o->value, strlen(o->value));
    } else if (strncmp(o->value, "FILE", 4) == 0 || strcmp(o->value, "OUT") == 0)
        v.kind = RD_TAKES_FILE;
    else if (strcmp(o->value, "DIR") == 0)
        v.kind = RD_TAKES_FOLDER;
    return v;
}

struct rd_takes rd_takes_of_command(const struct rd_command *c) {
    struct rd_takes v = {.kind = RD_TAKES_FILE};
    const char *list = c->arguments[0] == '[' && !strstr(c->arguments, "[options]") ? c->arguments + 1 : NULL;
    if (list) {
        v.kind = RD_TAKES_WORDS;
        take_words(&v, list, strcspn(list, "]"));
        for (uint32_t i = 0; i < rd_command_count; i++) { /* commands of two words */
            size_t n = strlen(c->name);
            if (strncmp(rd_commands[i]->name, c->name, n) == 0 && rd_commands[i]->name[n] == ' ')
                append(v.words, sizeof v.words, rd_commands[i]->name + n + 1, strlen(rd_commands[i]->name + n + 1));
        }
    } else if (strstr(c->arguments, "PROGRAM"))
        v.kind = RD_TAKES_PROGRAM;
    else if (!c->options)
        v.kind = RD_TAKES_COMPILE;
    return v;
}

void rd_generate_words(bool pages, char *to, size_t room) {
    to[0] = 0;
    for (uint32_t i = 0; i < rd_command_count; i++)
        if (pages ? rd_commands[i]->description != NULL : rd_generate_is_command(rd_commands[i]))
            if (!strchr(rd_commands[i]->name, ' ')) /* the second word completes with the first */
                append(to, room, rd_commands[i]->name, strlen(rd_commands[i]->name));
    if (!pages)
        append(to, room, "help", 4);
}

void rd_generate_label(const char *help, char *to, size_t room) {
    size_t n = 0;
    while (help[n] && !strchr(";(", help[n]) && strncmp(help + n, ". ", 2) != 0)
        n++;
    while (n && help[n - 1] == ' ')
        n--;
    snprintf(to, room, "%.*s", (int)n, help);
}

void rd_generate_escaped(const char *text, const char *special, const char *before) {
    for (; *text; text++)
        printf("%s%c", strchr(special, *text) ? before : "", *text);
}

static int command(char **args) {
    const char *what = args[0] ? args[0] : "";
    if (strcmp(what, "bash") == 0)
        return rd_generate_bash(), RD_EXIT_CLEAN;
    if (strcmp(what, "zsh") == 0)
        return rd_generate_zsh(), RD_EXIT_CLEAN;
    if (strcmp(what, "fish") == 0)
        return rd_generate_fish(), RD_EXIT_CLEAN;
    if (strcmp(what, "man-pages") == 0) { /* the names of the commands with a page, with dashes */
        for (uint32_t i = 0; i < rd_command_count; i++) {
            if (!rd_generate_is_command(rd_commands[i]))
                continue;
            fputs("raddle-", stdout);
            for (const char *c = rd_commands[i]->name; *c; c++)
                putchar(*c == ' ' ? '-' : *c);
            putchar('\n');
        }
        return RD_EXIT_CLEAN;
    }
    if (strcmp(what, "man") == 0 && args[1]) {
        if (strcmp(args[2] ? args[2] : "raddle", "raddle") == 0)
            return rd_generate_man_overview(args[1]), RD_EXIT_CLEAN;
        for (uint32_t i = 0; i < rd_command_count; i++) {
            const char *name = rd_commands[i]->name;
            size_t n = strlen(name);
            bool same = strncmp(args[2], "raddle-", 7) == 0 && strlen(args[2] + 7) == n;
            for (size_t k = 0; same && k < n; k++)
                same = args[2][7 + k] == (name[k] == ' ' ? '-' : name[k]);
            if (same && rd_generate_is_command(rd_commands[i]))
                return rd_generate_man_command(rd_commands[i], args[1]), RD_EXIT_CLEAN;
        }
    }
    return rd_trouble("--generate writes: bash, zsh, fish, man-pages, man DATE PAGE");
}

const struct rd_command rd_command_generate = {.name = "--generate", .run = command};
