/* formats.c - the table of output formats. A row is all that a new format needs outside its own file. */
#include "report/format.h"

#include <string.h>

/* The rows; the first one is the default. */
// clang-format off
#define ROWS(ROW)        \
    ROW(rd_format_text)  \
    ROW(rd_format_csv)   \
    ROW(rd_format_json)  \
    ROW(rd_format_junit) \
    ROW(rd_format_sarif) \
    ROW(rd_format_github) \
    ROW(rd_format_html)
// clang-format on

#define DECLARED(format) extern const struct rd_format format;
#define ADDRESS(format) &format,
ROWS(DECLARED)
const struct rd_format *const rd_formats[] = {ROWS(ADDRESS)};
const uint32_t rd_format_count = RD_COUNT(rd_formats);

/* Does the format implement the slots of the document? */
static bool implements(const struct rd_format *f, enum rd_document document) {
    switch (document) {
    case RD_DOCUMENT_RUN:
        return f->run != NULL;
    case RD_DOCUMENT_EXECUTION:
        return f->execution != NULL;
    case RD_DOCUMENT_VARIABLES:
        return f->variables != NULL;
    default:
        return false;
    }
}

const struct rd_format *rd_format_default(void) {
    const struct rd_format *f = rd_formats[0];
    for (unsigned d = RD_DOCUMENT_NONE + 1; d < RD_DOCUMENTS; d++)
        RD_CHECK(implements(f, (enum rd_document)d));
    RD_CHECK(f->finding && f->replay);
    return f;
}

bool rd_format_writes(const struct rd_format *f, enum rd_document document) {
    RD_CHECK(document < RD_DOCUMENTS);
    RD_CHECK(!f->help[document] || implements(f, document));
    return f->help[document] != NULL;
}

const struct rd_format *rd_format_find(enum rd_document document, const char *name, size_t length) {
    for (uint32_t i = 0; i < rd_format_count; i++)
        if (rd_format_writes(rd_formats[i], document) && strlen(rd_formats[i]->name) == length &&
            memcmp(rd_formats[i]->name, name, length) == 0)
            return rd_formats[i];
    return NULL;
}
