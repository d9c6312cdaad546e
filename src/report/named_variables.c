/* named_variables.c - the variables that the text of a failed assertion names, as far as steps use them. */
#include "report/report.h"

#include <string.h>

enum { COMPARED = 1024 }; /* places whose names are compared with the text, at most */

static bool is_name_part(char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Is this part of a name, up to "() ", the function in which the assertion stands? */
static bool is_function_of(const struct rd_finding *f, const char *name, size_t length) {
    const char *at = strstr(f->function, "("); /* of C++ the name is the whole signature */
    size_t n = at ? (size_t)(at - f->function) : strlen(f->function);
    return n >= length && memcmp(f->function + n - length, name, length) == 0 &&
           (n == length || !is_name_part(f->function[n - length - 1]));
}

/*
 * Does the text of the assertion speak of the data with this name? The name of a local variable begins "main() ";
 * only one of the function of the assertion can be meant.
 */
static bool is_named(const struct rd_finding *f, const char *name) {
    const char *text = f->message, *local = strstr(name, "() "), *of = strstr(name, " of T");
    if (local && !is_function_of(f, name, (size_t)(local - name)))
        return false;
    name = local ? local + 3 : name;
    size_t n = of && of > name ? (size_t)(of - name) : strlen(name);
    for (const char *at = text; n && (at = strstr(at, name)) != NULL; at++) {
        bool begins = at == text || (!is_name_part(at[-1]) && at[-1] != '.' && at[-1] != '>');
        bool ends = !is_name_part(at[n]) && at[n] != '.' && at[n] != '[' && strncmp(at + n, "->", 2) != 0;
        if (begins && ends)
            return true;
    }
    return false;
}

uint32_t rd_facts_named(const struct rd_report *r, uint32_t *to, uint32_t max) {
    const struct rd_schedule *s = r->schedule;
    rd_place compared[COMPARED];
    uint32_t count = 0, n = 0;
    for (uint32_t i = s->finding.kind == RD_ASSERTION ? s->step_count : 0;
         i-- > 0 && count < COMPARED && n < max;) {
        char name[RD_PHRASE];
        uint32_t k = count;
        if (!(rd_op_flags(s->steps[i].op) & (RD_F_READS | RD_F_WRITES)) || !s->steps[i].place)
            continue;
        while (k > 0 && compared[k - 1] != s->steps[i].place)
            k--;
        if (k > 0)
            continue;
        compared[count++] = s->steps[i].place;
        rd_words_data(r, s->steps[i].place, name, sizeof name);
        if (is_named(&s->finding, name))
            to[n++] = i;
    }
    return n;
}
