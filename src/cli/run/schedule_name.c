/* schedule_name.c - see schedule_name.h. */
#include "cli/run/schedule_name.h"

#include "base/sha256.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAM_MAX = 64, WHAT_MAX = 40, HASH_DIGITS = 8 };

/* Appends a name with its letters, digits and "+-_" as they are, and one '_' for each run of other bytes. */
static void add_safe(struct rd_text *t, const char *name, size_t length, size_t max) {
    static const char safe[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-_.";
    size_t start = t->used;
    for (size_t i = 0; i < length && t->used - start < max; i++) {
        bool good = strchr(safe, name[i]) && (t->used > start || (name[i] != '-' && name[i] != '.'));
        if (good)
            rd_text_char(t, name[i]);
        else if (t->used == start || t->at[t->used - 1] != '_')
            rd_text_char(t, '_');
    }
}

/*
 * The length of the part of a variable's name that is the same in every execution: without elements, members and
 * numbers of blocks and threads. 0: there is none.
 */
static size_t stable_length(const char *name) {
    static const char *const unnamed[] = {"stack(", "heap(", "mapping(", "heap block",
                                          "block#", "0x",    "other",    "io"};
    const char *of = strstr(name, " of T");
    size_t n = of ? (size_t)(of - name) : strlen(name);
    for (size_t i = 0; i < RD_COUNT(unnamed); i++)
        if (strncmp(name, unnamed[i], strlen(unnamed[i])) == 0)
            return 0;
    return RD_MIN(n, strcspn(name, ".[#+"));
}

/* The function of the finding; of a race that of the two which is first in the alphabet. */
static void function_of(const struct rd_report *r, char *to, size_t room) {
    struct rd_where w;
    uint32_t a, b;
    rd_facts_where(r, &w);
    const char *name = w.function;
    if (rd_race_steps(r, &a, &b)) {
        const struct rd_frame *f = rd_facts_step_frame(r, a), *g = rd_facts_step_frame(r, b);
        name = f && g ? strcmp(f->function, g->function) < 0 ? f->function : g->function : "";
    }
    snprintf(to, room, "%s", strcmp(name, "??") == 0 ? "" : name);
}

/* Appends the variable or function that the finding is about, with a dot before it, if one is known. */
static void add_what(struct rd_text *t, const struct rd_report *r) {
    const struct rd_finding *f = &r->schedule->finding;
    char name[RD_PHRASE] = "";
    uint32_t a, b;
    size_t length = 0;
    if (rd_race_steps(r, &a, &b)) {
        rd_words_data(r, f->data ? f->data : r->schedule->steps[b].place, name, sizeof name);
        length = stable_length(name);
    }
    if (!length) {
        function_of(r, name, sizeof name);
        length = strlen(name);
    }
    if (length) {
        rd_text_char(t, '.');
        add_safe(t, name, length, WHAT_MAX);
    }
}

static void add_program(struct rd_text *t, const struct rd_schedule *s) {
    const char *slash = strrchr(s->program, '/'), *name = slash ? slash + 1 : s->program;
    if (!name[0]) /* only a file that was not recorded has such a program; the name must not be a hidden one */
        name = "program";
    add_safe(t, name, strlen(name), PROGRAM_MAX);
}

/* Hashes the command: the program, by its path from the working directory if it is in there, and the arguments. */
static void begin_hash(struct rd_sha256 *h, const struct rd_schedule *s) {
    const struct rd_report in = {.schedule = s};
    rd_sha256_begin(h);
    rd_sha256_add_text(h, rd_words_path(&in, s->program));
    for (uint32_t i = 1; i < s->arg_count; i++)
        rd_sha256_add_text(h, s->args[i]);
}

static void end_name(struct rd_text *t, struct rd_sha256 *h, unsigned number) {
    uint8_t hash[RD_SHA256_SIZE];
    char digits[RD_SHA256_TEXT];
    rd_sha256_end(h, hash);
    rd_sha256_hex(hash, HASH_DIGITS, digits);
    rd_text_char(t, '.');
    rd_text_str(t, digits);
    if (number > 1) {
        rd_text_char(t, '-');
        rd_text_dec(t, number);
    }
    rd_text_str(t, ".sched");
}

void rd_schedule_name(const struct rd_report *r, unsigned number, char to[RD_SCHEDULE_NAME]) {
    struct rd_text t;
    struct rd_sha256 h;
    char identity[RD_IDENTITY];
    rd_text_init(&t, to, RD_SCHEDULE_NAME);
    add_program(&t, r->schedule);
    rd_text_char(&t, '.');
    rd_text_str(&t, rd_finding_name(r->schedule->finding.kind));
    add_what(&t, r);
    begin_hash(&h, r->schedule);
    rd_facts_identity(r, identity);
    rd_sha256_add_text(&h, identity);
    end_name(&t, &h, number);
}

void rd_schedule_name_ending(const struct rd_schedule *s, const struct rd_ending *e, const char *text,
                             char to[RD_SCHEDULE_NAME]) {
    struct rd_text t;
    struct rd_sha256 h;
    rd_text_init(&t, to, RD_SCHEDULE_NAME);
    add_program(&t, s);
    rd_text_str(&t, ".outcome");
    begin_hash(&h, s);
    rd_sha256_add(&h, &e->key, sizeof e->key);
    rd_sha256_add(&h, text, (size_t)e->output_size + e->observed_size);
    end_name(&t, &h, 1);
}
