/*
 * sync_rules.c - the parser of sync_rules.h. It checks the user's files in the driver and reads the text of rules
 * in the tested process, so it allocates no memory and prints no message. A wrong rule is an error of the user.
 */
#include "foreign/sync_rules.h"

#include "foreign/function_rules.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t arguments;
    uint16_t needs;
} kinds[] = {
#define RD_SYNC_KIND(id, name, arguments, needs) [RD_SYNC_##id] = {name, arguments, needs},
#include "foreign/sync_kinds.def"
#undef RD_SYNC_KIND
};

static_assert(RD_COUNT(kinds) == RD_SYNC_KINDS, "one row for each kind");

unsigned rd_sync_needs(unsigned kind) {
    RD_CHECK(kind < RD_SYNC_KINDS);
    return kinds[kind].needs;
}

/* A line that is being parsed. */
struct rule_parse {
    const char *at;              /* the next character */
    char word[RD_SYNC_NAME + 8]; /* the last word */
    struct rd_text error;
    bool bad; /* an error was found, and its message is in `error` */
};

/* Reports an error, whose message is a, b and c in a row. Only the first error of a line is kept. Returns false. */
static bool fail(struct rule_parse *p, const char *a, const char *b, const char *c) {
    if (p->bad)
        return false;
    p->bad = true;
    rd_text_str(&p->error, a);
    rd_text_str(&p->error, b);
    rd_text_str(&p->error, c);
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Takes the next word; "" at the end of the line. */
static const char *next_word(struct rule_parse *p) {
    size_t n = 0;
    while (is_blank(*p->at))
        p->at++;
    for (; *p->at && !is_blank(*p->at); p->at++) {
        if (n == sizeof p->word - 1) {
            fail(p, "a word is too long", "", "");
            break;
        }
        p->word[n++] = *p->at;
    }
    p->word[n] = 0;
    return p->word;
}

/* A decimal or hexadecimal number below 2^62, with an optional minus sign. False: it is none. */
static bool parse_number(const char *text, int64_t *to) {
    bool minus = *text == '-', hex = strncmp(text + minus, "0x", 2) == 0;
    const char *at = text + minus + (hex ? 2 : 0);
    uint64_t n = 0;
    if (!*at)
        return false;
    for (; *at; at++) {
        unsigned digit = *at >= '0' && *at <= '9'          ? (unsigned)(*at - '0')
                         : hex && *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
                                                           : 99;
        if (digit == 99 || n >> 58)
            return false;
        n = n * (hex ? 16 : 10) + digit;
    }
    *to = minus ? -(int64_t)n : (int64_t)n;
    return true;
}

static bool parse_argument(struct rule_parse *p, const char *text, uint8_t *to) {
    int64_t n;
    if (!parse_number(text, &n) || n < 0 || n >= RD_SYNC_ARGUMENTS)
        return fail(p, "'", text, "' is no number of an argument (from 0 to 9)");
    *to = (uint8_t)n;
    return true;
}

/* An object: ARGUMENT, *ARGUMENT or, if the rule makes it, ret. */
static void parse_object(struct rule_parse *p, struct rd_sync_object_at *to, bool makes) {
    const char *text = next_word(p);
    if (!*text) {
        fail(p, "no argument is named: which one is the object? (the first is 0)", "", "");
    } else if (strcmp(text, "ret") == 0) {
        to->result = true;
        if (!makes)
            fail(p, "'ret' is only for rules that end in .init", "", "");
    } else {
        to->there = *text == '*';
        parse_argument(p, text + to->there, &to->argument);
    }
}

static void parse_value(struct rule_parse *p, const char *text, struct rd_sync_value *to) {
    to->is = true;
    to->boolean = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    if (to->boolean)
        to->number = text[0] == 't';
    else if (!parse_number(text, &to->number))
        fail(p, "'", text, "' is no number, true or false");
}

static void parse_errno(struct rule_parse *p, const char *text, struct rd_sync_rule *to) {
    static const struct {
        const char *name;
        int value;
    } names[] = {{"EAGAIN", EAGAIN}, {"EBUSY", EBUSY}, {"ETIMEDOUT", ETIMEDOUT}, {"EINTR", EINTR}};
    int64_t n = 0;
    for (unsigned i = 0; i < RD_COUNT(names); i++)
        if (strcmp(names[i].name, text) == 0)
            n = names[i].value;
    if (n == 0 && (!parse_number(text, &n) || n <= 0 || n > 4095))
        fail(p, "'", text, "' is no value of errno");
    to->error = (int32_t)n;
}

/* "2:us", "2:timespec", "2:us-realtime" */
static void parse_time(struct rule_parse *p, const char *text, bool until, struct rd_sync_rule *to) {
    static const char *const units[] = {"ns", "us", "ms", "s", "timespec"};
    char number[8];
    size_t n = strcspn(text, ":"), length;
    const char *unit = text[n] ? text + n + 1 : "";
    if (n >= sizeof number) {
        fail(p, "'", text, "' is no ARGUMENT:UNIT");
        return;
    }
    memcpy(number, text, n);
    number[n] = 0;
    parse_argument(p, number, &to->time_at);
    length = strcspn(unit, "-");
    to->until = until;
    for (to->time_unit = 0; to->time_unit < RD_COUNT(units); to->time_unit++)
        if (strlen(units[to->time_unit]) == length && memcmp(units[to->time_unit], unit, length) == 0)
            break;
    to->realtime = strcmp(unit + length, "-realtime") == 0;
    bool clock = to->realtime || strcmp(unit + length, "-monotonic") == 0;
    if (to->time_unit == RD_COUNT(units) || (unit[length] && !(until && clock)))
        fail(p, "'", unit, "' is no unit of time (ns, us, ms, s or timespec; of until= also with -realtime)");
}

static void parse_name(struct rule_parse *p, const char *text, char to[RD_SYNC_NAME]) {
    if (!*text || strlen(text) >= RD_SYNC_NAME)
        fail(p, "'", text, "' is no name of a function");
    else
        rd_text_copy(to, RD_SYNC_NAME, text);
}

/* The value in a word "NAME=VALUE" with this name; NULL: it is another word. */
static const char *option(const char *word, const char *name) {
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* Parses one option of a rule: a word that rules of this kind may have. Adds its bit to `has` where one is
 * required. */
static void parse_option(struct rule_parse *p, struct rd_sync_rule *to, unsigned *has) {
    unsigned needs = kinds[to->kind].needs, may = needs;
    const char *word = p->word, *v;
    may |= needs & RD_SYNC_FAIL ? RD_SYNC_MAY_FAIL : 0;
    if ((may & RD_SYNC_RECURSIVE) && strcmp(word, "recursive") == 0) {
        to->recursive = true;
    } else if ((may & RD_SYNC_MAY_FAIL) && (v = option(word, "fail"))) {
        parse_value(p, v, &to->fail);
        *has |= RD_SYNC_FAIL;
    } else if ((may & RD_SYNC_OK) && (v = option(word, "ok"))) {
        parse_value(p, v, &to->ok);
    } else if ((may & RD_SYNC_MAY_FAIL) && (v = option(word, "errno"))) {
        parse_errno(p, v, to);
    } else if ((may & RD_SYNC_TIME) && ((v = option(word, "for")) || (v = option(word, "until")))) {
        parse_time(p, v, word[0] == 'u', to);
        *has |= RD_SYNC_TIME;
    } else if ((may & RD_SYNC_RELOCKS) && (v = option(word, "lock"))) {
        parse_name(p, v, to->lock);
    } else if ((may & RD_SYNC_RELOCKS) && (v = option(word, "unlock"))) {
        parse_name(p, v, to->unlock);
    } else {
        fail(p, "'", word, "' means nothing here");
    }
}

/* The rest of a `touches` rule. */
static void parse_memory(struct rule_parse *p, struct rd_sync_rule *to) {
    struct rd_rule rules[RD_RULES_MAX];
    const char *bad = "";
    while (is_blank(*p->at))
        p->at++;
    if (strlen(p->at) >= sizeof to->memory) {
        fail(p, "the line is too long", "", "");
        return;
    }
    rd_text_copy(to->memory, sizeof to->memory, p->at);
    for (char *c = to->memory; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    int n = rd_rules_parse(to->memory, rules, &bad);
    if (n == 0)
        fail(p, "nothing is said to be touched; a function that touches nothing is 'pure'", "", "");
    if (n >= 0)
        return;
    char word[64];
    rd_text_copy(word, RD_MIN(sizeof word, strcspn(bad, " ") + 1), bad);
    fail(p, "'", word, "' is no memory rule (such as r1:#2; arguments count from 1 in these)");
}

/* The words of a rule after its function. */
static void parse_rest(struct rule_parse *p, struct rd_sync_rule *to) {
    unsigned needs = kinds[to->kind].needs, has = 0, arguments = kinds[to->kind].arguments;
    unsigned objects = needs & RD_SYNC_SIZE ? 1 : arguments;
    RD_CHECK(to->kind < RD_SYNC_KINDS && objects <= RD_COUNT(to->at));
    if (to->kind == RD_SYNC_TOUCHES) {
        parse_memory(p, to);
        return;
    }
    for (unsigned i = 0; i < objects; i++)
        parse_object(p, &to->at[i], i == 0 && needs & RD_SYNC_MAKES);
    if (needs & RD_SYNC_SIZE) {
        int64_t size = 0;
        if (!parse_number(next_word(p), &size) || (size != 1 && size != 2 && size != 4 && size != 8))
            fail(p, "'", p->word, "' is no number of bytes (1, 2, 4 or 8)");
        to->size = (uint8_t)size;
    }
    while (!p->bad && *next_word(p))
        parse_option(p, to, &has);
    if ((needs & RD_SYNC_FAIL) && !(has & RD_SYNC_FAIL))
        fail(p, kinds[to->kind].name, " needs fail=VALUE: what the function returns when it gives up", "");
    if ((needs & RD_SYNC_TIME) && !(has & RD_SYNC_TIME))
        fail(p, kinds[to->kind].name, " needs for=ARGUMENT:UNIT or until=ARGUMENT:UNIT", "");
    if (!to->ok.is)
        to->ok.number = to->fail.is && to->fail.number == 0;
}

bool rd_sync_rule_parse(const char *line, struct rd_sync_rule *to, struct rd_error *error) {
    struct rule_parse p = {.at = line, .error = rd_error_text(error)};
    *to = (struct rd_sync_rule){.kind = RD_SYNC_KINDS};
    const char *word = next_word(&p);
    for (unsigned k = 0; k < RD_SYNC_KINDS && !p.bad; k++)
        if (strcmp(kinds[k].name, word) == 0)
            to->kind = (uint8_t)k;
    if (to->kind == RD_SYNC_KINDS)
        return fail(&p, "unknown kind of rule '", p.word, "'");
    parse_name(&p, next_word(&p), to->function);
    if (!p.word[0]) {
        p.error = rd_error_text(error);
        p.bad = false;
        return fail(&p, "no function after '", kinds[to->kind].name, "'");
    }
    if (!p.bad)
        parse_rest(&p, to);
    return !p.bad;
}

bool rd_sync_rule_library(const char *line, char to[RD_SYNC_NAME]) {
    struct rule_parse p = {.at = line};
    if (strcmp(next_word(&p), "library") != 0)
        return false;
    const char *name = next_word(&p);
    rd_text_copy(to, RD_SYNC_NAME, strlen(name) < RD_SYNC_NAME ? name : "");
    if (*next_word(&p))
        to[0] = 0; /* one name, no more */
    return true;
}

char *rd_sync_rule_trim(char *line) {
    while (is_blank(*line))
        line++;
    size_t n = 0;
    while (line[n] && line[n] != '\n' && line[n] != '\r' && !(line[n] == '#' && (n == 0 || is_blank(line[n - 1]))))
        n++;
    while (n && is_blank(line[n - 1]))
        n--;
    line[n] = 0;
    return line;
}

bool rd_sync_rule_fits(const char *library, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strcmp(library, "*") == 0 || strncmp(name, library, strlen(library)) == 0;
}

const char *rd_sync_rule_next(const char *text, char line[RD_SYNC_LINE]) {
    size_t n = strcspn(text, "\n");
    if (!*text)
        return NULL;
    rd_text_copy(line, RD_MIN(n + 1, (size_t)RD_SYNC_LINE), text);
    return text + n + (text[n] == '\n');
}
