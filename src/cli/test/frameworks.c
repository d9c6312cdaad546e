/* frameworks.c - see framework.h. */
#include "cli/test/framework.h"

#include "cli/test/ask_program.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program may hold the marks of several frameworks: GoogleMock knows Catch2's names; plain is the last. */
const struct rd_framework *const rd_frameworks[] = {
    &rd_framework_gtest, &rd_framework_catch2,    &rd_framework_catch3, &rd_framework_doctest,
    &rd_framework_boost, &rd_framework_criterion, &rd_framework_cmocka, &rd_framework_plain};
const uint32_t rd_framework_count = RD_COUNT(rd_frameworks);

static bool has_mark(const struct rd_framework *f, const void *data, size_t size) {
    for (uint32_t i = 0; i < RD_COUNT(f->marks) && f->marks[i]; i++)
        if (memmem(data, size, f->marks[i], strlen(f->marks[i])))
            return true;
    return false;
}

const struct rd_framework *rd_frameworks_find(const char *path) {
    struct stat st;
    uint32_t i = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *data = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    while (i + 1 < rd_framework_count &&
           (data == MAP_FAILED || !has_mark(rd_frameworks[i], data, (size_t)st.st_size)))
        i++;
    if (data != MAP_FAILED)
        munmap(data, (size_t)st.st_size);
    return rd_frameworks[i];
}

bool rd_frameworks_plain_name(const char *name, const char *also) {
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr(also, *name))
            return false;
    return true;
}

/* Why the answer is no list; false: it may be one. */
static bool is_no_answer(const struct rd_framework *f, const struct rd_answer *a, struct rd_error *error) {
    if (WIFSIGNALED(a->status)) {
        rd_error_set(error, "it was killed by signal %d (%s)", WTERMSIG(a->status), strsignal(WTERMSIG(a->status)));
        return true;
    }
    if (WEXITSTATUS(a->status) == 0 || f->counts_in_status)
        return false;
    const char *says = a->text[1][0] ? a->text[1] : a->text[0];
    rd_error_set(error, "it ended with exit status %d%s%.*s", WEXITSTATUS(a->status), *says ? ": " : "",
                 (int)RD_MIN(strcspn(says, "\n"), (size_t)200), says);
    return true;
}

extern char **environ;

void rd_frameworks_clean_environment(const struct rd_framework *f) {
    for (uint32_t i = 0; i < RD_COUNT(f->variables) && f->variables[i]; i++) {
        size_t n = strcspn(f->variables[i], "*");
        bool all = f->variables[i][n] == '*';
        for (char **e = environ; e && *e;) {
            size_t name = strcspn(*e, "=");
            if (strncmp(*e, f->variables[i], n) != 0 || (!all && name != n)) {
                e++;
                continue;
            }
            for (char **to = e; (to[0] = to[1]); to++) /* as unsetenv does, also for a name that is twice there */
                continue;
        }
    }
}

/*
 * Does the text begin with the pattern, in which a space stands for any number of them, and '#' for a number? Notes
 * the last of these.
 */
static bool begins_with(const char *text, const char *pattern, uint32_t *number) {
    for (; *pattern; pattern++)
        if (*pattern == ' ') {
            text += strspn(text, " ");
        } else if (*pattern == '#' && isdigit((unsigned char)*text)) {
            for (*number = 0; isdigit((unsigned char)*text); text++)
                *number = RD_MIN(*number, 1000000u) * 10 + (uint32_t)(*text - '0');
        } else if (*text++ != *pattern)
            return false;
    return true;
}

uint32_t rd_frameworks_tests_in(const struct rd_framework *f, const char *output) {
    uint32_t number = 0;
    for (const char *line = output; *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (uint32_t i = 0; i < RD_COUNT(f->ran) && f->ran[i]; i++)
            if (begins_with(line, f->ran[i], &number))
                return number;
    return 0;
}

bool rd_frameworks_none_ran(const struct rd_framework *f, const char *output) {
    uint32_t number;
    for (const char *line = output; *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (uint32_t i = 0; i < RD_COUNT(f->none_ran) && f->none_ran[i]; i++)
            if (begins_with(line, f->none_ran[i], &number))
                return true;
    return false;
}

/* Asks the program for the tests that `select` selects; NULL: all of them. */
static int ask(struct rd_test_list *to, const struct rd_test_program *p, char *const *select, double end_s,
               struct rd_error *error) {
    const struct rd_framework *f = p->framework;
    struct rd_answer a;
    size_t room = 1 + RD_COUNT(f->list_args) + rd_test_count_words(select) + rd_test_count_words(p->args) + 1,
           n = 0;
    char **args = calloc(room, sizeof *args);
    if (!args)
        abort();
    args[n++] = (char *)p->word;
    for (uint32_t i = 0; i < RD_COUNT(f->list_args) && f->list_args[i]; i++)
        args[n++] = (char *)f->list_args[i];
    for (; select && *select; select++)
        args[n++] = *select;
    for (char **more = p->args; more && *more; more++)
        args[n++] = *more;
    int status = rd_ask_program(&a, &(struct rd_question){p->path, args, f, end_s}, error);
    free(args);
    if (status == 0 && is_no_answer(f, &a, error))
        status = -1;
    if (status == 0) {
        f->parse(to, a.text[0]);
        if (f->lists_on_stderr && to->count == 0)
            f->parse(to, a.text[1]);
        if (to->unread) {
            rd_error_set(error, "%s", to->unread);
            status = -1;
        }
    }
    rd_answer_free(&a);
    return status;
}

/* Asks the program which tests the arguments of this one select. Sets `unfit` unless it is this one alone. */
static void check_selection(struct rd_test *t, double end_s) {
    static const char several[] = "the framework's filter cannot tell it from another test",
                      none[] = "the framework's filter does not find it by its name";
    struct rd_test_list selected = {0};
    if (!t->program->framework->lists_selected) {
        t->unfit = several;
        return;
    }
    struct rd_error error;
    uint32_t on = 0;
    bool same = false;
    if (ask(&selected, t->program, t->args, end_s, &error) != 0) {
        if (asprintf(&t->unfit_text, "asked which tests its name selects, the program gave no answer: %s",
                     error.text) < 0)
            abort();
        t->unfit = t->unfit_text;
    }
    for (uint32_t i = 0; i < selected.count; i++) {
        on += !selected.at[i].disabled;
        same |= !selected.at[i].disabled && strcmp(selected.at[i].name, t->name) == 0;
    }
    if (!t->unfit && on > 1)
        t->unfit = several;
    else if (!t->unfit && !same)
        t->unfit = none;
    rd_test_list_free(&selected);
}

/* Asks about the ambiguous names among the tests from `first` on. */
static void check_names(struct rd_test_list *to, uint32_t first, double end_s) {
    for (uint32_t i = first; i < to->count; i++) {
        struct rd_test *t = &to->at[i];
        const struct rd_framework *f = t->program->framework;
        if (!t->disabled && !t->unfit && f->is_ambiguous && f->is_ambiguous(to, t))
            check_selection(t, end_s);
    }
}

int rd_frameworks_list(struct rd_test_list *to, struct rd_test_program *p, double end_s, struct rd_error *error) {
    uint32_t first = to->count;
    if (!p->framework->list_args[0]) {
        rd_test_list_add(to, p->label, strlen(p->label))->unfit = p->framework->cannot;
    } else if (ask(to, p, NULL, end_s, error) != 0) {
        return -1;
    }
    char *hidden[] = {(char *)p->framework->hidden_arg, NULL};
    uint32_t shown = to->count;
    if (hidden[0] && ask(to, p, hidden, end_s, error) != 0)
        return -1;
    for (uint32_t i = shown; i < to->count; i++)
        to->at[i].disabled = true;
    if (to->count == first) {
        rd_error_set(error, "it lists no tests");
        return -1;
    }
    for (uint32_t i = first; i < to->count; i++)
        to->at[i].program = p;
    for (uint32_t i = first; i < to->count && p->framework->cannot; i++)
        to->at[i].unfit = p->framework->cannot;
    check_names(to, first, end_s);
    return 0;
}
