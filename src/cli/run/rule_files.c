/*
 * rule_files.c - see rule_files.h. The lines of all files, without comments, become one text. In it each file
 * begins with the line "library *", which ends the effect of the last `library` line of the file before. The first
 * rule for a function counts, so the user's files come before the installed ones.
 */
#include "cli/run/rule_files.h"

#include "cli/options.h"
#include "drive/process/installed_file.h"
#include "foreign/sync_rules.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rd_rule_files_add(struct rd_rule_files *r, const char *file) {
    if (r->count == RD_RULE_FILES)
        return rd_trouble("--rules can be given at most %d times", RD_RULE_FILES), false;
    r->files[r->count++] = file;
    return true;
}

/* The file that is being read, and the text that its lines go to. */
struct rule_reader {
    FILE *to;
    const char *file;
    unsigned line;
};

/* Checks a line and appends it to the text. False after a message. */
static bool take_line(struct rule_reader *r, const char *text) {
    struct rd_sync_rule rule;
    char library[RD_SYNC_NAME];
    struct rd_error error;
    if (strlen(text) >= RD_SYNC_LINE)
        return rd_trouble("%s:%u: the line is too long", r->file, r->line), false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\t')
            return rd_trouble("%s:%u: a control character, which a rule cannot contain", r->file, r->line), false;
    if (rd_sync_rule_library(text, library)) {
        if (!library[0])
            return rd_trouble("%s:%u: 'library' needs one name, such as libglib-2.0.so", r->file, r->line), false;
    } else if (!rd_sync_rule_parse(text, &rule, &error)) {
        return rd_trouble("%s:%u: %s", r->file, r->line, error.text), false;
    }
    fprintf(r->to, "%s\n", text);
    return true;
}

static bool read_file(FILE *to, const char *file) {
    struct rule_reader reader = {.to = to, .file = file}, *r = &reader;
    FILE *in = fopen(file, "re");
    if (!in)
        return rd_trouble("cannot open '%s': %s", file, strerror(errno)), false;
    fprintf(r->to, "library *\n");
    char *line = NULL;
    size_t room = 0;
    bool fine = true;
    for (r->line = 1; fine && getline(&line, &room, in) >= 0; r->line++) {
        char *text = rd_sync_rule_trim(line);
        if (*text)
            fine = take_line(r, text);
    }
    if (fine && ferror(in))
        fine = (rd_trouble("cannot read '%s': %s", r->file, strerror(errno)), false);
    free(line);
    fclose(in);
    return fine;
}

static int is_rules(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && dot != e->d_name && strcmp(dot, ".rules") == 0;
}

static bool read_folder(FILE *to) {
    char folder[PATH_MAX], path[PATH_MAX + 256];
    struct dirent **list;
    if (!rd_installed_file("rules/.", RADDLE_DATADIR "/raddle/rules/.", folder))
        return true;
    int n = scandir(folder, &list, is_rules, alphasort);
    if (n < 0)
        return rd_trouble("cannot read '%s': %s", folder, strerror(errno)), false;
    bool fine = true;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        fine = fine && read_file(to, path);
        free(list[i]);
    }
    free(list);
    return fine;
}

bool rd_rule_files_read(const struct rd_rule_files *files, struct rd_session *session) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        abort();
    bool fine = true;
    for (uint32_t i = 0; fine && i < files->count; i++)
        fine = read_file(to, files->files[i]);
    fine = fine && read_folder(to);
    fclose(to);
    session->rules = text;
    return fine;
}
