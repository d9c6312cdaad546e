/*
 * call_format.c - the memory that formats of printf and scanf refer to: strings that are printed, and memory that
 * %n and the conversions of scanf write to.
 *
 * This file takes the variable arguments one after the other as the ABI passes them: from the registers that the
 * thunk has kept, which have the layout of a va_list's register save area, and then from the stack. With an unknown
 * conversion or a position (%1$s) it stops, and the call depends on all operations.
 */
#include "rt/call/call.h"

#include "rt/hook/hook.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

/* The elements of a va_list of this ABI: gp_offset, fp_offset, overflow_arg_area, reg_save_area. */
struct argument_list {
    uint32_t general, vector; /* offsets in `kept` of the next general and vector register */
    const char *over;         /* the next argument on the stack */
    const char *kept;         /* the register save area */
};
enum { GENERAL_END = 48, VECTOR_END = 176 }; /* where the registers of both kinds end in `kept` */
static_assert(offsetof(struct rd_call_frame, vector) == GENERAL_END &&
                  offsetof(struct rd_call_frame, vectors) == VECTOR_END,
              "the frame begins like a register save area");

/* The variable arguments of the call. format: the argument that is the format, the last one before them. */
static struct argument_list list_of(const struct rd_call *c, const struct rd_rule *r, unsigned format) {
    RD_ASSERT(format > 0 && format != r->list);
    if (r->list)
        return *(const struct argument_list *)(uintptr_t)rd_call_argument(c, r->list);
    struct argument_list l = {
        .general = RD_MIN(format, 6u) * 8, .vector = GENERAL_END, .kept = (const char *)c->frame};
    l.over = (const char *)(c->stack + (format > 6 ? format - 6 : 0));
    return l;
}

static uint64_t next_general(struct argument_list *l) {
    const char *at = l->general < GENERAL_END ? l->kept + l->general : l->over;
    if (l->general < GENERAL_END)
        l->general += 8;
    else
        l->over += 8;
    return *(const uint64_t *)(const void *)at;
}

static void next_vector(struct argument_list *l) {
    if (l->vector < VECTOR_END)
        l->vector += 16;
    else
        l->over += 8;
}

static void next_long_double(struct argument_list *l) {
    l->over = (const char *)(((uintptr_t)l->over + 15) / 16 * 16 + 16);
}

/* One conversion of a format. */
struct format_conversion {
    int width, precision; /* -1: not given; -2: an argument */
    bool skip;            /* scanf: %*d */
    bool allocates;       /* scanf: %ms */
    unsigned length;      /* bytes of an integer: 4 by default */
    bool long_double;     /* %Lf */
    bool wide;            /* %l: of strings, wide characters */
    unsigned letter;      /* 0: the format ends, or has a position */
};

/* A format that is being read. */
struct format_reader {
    const char *at;
    unsigned unit; /* bytes of a character: 1, or 4 of wide formats */
};

static unsigned get(const struct format_reader *f) {
    RD_ASSERT(f->unit == 1 || f->unit == 4);
    return f->unit == 1 ? (unsigned char)*f->at : *(const uint32_t *)(const void *)f->at;
}

/* Goes on behind the next character if that is c; returns whether it is. */
static bool take(struct format_reader *f, unsigned c) {
    bool is = get(f) == c;
    f->at += is ? f->unit : 0;
    return is;
}

/* Reads decimal digits; -1: there are none. */
static int number(struct format_reader *f) {
    int n = -1;
    for (unsigned c; (c = get(f)) >= '0' && c <= '9'; f->at += f->unit)
        n = RD_MAX(n, 0) * 10 + (int)(c - '0');
    return n;
}

/* Reads a length modifier. */
static void length(struct format_reader *f, struct format_conversion *v) {
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

/* Reads a conversion from behind the '%'. */
static struct format_conversion read_conversion(struct format_reader *f, bool scans) {
    struct format_conversion v = {.width = -1, .precision = -1};
    while (get(f) && strchr(scans ? "'I" : "-+ #0'I", (int)get(f)))
        f->at += f->unit;
    if (scans)
        v.skip = take(f, '*');
    if (!scans && take(f, '*'))
        v.width = -2;
    else
        v.width = number(f);
    if (get(f) == '$')
        return v; /* a position */
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

/* Takes the arguments of one printf conversion, and adds the memory that they point to. */
static void print_one(struct rd_call *c, struct argument_list *l, struct format_conversion *v) {
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
            rd_call_add(c, at, rd_call_string_size(at, v->wide || v->letter == 'S' ? 4 : 1, max), false, false);
        break;
    case 'n':
        rd_call_add(c, next_general(l), v->length, true, false);
        break;
    default:
        c->wide = true;
    }
}

/* Goes on behind the set of a %[…]. */
static void skip_set(struct format_reader *f) {
    take(f, '^');
    take(f, ']');
    while (get(f) && get(f) != ']')
        f->at += f->unit;
    take(f, ']');
}

/* The same for a scanf conversion. */
static void scan_one(struct rd_call *c, struct argument_list *l, const struct format_conversion *v,
                     struct format_reader *f) {
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
    struct format_reader f = {(const char *)(uintptr_t)rd_call_argument(c, r->arg), r->unit};
    struct argument_list l = list_of(c, r, r->arg);
    RD_CHECK(r->what == RD_RULE_FORMAT || r->what == RD_RULE_SCAN);
    if (!f.at)
        return;
    if (r->list)
        rd_call_add(c, rd_call_argument(c, r->list), sizeof l, true, false);
    while (get(&f) && !c->wide) {
        if (!take(&f, '%')) {
            f.at += f.unit;
            continue;
        }
        struct format_conversion v = read_conversion(&f, r->what == RD_RULE_SCAN);
        if (r->what == RD_RULE_SCAN)
            scan_one(c, &l, &v, &f);
        else
            print_one(c, &l, &v);
    }
}

/* Returns whether the format has a conversion that stores the number of characters printed so far. */
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
    RD_CHECK(r->what == RD_RULE_FORMED);
    const char *format = (const char *)(uintptr_t)rd_call_argument(c, r->other);
    struct argument_list l = list_of(c, r, r->other);
    va_list args;
    static_assert(sizeof args == sizeof l, "struct argument_list has the layout of a va_list");
    memcpy(args, &l, sizeof l);
    /* functions of the program for conversions of its own, which would be called twice */
    static const char specifiers[] = "printf-specifiers";
    bool own = rd_call_may_write(rd_rule_state(specifiers, sizeof specifiers - 1));
    if (!format || own || has_count(format)) /* %n would be written twice */
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
