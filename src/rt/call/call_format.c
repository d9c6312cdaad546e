/*
 * call_format.c - what the formats of printf and scanf refer to: strings that are printed, and memory that %n and
 * the conversions of scanf write to.
 *
 * The variable arguments are taken one after the other as the ABI passes them: from the registers that the thunk
 * has kept, which lie as in a va_list, and then from the stack. A conversion that is not known ends it: the call
 * depends on everything then. So do positions (%1$s).
 */
#include "rt/call/call.h"

#include "rt/hook/hook.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

/* What a va_list of this ABI is made of. */
struct list {
    uint32_t general, vector; /* offsets of the next ones in `kept` */
    const char *over;         /* the next on the stack */
    const char *kept;
};
enum { GENERAL_END = 48, VECTOR_END = 176 };

static struct list list_of(const struct rd_call *c, const struct rd_rule *r, unsigned format) {
    if (r->list)
        return *(const struct list *)(uintptr_t)rd_call_argument(c, r->list);
    struct list l = {.general = RD_MIN(format, 6u) * 8, .vector = GENERAL_END, .kept = (const char *)c->frame};
    l.over = (const char *)(c->stack + (format > 6 ? format - 6 : 0));
    return l;
}

static uint64_t next_general(struct list *l) {
    const char *at = l->general < GENERAL_END ? l->kept + l->general : l->over;
    if (l->general < GENERAL_END)
        l->general += 8;
    else
        l->over += 8;
    return *(const uint64_t *)(const void *)at;
}

static void next_vector(struct list *l) {
    if (l->vector < VECTOR_END)
        l->vector += 16;
    else
        l->over += 8;
}

static void next_long_double(struct list *l) { l->over = (const char *)(((uintptr_t)l->over + 15) / 16 * 16 + 16); }

/* One conversion of a format, from behind the '%'. */
struct conversion {
    int width, precision; /* -1: not given; -2: an argument */
    bool skip;            /* scanf: %*d */
    bool allocates;       /* scanf: %ms */
    unsigned length;      /* bytes of an integer: 4 by default */
    bool long_double, wide;
    unsigned letter; /* 0: the format ends, or is not understood */
};

struct reader {
    const char *at;
    unsigned unit; /* bytes of a character */
};

static unsigned get(const struct reader *f) {
    return f->unit == 1 ? (unsigned char)*f->at : *(const uint32_t *)(const void *)f->at;
}

static bool take(struct reader *f, unsigned c) {
    bool is = get(f) == c;
    f->at += is ? f->unit : 0;
    return is;
}

static int number(struct reader *f) {
    int n = -1;
    for (unsigned c; (c = get(f)) >= '0' && c <= '9'; f->at += f->unit)
        n = RD_MAX(n, 0) * 10 + (int)(c - '0');
    return n;
}

static void length(struct reader *f, struct conversion *v) {
    v->length = 4;
    if (take(f, 'h'))
        v->length = take(f, 'h') ? 1 : 2;
    else if (take(f, 'l'))
        v->length = 8, v->wide = true, take(f, 'l');
    else if (take(f, 'q') || take(f, 'j') || take(f, 'z') || take(f, 't'))
        v->length = 8;
    else if (take(f, 'L'))
        v->length = 8, v->long_double = true;
}

static struct conversion read_conversion(struct reader *f, bool scans) {
    struct conversion v = {.width = -1, .precision = -1};
    while (get(f) && strchr(scans ? "'I" : "-+ #0'I", (int)get(f)))
        f->at += f->unit;
    if (scans)
        v.skip = take(f, '*');
    if (!scans && take(f, '*'))
        v.width = -2;
    else
        v.width = number(f);
    if (get(f) == '$')
        return v; /* positions */
    bool precise = take(f, '.');
    if (precise)
        v.precision = take(f, '*') ? -2 : number(f);
    if (precise && v.precision == -1)
        v.precision = 0;
    if (scans)
        v.allocates = take(f, 'm');
    length(f, &v);
    v.letter = get(f);
    f->at += v.letter ? f->unit : 0;
    return v;
}

static uint64_t wide_size(uint64_t at, uint64_t max) {
    const uint32_t *s = (const uint32_t *)(uintptr_t)at;
    uint64_t n = 0;
    while (n < max && s[n])
        n++;
    return (n < max ? n + 1 : n) * sizeof *s;
}

static uint64_t narrow_size(uint64_t at, uint64_t max) {
    uint64_t n = RD_REAL(strnlen)((const char *)(uintptr_t)at, max);
    return n < max ? n + 1 : n;
}

static void print_one(struct rd_call *c, struct list *l, struct conversion *v) {
    if (v->width == -2)
        next_general(l);
    if (v->precision == -2) {
        int given = (int)next_general(l);
        v->precision = given < 0 ? -1 : given;
    }
    uint64_t max = v->precision >= 0 ? (uint64_t)v->precision : UINT64_MAX, at;
    switch (v->letter) {
    case '%':
    case 'm':
        break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
    case 'p':
        next_general(l);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (v->long_double)
            next_long_double(l);
        else
            next_vector(l);
        break;
    case 's':
    case 'S':
        at = next_general(l);
        if (at)
            rd_call_add(c, at, v->wide || v->letter == 'S' ? wide_size(at, max) : narrow_size(at, max), false,
                        false);
        break;
    case 'n':
        rd_call_add(c, next_general(l), v->length, true, false);
        break;
    default:
        c->wide = true;
    }
}

/* The set of a %[…]: its end. */
static void skip_set(struct reader *f) {
    take(f, '^');
    take(f, ']');
    while (get(f) && get(f) != ']')
        f->at += f->unit;
    take(f, ']');
}

static void scan_one(struct rd_call *c, struct list *l, const struct conversion *v, struct reader *f) {
    if (v->letter == '[')
        skip_set(f);
    if (v->letter == '%' || v->skip)
        return;
    uint64_t max = v->width > 0 ? (uint64_t)v->width : (uint64_t)1 << 16, character = v->wide ? 4 : 1;
    switch (v->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        rd_call_add(c, next_general(l), v->length, true, true);
        break;
    case 'n':
        rd_call_add(c, next_general(l), v->length, true, true);
        break;
    case 'p':
        rd_call_add(c, next_general(l), 8, true, true);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
    case 'a':
        rd_call_add(c, next_general(l), v->long_double ? 16 : v->wide ? 8 : 4, true, true);
        break;
    case 'c':
    case 's':
    case '[':
    case 'C':
    case 'S':
        if (v->allocates)
            rd_call_add(c, next_general(l), 8, true, true);
        else
            rd_call_add(c, next_general(l),
                        ((v->width > 0       ? max
                          : v->letter == 'c' ? 1
                                             : max) +
                         1) *
                            character,
                        true, true);
        break;
    default:
        c->wide = true;
    }
}

void rd_call_format(struct rd_call *c, const struct rd_rule *r) {
    struct reader f = {(const char *)(uintptr_t)rd_call_argument(c, r->arg), r->unit};
    struct list l = list_of(c, r, r->arg);
    if (!f.at)
        return;
    if (r->list)
        rd_call_add(c, rd_call_argument(c, r->list), sizeof l, true, false);
    while (get(&f) && !c->wide) {
        if (!take(&f, '%')) {
            f.at += f.unit;
            continue;
        }
        struct conversion v = read_conversion(&f, r->what == RD_RULE_SCAN);
        if (r->what == RD_RULE_SCAN)
            scan_one(c, &l, &v, &f);
        else
            print_one(c, &l, &v);
    }
}

/* Is there a conversion that writes how much was printed so far? */
static bool has_count(const char *format) {
    while ((format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, "0123456789 #+-'$.*hlLqjztI");
        if (*format == 'n')
            return true;
        format += *format != '\0';
    }
    return false;
}

uint64_t rd_call_formed(const struct rd_call *c, const struct rd_rule *r) {
    const char *format = (const char *)(uintptr_t)rd_call_argument(c, r->other);
    struct list l = list_of(c, r, r->other);
    va_list args;
    static_assert(sizeof args == sizeof l, "this ABI");
    memcpy(args, &l, sizeof l);
    static const char specifiers[] =
        "printf-specifiers"; /* functions of the program's, which would be called twice */
    bool own = rd_call_may_write(rd_rule_state(specifiers, sizeof specifiers - 1));
    if (!format || own || has_count(format)) /* what %n writes would be written twice */
        return UINT64_MAX;
    int n = vsnprintf(NULL, 0, format, args);
    return n < 0 ? 0 : (uint64_t)n + 1;
}

#else

void rd_call_format(struct rd_call *c, const struct rd_rule *r) {
    (void)r;
    c->wide = true;
}

uint64_t rd_call_formed(const struct rd_call *c, const struct rd_rule *r) {
    (void)c, (void)r;
    return UINT64_MAX;
}

#endif
