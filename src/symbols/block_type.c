/*
 * block_type.c - what a block of the heap is, from the statement that allocated it.
 *
 * Debug information does not say what a call of malloc is for; the statement does. The statement's source is read,
 * and the names in it are looked up in debug information: the type after `new`, the type or expression in
 * `sizeof`, the type of a cast, and the variable or member that the result is assigned to. In the C++ library the
 * template's own parameter is the type (std::allocator<T>). What is found counts only if it fits to the size of the
 * block, and if all of the statement that fits agrees; otherwise the block has no type. So a statement that cannot
 * be read in this simple way costs a name, and no wrong name comes of it.
 */
#include "symbols/debug_types.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, SCOPES_MAX = 64, WORD_MAX = 128 };

/* The call that allocated. */
struct call {
    struct rd_arena *arena;
    Dwarf_Die unit;
    Dwarf_Die scopes[SCOPES_MAX]; /* of the frame, outermost first; scopes[0] is its function */
    uint32_t scope_count;
    uint64_t size;
    struct rd_type found;
    bool several; /* parts of the statement that do not agree fit */
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *blanks(const char *p) {
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* The place after the next occurrence of a whole word; NULL: there is none. */
static const char *after_word(const char *line, const char *at, const char *word) {
    size_t n = strlen(word);
    while ((at = strstr(at, word)) != NULL) {
        if ((at == line || !is_word(at[-1])) && !is_word(at[n]))
            return at + n;
        at += n;
    }
    return NULL;
}

/* ---- looking up names ---- */

/* A child with this name and one of two tags, in namespaces and blocks too if `depth` allows. */
static bool named_below(Dwarf_Die *parent, int tag, int other, const char *name, unsigned depth, Dwarf_Die *to) {
    Dwarf_Die die;
    for (bool more = dwarf_child(parent, &die) == 0; more; more = dwarf_siblingof(&die, &die) == 0) {
        int own = dwarf_tag(&die);
        const char *text = dwarf_diename(&die);
        if ((own == tag || own == other) && text && strcmp(text, name) == 0) {
            *to = die;
            return true;
        }
        if (depth && own == DW_TAG_namespace && named_below(&die, tag, other, name, depth - 1, to))
            return true;
    }
    return false;
}

/* The type of a template's parameter with this name, of the function or of the class that it belongs to. */
static bool template_type(Dwarf_Die *function, const char *name, Dwarf_Die *to) {
    Dwarf_Die at = *function, parameter;
    Dwarf_Attribute attr;
    for (unsigned i = 0; i < 4; i++) {
        if (named_below(&at, DW_TAG_template_type_parameter, 0, name, 0, &parameter))
            return dwarf_attr_integrate(&parameter, DW_AT_type, &attr) && dwarf_formref_die(&attr, to);
        Dwarf_Die *scopes = NULL;
        int n = dwarf_getscopes_die(&at, &scopes);
        bool of_class = n > 1 && named_below(&scopes[1], DW_TAG_template_type_parameter, 0, name, 0, &parameter);
        free(scopes);
        if (of_class)
            return dwarf_attr_integrate(&parameter, DW_AT_type, &attr) && dwarf_formref_die(&attr, to);
        if (!dwarf_attr(&at, DW_AT_abstract_origin, &attr) && !dwarf_attr(&at, DW_AT_specification, &attr))
            return false;
        if (!dwarf_formref_die(&attr, &at))
            return false;
    }
    return false;
}

/* The last part of a name: "node" of "list::node". */
static const char *last_part(const char *name) {
    const char *part = name;
    for (const char *p = name; *p && *p != '<'; p++)
        if (p[0] == ':' && p[1] == ':')
            part = p + 2;
    return part;
}

static const int kinds[] = {DW_TAG_structure_type, DW_TAG_class_type,       DW_TAG_union_type,
                            DW_TAG_typedef,        DW_TAG_enumeration_type, DW_TAG_base_type};

/* A type with this name that is defined, below the parent and in its namespaces and classes. */
static bool type_below(Dwarf_Die *parent, const char *name, unsigned depth, Dwarf_Die *to) {
    Dwarf_Die die;
    for (bool more = dwarf_child(parent, &die) == 0; more; more = dwarf_siblingof(&die, &die) == 0) {
        int tag = dwarf_tag(&die);
        const char *text = dwarf_diename(&die);
        bool type = false;
        for (unsigned i = 0; i < RD_COUNT(kinds) && !type; i++)
            type = tag == kinds[i];
        if (type && text && strcmp(text, name) == 0 && !dwarf_hasattr(&die, DW_AT_declaration)) {
            *to = die;
            return true;
        }
        bool inside = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        if (inside && depth && type_below(&die, name, depth - 1, to))
            return true;
    }
    return false;
}

static bool find_type(struct call *c, const char *name, Dwarf_Die *to) {
    static const char *const spelled[][2] = {
        {"long", "long int"}, {"short", "short int"}, {"unsigned", "unsigned int"}};
    if (template_type(&c->scopes[0], name, to))
        return true;
    for (uint32_t i = c->scope_count; i-- > 0;)
        if (type_below(&c->scopes[i], last_part(name), 0, to))
            return true;
    if (type_below(&c->unit, last_part(name), 4, to))
        return true;
    for (unsigned i = 0; i < RD_COUNT(spelled); i++)
        if (strcmp(name, spelled[i][0]) == 0)
            return type_below(&c->unit, spelled[i][1], 0, to);
    return false;
}

/* The type of a variable that is visible at the call, of a global one, or of a member of *this. */
static bool variable_type(struct call *c, const char *name, Dwarf_Die *to) {
    Dwarf_Die variable, this, object;
    uint64_t offset = 0;
    for (uint32_t i = c->scope_count; i-- > 0;) {
        Dwarf_Die at = c->scopes[i];
        Dwarf_Attribute attr;
        for (bool more = true; more;
             more = dwarf_attr(&at, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &at))
            if (named_below(&at, DW_TAG_variable, DW_TAG_formal_parameter, name, 0, &variable))
                return rd_die_type(&variable, to);
    }
    if (strcmp(name, "this") != 0 && variable_type(c, "this", &this) && rd_die_type(&this, &object) &&
        rd_type_member(&object, name, strlen(name), &offset, to, 0))
        return true;
    return named_below(&c->unit, DW_TAG_variable, 0, name, 4, &variable) && rd_die_type(&variable, to);
}

/* ---- reading the statement ---- */

/* Reads an identifier. Returns what follows it; NULL: there is none. */
static const char *identifier(const char *p, char to[WORD_MAX]) {
    size_t n = 0;
    if (!is_word(*p) || isdigit((unsigned char)*p))
        return NULL;
    for (; is_word(*p); p++)
        if (n + 1 < WORD_MAX)
            to[n++] = *p;
    to[n] = 0;
    return p;
}

/* Reads the name of a type, without the words struct, class and so on. Returns what follows it; NULL: there is
 * none. */
static const char *type_word(const char *p, char to[WORD_MAX]) {
    static const char *const before[] = {"struct", "class", "union", "enum", "const", "typename"};
    char word[WORD_MAX];
    for (bool again = true; again;) {
        p = blanks(p);
        const char *end = identifier(p, word);
        again = false;
        for (unsigned i = 0; i < RD_COUNT(before) && end; i++)
            again |= strcmp(word, before[i]) == 0;
        if (again)
            p = end;
    }
    size_t n = 0;
    unsigned depth = 0;
    for (; *p; p++) {
        bool part = is_word(*p) || (p[0] == ':' && p[1] == ':') || (p[0] == ':' && n && to[n - 1] == ':');
        if (*p == '<')
            depth++;
        else if (*p == '>' && depth)
            depth--;
        else if (!depth && !part)
            break;
        if (n + 1 >= WORD_MAX)
            return NULL;
        to[n++] = *p;
    }
    to[n] = 0;
    return n && !depth && !isdigit((unsigned char)to[0]) ? p : NULL;
}

/*
 * Reads an expression of the form a, a->b, a.b[i], and resolves its type. Returns what follows it; NULL: it has
 * another form, or a name is not known.
 */
static const char *expression(struct call *c, const char *p, Dwarf_Die *type) {
    char word[WORD_MAX];
    p = identifier(blanks(p), word);
    if (!p || !variable_type(c, word, type))
        return NULL;
    for (;;) {
        Dwarf_Die inner;
        uint64_t offset = 0;
        p = blanks(p);
        bool arrow = p[0] == '-' && p[1] == '>';
        if (arrow || *p == '.') {
            if (arrow && (dwarf_tag(type) != DW_TAG_pointer_type || !rd_die_type(type, type)))
                return NULL;
            p = identifier(blanks(p + 1 + arrow), word);
            if (!p || !rd_type_member(type, word, strlen(word), &offset, &inner, 0))
                return NULL;
            *type = inner;
        } else if (*p == '[') {
            int tag = dwarf_tag(type);
            p = strchr(p, ']');
            if (!p || (tag != DW_TAG_pointer_type && tag != DW_TAG_array_type) || !rd_die_type(type, &inner))
                return NULL;
            *type = inner;
            p++;
        } else {
            return p;
        }
    }
}

/* Does the last member of the type have no fixed length? Then a block of it can be larger than the type. */
static bool is_open(Dwarf_Die *type) {
    Dwarf_Die die, last, inner;
    bool any = false;
    for (bool more = dwarf_child(type, &die) == 0; more; more = dwarf_siblingof(&die, &die) == 0) {
        if (dwarf_tag(&die) != DW_TAG_member)
            continue;
        last = die;
        any = true;
    }
    return any && rd_die_type(&last, &inner) && dwarf_tag(&inner) == DW_TAG_array_type && !rd_type_size(&inner);
}

/* Takes a type that a part of the statement names, if it fits. */
static void take(struct call *c, Dwarf_Die *named, const char *spelled) {
    Dwarf_Die type;
    if (dwarf_peel_type(named, &type) != 0)
        return;
    uint64_t size = rd_type_size(&type);
    if (!size || size > c->size || (c->size % size != 0 && !is_open(&type)))
        return;
    const char *name = rd_type_name(c->arena, named);
    struct rd_type found = {.die = type, .count = is_open(&type) ? 1 : c->size / size};
    Dwarf_Die held;
    if (found.count == 1 && rd_type_held(&type, &found.at, &held, 0)) {
        found.die = held;
        name = rd_type_name(c->arena, &held);
    }
    found.name = name || !spelled ? name : rd_arena_text(c->arena, spelled);
    if (!found.name || (c->found.name && strcmp(c->found.name, found.name) == 0))
        return;
    c->several |= c->found.name != NULL;
    c->found = found;
}

/* Takes the type with this name. One that is not known may be as large as another one that fits. */
static void take_named(struct call *c, const char *name) {
    Dwarf_Die type;
    if (find_type(c, name, &type))
        take(c, &type, name);
    else
        c->several = true;
}

/* Takes what a pointer of this type points to. */
static void take_pointee(struct call *c, Dwarf_Die *pointer) {
    Dwarf_Attribute attr;
    Dwarf_Die type;
    if (dwarf_tag(pointer) == DW_TAG_pointer_type && dwarf_attr_integrate(pointer, DW_AT_type, &attr) &&
        dwarf_formref_die(&attr, &type))
        take(c, &type, NULL);
}

static void read_new(struct call *c, const char *line) {
    char word[WORD_MAX];
    for (const char *p = line; (p = after_word(line, p, "new")) != NULL;) {
        const char *q = blanks(p);
        if (*q == '(' && strchr(q, ')')) /* new (std::nothrow) T */
            q = strchr(q, ')') + 1;
        if (type_word(q, word))
            take_named(c, word);
    }
}

/* sizeof(struct node), sizeof(node_t), sizeof *made, sizeof(*list->head), sizeof table[0] */
static void read_sizeof(struct call *c, const char *line) {
    char word[WORD_MAX];
    for (const char *p = line; (p = after_word(line, p, "sizeof")) != NULL;) {
        Dwarf_Die type;
        const char *q = blanks(p);
        bool paren = *q == '(', star;
        q = blanks(q + paren);
        star = *q == '*';
        const char *end = paren && !star ? type_word(q, word) : NULL;
        if (end && *blanks(end) == ')' && find_type(c, word, &type))
            take(c, &type, word);
        else if (!expression(c, q + star, &type))
            c->several = true;
        else if (star)
            take_pointee(c, &type);
        else
            take(c, &type, NULL);
    }
}

/* (struct node *)malloc(…) */
static void read_cast(struct call *c, const char *line) {
    char word[WORD_MAX];
    for (const char *p = strchr(line, '('); p; p = strchr(p + 1, '(')) {
        const char *q = type_word(p + 1, word);
        q = q ? blanks(q) : NULL;
        if (!q || *q != '*')
            continue;
        q = blanks(q + 1);
        char callee[WORD_MAX];
        if (*q == ')' && identifier(blanks(q + 1), callee) && strstr(callee, "alloc"))
            take_named(c, word);
    }
}

/* made = malloc(…), list->head = calloc(…), struct node *made = … */
static void read_assignment(struct call *c, const char *line) {
    const char *equals = line;
    while ((equals = strchr(equals, '=')) != NULL &&
           (equals[1] == '=' || (equals > line && strchr("=!<>", equals[-1]))))
        equals += 1 + (equals[1] == '=');
    if (!equals)
        return;
    const char *start = equals;
    while (start > line && (start[-1] == ' ' || start[-1] == '\t'))
        start--;
    const char *end = start;
    while (start > line && (is_word(start[-1]) || strchr(".->[]", start[-1])))
        start--;
    char text[WORD_MAX];
    Dwarf_Die type;
    size_t n = (size_t)(end - start);
    if (!n || n >= sizeof text)
        return;
    memcpy(text, start, n);
    text[n] = 0;
    const char *rest = expression(c, text, &type);
    if (rest && !*rest)
        take_pointee(c, &type);
}

/* Does the line have more than one allocation, of which one cannot tell which it was? */
static bool has_several_calls(const char *line) {
    unsigned n = 0;
    for (const char *p = line; (p = strstr(p, "alloc")) != NULL; p += 5) {
        const char *q = p + 5;
        while (is_word(*q))
            q++;
        n += *blanks(q) == '(';
    }
    return n > 1;
}

static void read_statement(struct call *c, const char *line) {
    void (*const read[])(struct call *, const char *) = {read_new, read_sizeof, read_cast};
    for (unsigned i = 0; i < RD_COUNT(read) && !c->found.name; i++)
        read[i](c, line);
    if ((c->found.name && !c->several) || has_several_calls(line))
        return;
    c->several = false; /* what the result is assigned to decides */
    c->found.name = NULL;
    read_assignment(c, line);
}

/* ---- the scopes of the frame ---- */

/* Fills in the scopes of the frame with this index: its function or inlined call, and the blocks around the call.
 */
static bool find_scopes(struct call *c, Dwarf_Die *function, Dwarf_Addr pc, uint32_t index) {
    Dwarf_Die chain[SCOPES_MAX] = {*function};
    uint32_t n = 1, begin[SCOPES_MAX] = {0}, frames = 1;
    for (bool more = true; more && n < SCOPES_MAX;) {
        Dwarf_Die die;
        more = false;
        for (bool next = dwarf_child(&chain[n - 1], &die) == 0; next && !more;
             next = !more && dwarf_siblingof(&die, &die) == 0) {
            int tag = dwarf_tag(&die);
            if ((tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) || dwarf_haspc(&die, pc) <= 0)
                continue;
            if (tag == DW_TAG_inlined_subroutine)
                begin[frames++] = n;
            chain[n++] = die;
            more = true;
        }
    }
    if (index >= frames)
        return false;
    uint32_t from = begin[frames - 1 - index], to = index ? begin[frames - index] : n;
    c->scope_count = to - from;
    memcpy(c->scopes, chain + from, (to - from) * sizeof *chain);
    return true;
}

/* Does the function return a pointer to nothing in particular? */
static bool returns_void_pointer(struct call *c) {
    Dwarf_Die type, inner;
    return rd_die_type(&c->scopes[0], &type) && dwarf_tag(&type) == DW_TAG_pointer_type &&
           !rd_die_type(&type, &inner);
}

const struct rd_type *rd_block_type_at(struct rd_image *m, struct rd_arena *a, uint64_t address, uint32_t index,
                                       const char *line, uint64_t size, bool *outer) {
    struct call c = {.arena = a, .size = size};
    Dwarf_Die function, type;
    *outer = false;
    if (!rd_dwarf_function(m, a, address, &function) || !dwarf_diecu(&function, &c.unit, NULL, NULL) ||
        !find_scopes(&c, &function, address - m->bias, index))
        return NULL;
    if (line)
        read_statement(&c, line);
    else if (template_type(&c.scopes[0], "_Tp", &type))
        take(&c, &type, NULL);
    *outer = !c.found.name && (!line || returns_void_pointer(&c));
    if (!c.found.name || c.several)
        return NULL;
    struct rd_type *kept = rd_arena_alloc(a, sizeof *kept);
    *kept = c.found;
    return kept;
}
