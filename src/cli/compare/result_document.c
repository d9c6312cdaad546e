/*
 * result_document.c - see result_document.h. What a file can cost is limited: its size, the depth of its nesting
 * (by jansson), and the memory of what was read, which is a hundred times the size for a file of empty lists.
 */
#include "cli/compare/result_document.h"

#include "cli/options.h"
#include "cli/test/test_list.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1, SIZE_MAX_MIB = 256, MEMORY_MAX_GIB = 2, WHERE = 96, ID_DIGITS = 12 };

/* ---- the file ---- */

/* Reads the whole file. NULL after a message; otherwise the caller frees the text. */
static char *read_text(const char *path, size_t *size) {
    const size_t most = (size_t)SIZE_MAX_MIB << 20;
    size_t used = 0, room = 1 << 16;
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rd_trouble("cannot open '%s': %s", path, strerror(errno)), NULL;
    char *text = malloc(room);
    while (text && used <= most && (n = read(fd, text + used, room - used)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        used += (size_t)n;
        if (used == room)
            text = realloc(text, room *= 2);
    }
    if (!text)
        abort();
    if (n < 0)
        rd_trouble("cannot read '%s': %s", path, strerror(errno));
    else if (used > most)
        rd_trouble("'%s' is larger than %d MiB: it is not read", path, SIZE_MAX_MIB);
    close(fd);
    *size = used;
    if (n == 0 && used <= most)
        return text;
    free(text);
    return NULL;
}

static size_t memory_used, memory_max = SIZE_MAX; /* of all values of jansson's */

static void *take_memory(size_t size) {
    void *p = size < memory_max - RD_MIN(memory_used, memory_max) ? malloc(size) : NULL;
    memory_used += p ? malloc_usable_size(p) : 0;
    return p;
}

static void give_memory(void *p) {
    memory_used -= p ? malloc_usable_size(p) : 0;
    free(p);
}

/* NULL after a message. */
static json_t *parse(const char *path) {
    json_error_t error = {.line = 0};
    char shown[2 * JSON_ERROR_TEXT_LENGTH];
    size_t size;
    char *text = read_text(path, &size);
    if (!text)
        return NULL;
    json_set_alloc_funcs(take_memory, give_memory);
    memory_max = memory_used + ((size_t)MEMORY_MAX_GIB << 30);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    memory_max = SIZE_MAX;
    free(text);
    if (root)
        return root;
    if (size == 0)
        rd_trouble("'%s' is empty: its run has not ended, or could not begin", path);
    else if (!error.text[0] || json_error_code(&error) == json_error_out_of_memory)
        rd_trouble("'%s' would take more than %d GiB of memory: it is not read", path, MEMORY_MAX_GIB);
    else
        rd_trouble("'%s' is no JSON document: line %d: %s", path, error.line,
                   rd_test_make_safe(error.text, shown, sizeof shown));
    return NULL;
}

/* ---- its keys ---- */

enum { TEXT = 1, COUNT = 2, BOOLEAN = 4, OBJECT = 8, LIST = 16, NONE = 32, WORDS = 64 };

struct key {
    const char *name;
    unsigned types;
};

static const struct key run_keys[] = {
    {"format", COUNT},          {"raddle", TEXT},      {"program", TEXT},     {"build_id", TEXT | NONE},
    {"arguments", WORDS},       {"command", WORDS},    {"seed", COUNT},       {"exit_status", COUNT},
    {"environment", OBJECT},    {"strategy", TEXT},    {"executions", COUNT}, {"suppressed", COUNT},
    {"distinct_orders", COUNT}, {"complete", BOOLEAN}, {"finished", BOOLEAN}, {"guarantee", TEXT},
    {"bounds", OBJECT},         {"findings", LIST},    {"warnings", LIST},
};
static const struct key bounds_keys[] = {
    {"preemptions", COUNT | NONE}, {"delays", COUNT | NONE}, {"depth", COUNT | NONE}, {"complete", BOOLEAN}};
static const struct key finding_keys[] = {{"id", TEXT},          {"kind", TEXT},      {"message", TEXT},
                                          {"file", TEXT | NONE}, {"line", COUNT},     {"function", TEXT | NONE},
                                          {"schedule", TEXT},    {"warning", BOOLEAN}};
static const struct key test_keys[] = {{"name", TEXT},        {"program", TEXT},     {"result", TEXT},
                                       {"text", TEXT | NONE}, {"executions", COUNT}, {"run", OBJECT | NONE}};

/* What is checked, for messages. */
struct document_place {
    const struct rd_result_document *document;
    char at[WHERE]; /* path of an object in it, with a dot at its end; "": the document itself */
};

static const char *command_of(const struct rd_result_document *d) { return d->tests ? "test" : "run"; }

__attribute__((format(printf, 2, 3))) static bool wrong(const struct document_place *p, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rd_trouble("'%s' is no document of 'raddle %s --json': %s", p->document->path, command_of(p->document), text);
    return false;
}

static bool is_words(const json_t *list) {
    const json_t *word;
    size_t i;
    json_array_foreach(list, i, word) if (!json_is_string(word)) return false;
    return json_is_array(list);
}

static bool has_type(const json_t *v, unsigned types) {
    return ((types & TEXT) && json_is_string(v)) || ((types & BOOLEAN) && json_is_boolean(v)) ||
           ((types & COUNT) && json_is_integer(v) && json_integer_value(v) >= 0) ||
           ((types & OBJECT) && json_is_object(v)) || ((types & LIST) && json_is_array(v)) ||
           ((types & NONE) && json_is_null(v)) || ((types & WORDS) && is_words(v));
}

static const char *type_words(unsigned types) {
    return types & TEXT      ? "a text"
           : types & COUNT   ? "a number"
           : types & BOOLEAN ? "true or false"
           : types & OBJECT  ? "an object"
           : types & WORDS   ? "a list of texts"
                             : "a list";
}

static bool check_keys(const struct document_place *p, const json_t *object, const struct key *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const json_t *v = json_object_get(object, keys[i].name);
        if (!v)
            return wrong(p, "'%s%s' is missing", p->at, keys[i].name);
        if (!has_type(v, keys[i].types))
            return wrong(p, "'%s%s' is not %s", p->at, keys[i].name, type_words(keys[i].types));
    }
    return true;
}

static bool is_identity(const json_t *id) {
    return json_string_length(id) == ID_DIGITS && strspn(json_string_value(id), "0123456789abcdef") == ID_DIGITS;
}

static bool check_findings(const struct document_place *run, const json_t *object, const char *key) {
    struct document_place p = {.document = run->document};
    const json_t *f;
    size_t i;
    json_array_foreach(json_object_get(object, key), i, f) {
        snprintf(p.at, sizeof p.at, "%.40s%.16s[%zu].", run->at, key, i);
        if (!check_keys(&p, f, finding_keys, RD_COUNT(finding_keys)))
            return false;
        if (!is_identity(json_object_get(f, "id")))
            return wrong(&p, "'%sid' has not %d hexadecimal digits", p.at, ID_DIGITS);
    }
    return true;
}

static bool check_format(const struct document_place *p, const json_t *object) {
    const json_t *format = json_object_get(object, "format");
    if (!json_is_integer(format))
        return wrong(p, "'%sformat' is %s", p->at, format ? "not a number" : "missing");
    if (json_integer_value(format) == FORMAT)
        return true;
    rd_trouble("'%s' has format %lld, and this raddle reads format %d: write both documents with this version",
               p->document->path, (long long)json_integer_value(format), FORMAT);
    return false;
}

static bool check_run(const struct document_place *p, const json_t *run) {
    struct document_place bounds = {.document = p->document};
    const json_t *value;
    const char *name;
    snprintf(bounds.at, sizeof bounds.at, "%.40sbounds.", p->at);
    if (!check_format(p, run) || !check_keys(p, run, run_keys, RD_COUNT(run_keys)) ||
        !check_keys(&bounds, json_object_get(run, "bounds"), bounds_keys, RD_COUNT(bounds_keys)))
        return false;
    json_object_foreach(
        (json_t *)json_object_get(run, "environment"), name,
        value) if (!json_is_string(value)) return wrong(p, "'%senvironment' has a value that is not a text", p->at);
    return check_findings(p, run, "findings") && check_findings(p, run, "warnings");
}

static bool check_test(const struct rd_result_document *d, size_t i) {
    struct document_place p = {.document = d};
    snprintf(p.at, sizeof p.at, "tests[%zu].", i);
    if (!check_keys(&p, d->at[i].test, test_keys, RD_COUNT(test_keys)))
        return false;
    snprintf(p.at, sizeof p.at, "tests[%zu].run.", i);
    return !d->at[i].run || check_run(&p, d->at[i].run);
}

/* ---- the document ---- */

static bool read_tests(struct rd_result_document *d) {
    const struct document_place top = {.document = d};
    const json_t *list = json_object_get(d->root, "tests"), *test;
    size_t i;
    if (!check_format(&top, d->root))
        return false;
    if (!json_is_array(list))
        return wrong(&top, "'tests' is %s", list ? "not a list" : "missing");
    d->at = calloc(json_array_size(list) + 1, sizeof *d->at);
    if (!d->at)
        abort();
    json_array_foreach(list, i, test) {
        const json_t *run = json_object_get(test, "run");
        d->at[i] = (struct rd_result_run){.test = test, .run = json_is_object(run) ? run : NULL};
        if (!check_test(d, i))
            return false;
    }
    d->count = json_array_size(list);
    return true;
}

static bool read_run(struct rd_result_document *d) {
    const struct document_place top = {.document = d};
    d->at = calloc(1, sizeof *d->at);
    if (!d->at)
        abort();
    d->at[0].run = d->root;
    d->count = 1;
    return check_run(&top, d->root);
}

/* Is the key there with this text? A document of `raddle run` has the list of its words in "command". */
static bool says(const json_t *object, const char *key, const char *text) {
    const char *value = json_string_value(json_object_get(object, key));
    return value && strcmp(value, text) == 0;
}

bool rd_result_document_read(struct rd_result_document *d, const char *path) {
    *d = (struct rd_result_document){.path = path, .root = parse(path)};
    if (!d->root)
        return false;
    d->tests = says(d->root, "command", "test");
    if (!d->tests && !json_object_get(d->root, "findings"))
        rd_trouble("'%s' is no document of 'raddle run --json' or 'raddle test --json'", path);
    else if (d->tests ? read_tests(d) : read_run(d))
        return true;
    rd_result_document_free(d);
    return false;
}

void rd_result_document_free(struct rd_result_document *d) {
    json_decref(d->root);
    free(d->at);
    *d = (struct rd_result_document){0};
}
