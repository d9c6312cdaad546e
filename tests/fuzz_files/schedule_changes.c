/*
 * schedule_changes.c - changed schedule files. Most changes keep the shape of the file: whole lines and words are
 * exchanged, numbers become ones at a boundary, and at the end the numbers of stacks and steps, and the checksum,
 * are made right again. A file with a wrong number of a step is refused at once, and would test nothing behind the
 * reader.
 */
#include "fuzz_files.h"

#include "file/schedule.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4096, LINE_MAX_BYTES = 4096, WORDS_MAX = 256 };

/* A file as lines, without their newlines. */
struct file_lines {
    char *at[LINES_MAX];
    uint32_t count;
};

/* Where the words of a line are. A quoted string is one word. */
struct line_words {
    const char *at[WORDS_MAX];
    size_t size[WORDS_MAX];
    uint32_t count;
};

static void split_lines(struct files_bytes b, struct file_lines *to) {
    const char *p = (const char *)b.data;
    to->count = 0;
    for (const char *eol; to->count < LINES_MAX - 64 && (eol = strchr(p, '\n')); p = eol + 1)
        to->at[to->count++] = strndup(p, (size_t)(eol - p));
}

static void split_words(const char *line, struct line_words *w) {
    w->count = 0;
    for (const char *p = line; *p && w->count < WORDS_MAX;) {
        const char *start = p;
        if (*p == '"')
            for (p++; *p && *p != '"'; p++)
                p += *p == '\\' && p[1];
        while (*p && *p != ' ')
            p++;
        w->at[w->count] = start;
        w->size[w->count++] = (size_t)(p - start);
        while (*p == ' ')
            p++;
    }
}

static bool begins(const char *line, const char *word) {
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == 0);
}

static void insert(struct file_lines *f, uint32_t at, const char *line) {
    if (f->count == LINES_MAX)
        return;
    memmove(&f->at[at + 1], &f->at[at], (f->count - at) * sizeof *f->at);
    f->at[at] = strdup(line);
    f->count++;
}

static void delete_line(struct file_lines *f, uint32_t at) {
    free(f->at[at]);
    memmove(&f->at[at], &f->at[at + 1], (--f->count - at) * sizeof *f->at);
}

/* Replaces a word of a line; an empty text removes the word. */
static void put_word(char **line, const struct line_words *w, uint32_t word, const char *text, size_t size) {
    size_t before = (size_t)(w->at[word] - *line), length = strlen(*line);
    char *to = malloc(length + size + 1);
    memcpy(to, *line, before);
    memcpy(to + before, text, size);
    strcpy(to + before + size, w->at[word] + w->size[word]);
    free(*line);
    *line = to;
}

static void put_text(char **line, const struct line_words *w, uint32_t word, const char *text) {
    put_word(line, w, word, text, strlen(text));
}

/* The number of lines that begin with a word. */
static uint32_t lines_of(const struct file_lines *f, const char *word) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count; i++)
        n += begins(f->at[i], word);
    return n;
}

/* A line that begins with the word; any line if `word` is NULL. UINT32_MAX: there is none. */
static uint32_t some_line(const struct file_lines *f, const char *word, struct rd_rng *r) {
    uint32_t n = word ? lines_of(f, word) : f->count;
    uint32_t pick = n ? rd_rng_below(r, n) : 0;
    for (uint32_t i = 0; n && i < f->count; i++)
        if ((!word || begins(f->at[i], word)) && pick-- == 0)
            return i;
    return UINT32_MAX;
}

/* A kind of line first, then one of that kind: else nearly all changes would be of steps. */
static uint32_t any_line(const struct file_lines *f, struct rd_rng *r) {
    static const char *const kinds[] = {"step",   "stack",     "pending", "thread", "finding", "finding-at",
                                        "module", "block",     "data",    "why",    "ordered", "minimised",
                                        "part",   "allocated", "name",    "shared", "points",  "message",
                                        "file",   "function",  "track",   "watch",  "step",    NULL};
    uint32_t line = some_line(f, kinds[rd_rng_below(r, RD_COUNT(kinds))], r);
    return line == UINT32_MAX ? some_line(f, NULL, r) : line;
}

/* A number at a boundary: of the types, or of the counts in the file. */
static const char *boundary(const struct file_lines *f, struct rd_rng *r, char to[32]) {
    static const char *const texts[] = {
        "-",          "-1",          "4294967295", "4294967294", "18446744073709551615",
        "2147483647", "-2147483648", "65535",      "256",        "255",
        "128",        "64",          "63",         "0",          "1",
        "2"};
    static const char *const counted[] = {"thread", "step", "stack", "module", "step", "thread"};
    if (rd_rng_below(r, 2))
        return texts[rd_rng_below(r, RD_COUNT(texts))];
    uint32_t n = lines_of(f, counted[rd_rng_below(r, RD_COUNT(counted))]);
    n = rd_rng_below(r, 2) ? n + 1 - rd_rng_below(r, 3) : rd_rng_below(r, n + 1);
    snprintf(to, 32, "%d", (int)n);
    return to;
}

/* A place of any region, as a word of the file or a new one. */
static const char *some_place(struct rd_rng *r, char to[40]) {
    static const char *const fixed[] = {"-",
                                        "m0+0x0",
                                        "m0+0xffffffffffff",
                                        "heap0+0x0",
                                        "heap255+0x10",
                                        "heap1+0x1000000000",
                                        "stack0-0x0",
                                        "stack1-0xffffffff",
                                        "io1+0x0",
                                        "io8+0x200003",
                                        "other0",
                                        "other3",
                                        "other4294967295",
                                        "m63+0x1"};
    static const char *const regions[] = {"m0+",     "heap0+", "heap1+", "heap2+", "stack0-", "stack1-",
                                          "stack2-", "io1+",   "io2+",   "m1+",    "m2+"};
    if (rd_rng_below(r, 3) == 0)
        return fixed[rd_rng_below(r, RD_COUNT(fixed))];
    uint64_t offset = rd_rng_next(r) >> (16 + rd_rng_below(r, 47));
    snprintf(to, 40, "%s0x%" PRIx64, regions[rd_rng_below(r, RD_COUNT(regions))], offset);
    return to;
}

static const char *some_string(struct rd_rng *r) {
    static const char *const texts[] = {"\"\"",
                                        "\"%s%n%d\"",
                                        "\"</script><b>&\"",
                                        "\"]]>\"",
                                        "\"\\033[31m\\377\\300\"",
                                        "\"\\n\\n\\t\"",
                                        "\"../../../../etc/passwd\"",
                                        "\"/dev/zero\"",
                                        "\"::error::x%0A\"",
                                        "\"Assertion `\"",
                                        "\"Assertion `x' failed.\"",
                                        "\"\\342\\202\"",
                                        "\"a\"",
                                        "\"/\"",
                                        "\"~A<B<C<D<E<F<G<H<\"",
                                        "\"_ZN1aIXLi0EEE\"",
                                        "\"std::vector<int, \""};
    return texts[rd_rng_below(r, RD_COUNT(texts))];
}

static const char *some_word(struct rd_rng *r, char to[48]) {
    char place[40];
    uint32_t kind = rd_rng_below(r, 6);
    if (kind == 0)
        snprintf(to, 48, "=0x%" PRIx64, rd_rng_next(r) >> rd_rng_below(r, 64));
    else if (kind == 1)
        snprintf(to, 48, "#%" PRIu64,
                 rd_rng_below(r, 2) ? rd_rng_below(r, 8) : rd_rng_next(r) >> rd_rng_below(r, 64));
    else if (kind == 2)
        snprintf(to, 48, "@%s", some_place(r, place));
    else if (kind == 3)
        snprintf(to, 48, "%s", rd_op_name(rd_rng_below(r, RD_OP_KINDS)));
    else if (kind == 4)
        snprintf(to, 48, "%s", rd_finding_name(rd_rng_below(r, RD_FINDING_KINDS)));
    else
        snprintf(
            to, 48, "%s",
            (const char *const[]){"ready", "blocked", "finished", "s", "p", "sp", "f", "none"}[rd_rng_below(r, 8)]);
    return to;
}

/* Replaces a word by one of its own sort. */
static void change_word(struct file_lines *f, struct rd_rng *r) {
    uint32_t line = any_line(f, r);
    struct line_words w;
    char number[32], text[48];
    split_words(f->at[line], &w);
    if (w.count < 2)
        return;
    uint32_t k = 1 + rd_rng_below(r, w.count - 1);
    char c = w.at[k][0];
    bool place = strchr("mhsio", c) && (memchr(w.at[k], '+', w.size[k]) || memchr(w.at[k], '-', w.size[k]));
    if (rd_rng_below(r, 8) == 0)
        put_text(&f->at[line], &w, k, some_word(r, text));
    else if (c == '"')
        put_text(&f->at[line], &w, k, some_string(r));
    else if (place || (c == '-' && rd_rng_below(r, 2)))
        put_text(&f->at[line], &w, k, some_place(r, text));
    else if (isdigit((unsigned char)c) || c == '-')
        put_text(&f->at[line], &w, k, boundary(f, r, number));
    else
        put_text(&f->at[line], &w, k, some_word(r, text));
}

/* Moves, removes, doubles or mixes words. */
static void move_word(struct file_lines *f, struct rd_rng *r) {
    uint32_t line = any_line(f, r), other;
    struct line_words w, from;
    split_words(f->at[line], &w);
    if (w.count < 2)
        return;
    uint32_t k = 1 + rd_rng_below(r, w.count - 1), m = 1 + rd_rng_below(r, w.count - 1);
    char *name = strndup(w.at[0], w.size[0]), *copy = strndup(w.at[m], w.size[m]);
    switch (rd_rng_below(r, 4)) {
    case 0:
        put_text(&f->at[line], &w, k, copy);
        break;
    case 1:
        put_word(&f->at[line], &w, k, "", 0);
        break;
    default: /* the word of another line of the same sort */
        other = some_line(f, name, r);
        split_words(f->at[other], &from);
        if (other != line && k < from.count)
            put_word(&f->at[line], &w, k, from.at[k], from.size[k]);
    }
    free(name);
    free(copy);
}

static void change_lines(struct file_lines *f, struct rd_rng *r) {
    uint32_t a = any_line(f, r), b = rd_rng_below(r, 2) && a + 1 < f->count ? a + 1 : any_line(f, r);
    char *held = f->at[a];
    switch (rd_rng_below(r, 3)) {
    case 0:
        f->at[a] = f->at[b];
        f->at[b] = held;
        break;
    case 1:
        insert(f, a, held);
        break;
    default:
        if (f->count > 4)
            delete_line(f, a);
    }
}

/* Takes a line out of another file: in the place of one of its sort, or before where one of its sort could be. */
static void graft(struct file_lines *f, const struct files_corpus *c, struct rd_rng *r) {
    static struct file_lines other;
    struct line_words w;
    split_lines(c->pairs[rd_rng_below(r, c->count)].schedule, &other);
    uint32_t from = any_line(&other, r);
    split_words(other.at[from], &w);
    char *name = w.count ? strndup(w.at[0], w.size[0]) : strdup("");
    uint32_t at = some_line(f, name, r);
    if (at == UINT32_MAX) {
        bool of_finding = begins(other.at[from], "block") || begins(other.at[from], "data");
        at = some_line(f, of_finding ? "thread" : begins(other.at[from], "why") ? "thread" : "finding", r);
        if (at != UINT32_MAX)
            insert(f, at, other.at[from]);
    } else if (rd_rng_below(r, 2)) {
        free(f->at[at]);
        f->at[at] = strdup(other.at[from]);
    } else {
        insert(f, at, other.at[from]);
    }
    free(name);
    for (uint32_t i = 0; i < other.count; i++)
        free(other.at[i]);
}

/* Gives the finding another kind, and its lines to a file that has none. */
static void change_finding(struct file_lines *f, struct rd_rng *r) {
    uint32_t line = some_line(f, "finding", r);
    char text[64];
    if (line == UINT32_MAX)
        return;
    snprintf(text, sizeof text, "finding %s", rd_finding_name(rd_rng_below(r, RD_FINDING_KINDS)));
    free(f->at[line]);
    f->at[line] = strdup(text);
    if (rd_rng_below(r, 4) == 0 && line + 4 < f->count && strcmp(text, "finding none") == 0)
        for (unsigned i = 0; i < 4; i++)
            delete_line(f, line + 1);
}

/* The last thread line, after which a new one goes. */
static void add_thread(struct file_lines *f, struct rd_rng *r) {
    uint32_t threads = lines_of(f, "thread"), at = 0;
    char text[64];
    for (uint32_t i = 0; i < f->count; i++)
        at = begins(f->at[i], "thread") ? i + 1 : at;
    for (uint32_t n = 1 + (rd_rng_below(r, 16) ? 0 : rd_rng_below(r, 70)); at && n--; at++) {
        snprintf(text, sizeof text, "thread %u parent %u child %u", threads, rd_rng_below(r, threads ? threads : 1),
                 1000 + threads);
        threads++;
        insert(f, at, text);
    }
}

/* Removes what a thread did, or only its state at the end. */
static void silence_thread(struct file_lines *f, struct rd_rng *r) {
    uint32_t threads = lines_of(f, "thread"), tid = threads ? rd_rng_below(r, threads) : 0;
    bool steps = rd_rng_below(r, 2);
    for (uint32_t i = 0; i < f->count; i++) {
        unsigned number, of;
        bool done = sscanf(f->at[i], "pending %u", &of) == 1 && of == tid;
        done = done || (steps && sscanf(f->at[i], "step %u %u", &number, &of) == 2 && of == tid);
        if (done)
            delete_line(f, i--);
    }
}

/* Writes a thread number into a line that has one at a known word. */
static void change_thread(struct file_lines *f, struct rd_rng *r) {
    static const struct {
        const char *line;
        uint32_t word;
    } places[] = {{"finding-at", 2}, {"finding-at", 2}, {"step", 2}, {"pending", 1}, {"pending", 9}, {"why", 8}};
    uint32_t which = rd_rng_below(r, RD_COUNT(places)), threads = lines_of(f, "thread");
    uint32_t line = some_line(f, places[which].line, r);
    struct line_words w;
    char text[16];
    if (line == UINT32_MAX || !threads)
        return;
    split_words(f->at[line], &w);
    snprintf(text, sizeof text, "%u", rd_rng_below(r, threads));
    if (places[which].word < w.count)
        put_text(&f->at[line], &w, places[which].word, text);
}

/* Numbers stacks and steps from 1. */
static void renumber(struct file_lines *f) {
    uint32_t steps = 0, stacks = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        bool step = begins(f->at[i], "step"), stack = begins(f->at[i], "stack");
        struct line_words w;
        char number[16];
        split_words(f->at[i], &w);
        if ((!step && !stack) || w.count < 2)
            continue;
        snprintf(number, sizeof number, "%u", step ? ++steps : ++stacks);
        put_text(&f->at[i], &w, 1, number);
    }
}

static struct files_bytes join(struct file_lines *f) {
    size_t size = 0, room = 64;
    for (uint32_t i = 0; i < f->count; i++)
        room += strlen(f->at[i]) + 1;
    char *to = malloc(room);
    to[0] = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        size += (size_t)sprintf(to + size, "%s\n", f->at[i]);
        free(f->at[i]);
    }
    return (struct files_bytes){(unsigned char *)to, size};
}

/* Other bytes, some fewer, some twice. */
static void change_bytes(struct files_bytes *b, struct rd_rng *r) {
    for (uint32_t n = 1 + rd_rng_below(r, 4); n-- && b->size > 8;) {
        uint32_t at = rd_rng_below(r, (uint32_t)b->size), length = 1 + rd_rng_below(r, 16);
        length = (uint32_t)RD_MIN(length, b->size - at);
        uint32_t kind = rd_rng_below(r, 4);
        if (kind == 0) {
            b->data[at] = (unsigned char)rd_rng_next(r);
        } else if (kind == 1) {
            memmove(b->data + at, b->data + at + length, b->size - at - length);
            b->size -= length;
        } else if (kind == 2) {
            b->data = realloc(b->data, b->size + length + 64);
            memmove(b->data + at + length, b->data + at, b->size - at);
            b->size += length;
        } else {
            b->data[at] = (unsigned char)(' ' + rd_rng_below(r, 95));
        }
    }
}

/* Puts an end line with the right numbers behind the bytes. */
static void seal(struct files_bytes *b) {
    uint32_t steps = 0;
    b->data = realloc(b->data, b->size + 64);
    for (size_t i = 0; i + 5 < b->size; i++)
        steps += (i == 0 || b->data[i - 1] == '\n') && memcmp(b->data + i, "step ", 5) == 0;
    uint64_t sum = rd_schedule_checksum(RD_CHECKSUM_START, b->data, b->size);
    b->size += (size_t)sprintf((char *)b->data + b->size, "end %u %016" PRIx64 "\n", steps, sum);
}

static void change_shape(struct file_lines *f, const struct files_corpus *c, struct rd_rng *r) {
    for (uint32_t n = 1 + rd_rng_below(r, 4); n--;) {
        uint32_t kind = rd_rng_below(r, 16);
        if (kind < 6)
            change_word(f, r);
        else if (kind < 8)
            move_word(f, r);
        else if (kind < 10)
            change_lines(f, r);
        else if (kind == 10)
            graft(f, c, r);
        else if (kind == 11)
            change_finding(f, r);
        else if (kind == 12)
            add_thread(f, r);
        else if (kind == 13)
            silence_thread(f, r);
        else
            change_thread(f, r);
    }
}

struct files_bytes files_change_schedule(const struct files_corpus *c, struct rd_rng *r) {
    static struct file_lines f;
    bool sealed = rd_rng_below(r, 64) != 0, bytes = rd_rng_below(r, 8) == 0;
    split_lines(c->pairs[rd_rng_below(r, c->count)].schedule, &f);
    if (sealed)
        for (uint32_t i = f.count; i-- > 0;)
            if (begins(f.at[i], "end") || (begins(f.at[i], "signed") && rd_rng_below(r, 16)))
                delete_line(&f, i);
    if (!bytes)
        change_shape(&f, c, r);
    if (rd_rng_below(r, 16))
        renumber(&f);
    struct files_bytes b = join(&f);
    if (bytes)
        change_bytes(&b, r);
    if (sealed)
        seal(&b);
    return b;
}
