/*
 * replay_command.c - commands that a report prints for the reader to paste into a shell: they work as printed, from
 * the directory where Raddle was started, whatever is in the names.
 */
#include "base/safe_text.h"
#include "base/text.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rd_called_as;

/* Is there anything that a terminal does not show, so that it could not be copied? */
static bool is_visible(const char *text) {
    for (size_t left = strlen(text); left;) {
        unsigned n = rd_utf8_length(text, left);
        if (n == 0 || rd_char_is_unsafe(rd_utf8_char(text, n)))
            return false;
        text += n;
        left -= n;
    }
    return true;
}

/* Writes a command substitution in which printf makes the text. */
static void add_printf(struct rd_text *t, const char *text) {
    rd_text_str(t, "\"$(printf '");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        bool first = p == (const unsigned char *)text; /* it could be a dash, which begins an option */
        if (first || *p < 0x20 || *p > 0x7e || strchr("'\\%", *p)) {
            rd_text_char(t, '\\');
            for (int shift = 6; shift >= 0; shift -= 3)
                rd_text_char(t, (char)('0' + (*p >> shift & 7)));
        } else {
            rd_text_char(t, (char)*p);
        }
    }
    rd_text_str(t, "')\"");
}

const char *rd_shell_word(const char *text, char *to, size_t room) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./:=@%^,";
    struct rd_text t;
    rd_text_init(&t, to, room);
    if (text[0] && text[strspn(text, plain)] == 0) {
        rd_text_str(&t, text);
        return to;
    }
    if (!is_visible(text)) {
        add_printf(&t, text);
        return to;
    }
    rd_text_char(&t, '\'');
    for (const char *p = text; *p; p++)
        if (*p == '\'')
            rd_text_str(&t, "'\\''");
        else
            rd_text_char(&t, *p);
    rd_text_char(&t, '\'');
    return to;
}

char *rd_shell_line(const char *const *words) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    for (size_t i = 0; words[i]; i++) {
        size_t room = 4 * strlen(words[i]) + 32; /* of a byte there are at most four, and the quotes around all */
        char *word = malloc(room);
        if (!word)
            abort();
        fprintf(out, "%s%s", i ? " " : "", rd_shell_word(words[i], word, room));
        free(word);
    }
    if (fclose(out) != 0)
        abort();
    return text;
}

/* The variables of OpenMP: they decide how many threads a program creates, and a schedule file does not store them.
 */
const char *rd_replay_settings(char *to, size_t room) {
    extern char **environ;
    struct rd_text t;
    rd_text_init(&t, to, room);
    for (char **e = environ; *e; e++) {
        char word[RD_REPLAY_SETTINGS];
        size_t name = strcspn(*e, "=");
        if (strncmp(*e, "OMP_", 4) != 0 || (*e)[name] != '=' ||
            strspn(*e, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != name)
            continue;
        rd_text_part(&t, *e, name + 1);
        rd_text_str(&t, rd_shell_word(*e + name + 1, word, sizeof word));
        rd_text_char(&t, ' ');
    }
    return to;
}

const char *rd_words_command(const struct rd_report *r, const char *command, char to[RD_COMMAND]) {
    char settings[RD_REPLAY_SETTINGS], word[RD_COMMAND];
    struct rd_text t;
    rd_text_init(&t, to, RD_COMMAND);
    if (!r->schedule_path)
        return to;
    if (strncmp(command, "replay", 6) == 0)
        rd_text_str(&t, rd_replay_settings(settings, sizeof settings));
    rd_text_str(&t, rd_shell_word(rd_called_as ? rd_called_as : "raddle", word, sizeof word));
    rd_text_char(&t, ' ');
    rd_text_str(&t, command);
    rd_text_char(&t, ' ');
    char path[RD_COMMAND / 2]; /* a path that begins with a dash is no option */
    snprintf(path, sizeof path, "%s%s", r->schedule_path[0] == '-' ? "./" : "", r->schedule_path);
    rd_text_str(&t, rd_shell_word(path, word, sizeof word));
    return to;
}
