/*
 * function_rules.c - the table of known functions, and the parser of their rules. The parser also reads the user's
 * rules, so a wrong rule is an error that the caller reports. It allocates no memory.
 */
#include "foreign/function_rules.h"

#include <string.h>

#define RD_FUNCTION(name, class, rules) {name, rules, RD_FUNCTION_##class},
static const struct rd_function functions[] = {
#include "foreign/functions.def"
};
#undef RD_FUNCTION

const struct rd_function *rd_functions(uint32_t *count) {
    *count = RD_COUNT(functions);
    return functions;
}

static_assert(RD_COUNT(functions) > 0 && RD_COUNT(functions) < UINT32_MAX / 2, "sums of two indices have 32 bits");

const struct rd_function *rd_function_find(const char *name) {
    uint32_t low = 0, high = RD_COUNT(functions);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int r = strcmp(functions[middle].name, name);
        if (r == 0)
            return &functions[middle];
        if (r < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- one word of a line ---- */

/* The text of rules that is being parsed. */
struct rule_text {
    const char *at; /* the next character */
    bool bad;       /* the current word is no rule */
};

static bool ends(const char *at) { return *at == '\0' || *at == ' '; }

/* Goes past the character if it comes next. */
static bool take(struct rule_text *t, char c) {
    RD_ASSERT(c != '\0');
    bool is = *t->at == c;
    t->at += is; /* never past the end: c is not 0 */
    return is;
}

static uint32_t number(struct rule_text *t) {
    uint32_t n = 0;
    t->bad |= *t->at < '0' || *t->at > '9';
    while (*t->at >= '0' && *t->at <= '9' && n < 1u << 24)
        n = n * 10 + (uint32_t)(*t->at++ - '0');
    return n;
}

/* The number of an argument, from 1 to 9. */
static uint8_t argument(struct rule_text *t) {
    uint32_t n = number(t);
    t->bad |= n == 0 || n > 9;
    return (uint8_t)n;
}

/* "3" or "3,4": the argument that is a format, and the one that is the va_list with its arguments. */
static void format(struct rule_text *t, uint8_t *arg, uint8_t *list) {
    *arg = argument(t);
    if (take(t, ','))
        *list = argument(t);
}

/* "<#2": the argument that limits the length of a string. */
static void limit(struct rule_text *t, struct rd_rule *r) {
    if (take(t, '<')) {
        t->bad |= !take(t, '#');
        r->size_arg[0] = argument(t);
    }
}

/* A factor of a size: "8", "#2", "#3-#2", "@3" or "@@3". */
static void factor(struct rule_text *t, struct rd_rule *r) {
    unsigned free = r->size_arg[0] != 0; /* the element of size_arg for the next factor */
    if (take(t, '#')) {
        r->size_arg[free] = argument(t);
        if (take(t, '-')) {
            t->bad |= free || !take(t, '#');
            r->less_arg = argument(t);
        }
    } else if (take(t, '@')) {
        r->stored = take(t, '@') ? 8 : 4;
        r->size_arg[free] = argument(t);
    } else {
        r->bytes = number(t);
    }
}

/* A size: a product of factors, "<" for an upper bound. */
static void size(struct rule_text *t, struct rd_rule *r) {
    r->what = RD_RULE_BYTES;
    r->at_most = take(t, '<');
    factor(t, r);
    while (take(t, '*'))
        factor(t, r);
}

/* The part of a rule after "r1:" or "w1:": how much memory it is. */
static void memory(struct rule_text *t, struct rd_rule *r) {
    bool bound = t->at[0] == '<' && (t->at[1] == 's' || t->at[1] == 'S');
    t->at += bound;
    r->at_most = bound;
    char c = *t->at;
    r->unit = c == 'S' || c == 'E' ? 4 : 1;
    if (take(t, 's') || take(t, 'S')) {
        r->what = RD_RULE_STRING;
        if (take(t, '#')) {
            r->what = RD_RULE_LIKE;
            r->other = argument(t);
        }
        limit(t, r);
    } else if (take(t, 'e') || take(t, 'E')) {
        r->what = RD_RULE_LIKE;
        r->behind = true;
        t->bad |= !take(t, '#');
        r->other = argument(t);
    } else if (take(t, 'f')) {
        r->what = RD_RULE_FORMED;
        format(t, &r->other, &r->list);
        limit(t, r);
    } else {
        size(t, r);
    }
}

static const struct {
    char letter;
    uint8_t what;
} shapes[] = {
    {'v', RD_RULE_PARTS},      {'m', RD_RULE_MESSAGE},    {'l', RD_RULE_LIST},
    {'z', RD_RULE_CXX_STRING}, {'o', RD_RULE_CXX_STREAM}, {'x', RD_RULE_CXX_STRING_STREAM},
    {'t', RD_RULE_CXX_TREE},   {'b', RD_RULE_BLOCK},      {'p', RD_RULE_POLLED},
};

/* The part of a rule after "r" or "w". */
static void access(struct rule_text *t, struct rd_rule *r) {
    if (take(t, '~')) {
        r->what = RD_RULE_STATIC;
        return;
    }
    if (take(t, '=')) {
        r->what = RD_RULE_VARIABLE;
        r->state = (uintptr_t)t->at;
        t->bad |= ends(t->at);
        while (!ends(t->at))
            t->at++;
        return;
    }
    for (unsigned i = 0; i < RD_COUNT(shapes); i++) {
        if (!take(t, shapes[i].letter))
            continue;
        r->what = shapes[i].what;
        r->arg = argument(t);
        if (r->what == RD_RULE_PARTS || r->what == RD_RULE_POLLED) {
            t->bad |= !take(t, ':') || !take(t, '#');
            r->size_arg[0] = argument(t);
        }
        return;
    }
    r->way = take(t, '*') ? RD_RULE_THERE : take(t, '+') ? RD_RULE_BEHIND : RD_RULE_HERE;
    r->arg = argument(t);
    t->bad |= !take(t, ':');
    memory(t, r);
}

/* ---- words ---- */

static bool begins(const char *at, const char *word) { return strncmp(at, word, strlen(word)) == 0; }

/* "word1" with a number behind it */
static bool numbered(struct rule_text *t, struct rd_rule *r, const char *word, unsigned what) {
    const char *digit = t->at + strlen(word);
    if (!begins(t->at, word) || *digit < '1' || *digit > '9')
        return false;
    t->at = digit;
    r->what = (uint8_t)what;
    r->arg = argument(t);
    return true;
}

static bool standard_stream(struct rule_text *t, struct rd_rule *r) {
    static const char *const names[] = {"stream(in)", "stream(out)", "stream(err)"};
    for (unsigned i = 0; i < RD_COUNT(names); i++)
        if (begins(t->at, names[i])) {
            t->at += strlen(names[i]);
            r->what = RD_RULE_STREAM;
            r->arg = (uint8_t)(RD_RULE_FIXED + i);
            return true;
        }
    return false;
}

/* ":r" or ":w" */
static void direction(struct rule_text *t, struct rd_rule *r) {
    t->bad |= !take(t, ':');
    r->writes = *t->at == 'w';
    t->bad |= !take(t, 'r') && !take(t, 'w');
}

uint64_t rd_rule_state(const char *name, size_t size) {
    uint64_t h = 0;
    for (size_t i = 0; i < size; i++)
        h = rd_hash2(h, (unsigned char)name[i]);
    return h;
}

/* "name:r" or "name:w": hidden state. */
static void state(struct rule_text *t, struct rd_rule *r) {
    const char *name = t->at;
    r->what = RD_RULE_STATE;
    t->bad |= *t->at == ':';
    while (*t->at != ':' && !ends(t->at))
        t->at++;
    r->state = rd_rule_state(name, (size_t)(t->at - name));
    direction(t, r);
}

static bool is_format(const char *at) { return strchr("fFcC", at[0]) && at[1] >= '1' && at[1] <= '9'; }

static bool is_access(const char *at) {
    return (at[0] == 'r' || at[0] == 'w') &&
           (strchr("*+~=123456789", at[1]) || (strchr("vmlzoxtbp", at[1]) && at[2] >= '1' && at[2] <= '9'));
}

/* Any word: one rule. */
static void word(struct rule_text *t, struct rd_rule *r) {
    if (begins(t->at, "wide") && ends(t->at + 4)) {
        r->what = RD_RULE_WIDE;
        t->at += 4;
    } else if (begins(t->at, "calls") && ends(t->at + 5)) {
        r->what = RD_RULE_CALLS;
        t->at += 5;
    } else if (begins(t->at, "vs") && ends(t->at + 2)) {
        r->what = RD_RULE_REST;
        t->at += 2;
    } else if (is_access(t->at)) {
        r->writes = *t->at++ == 'w';
        access(t, r);
    } else if (is_format(t->at)) {
        char c = *t->at++;
        r->what = c == 'f' || c == 'F' ? RD_RULE_FORMAT : RD_RULE_SCAN;
        r->unit = c == 'F' || c == 'C' ? 4 : 1;
        format(t, &r->arg, &r->list);
    } else if (numbered(t, r, "k", RD_RULE_CUT) || numbered(t, r, "K", RD_RULE_CUT)) {
        r->unit = t->at[-2] == 'K' ? 4 : 1;
        r->writes = true;
        t->bad |= !take(t, ',');
        r->other = argument(t);
    } else if (numbered(t, r, "null", RD_RULE_NULL) || numbered(t, r, "fcntl", RD_RULE_FCNTL) ||
               numbered(t, r, "closes", RD_RULE_CLOSES) || numbered(t, r, "fcloses", RD_RULE_FCLOSES) ||
               numbered(t, r, "fixed", RD_RULE_REPLACES) || numbered(t, r, "syscall", RD_RULE_SYSCALL)) {
        return;
    } else if (standard_stream(t, r) || numbered(t, r, "stream", RD_RULE_STREAM) ||
               numbered(t, r, "fd", RD_RULE_FD) || numbered(t, r, "path", RD_RULE_PATH) ||
               numbered(t, r, "dir", RD_RULE_DIR)) {
        if (r->what == RD_RULE_PATH && take(t, '@'))
            r->other = argument(t);
        direction(t, r);
    } else {
        state(t, r);
    }
}

int rd_rules_parse(const char *text, struct rd_rule to[RD_RULES_MAX], const char **bad) {
    int n = 0;
    struct rule_text t = {.at = text};
    while (*t.at == ' ')
        t.at++;
    while (*t.at) {
        *bad = t.at;
        if (n == RD_RULES_MAX)
            return -1;
        to[n] = (struct rd_rule){.bytes = 1, .unit = 1};
        word(&t, &to[n]);
        if (t.bad || !ends(t.at))
            return -1;
        n++;
        while (*t.at == ' ')
            t.at++;
    }
    return n;
}
