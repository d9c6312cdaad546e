/*
 * page_data.h - the steps of a page in tables (page_steps.c), which page_data.c writes.
 */
#ifndef RD_REPORT_HTML_PAGE_DATA_H
#define RD_REPORT_HTML_PAGE_DATA_H

#include "report/html/intern.h"
#include "report/report.h"

#define RD_PAGE_NONE UINT32_MAX /* no entry of a table */

/* The words of a step without object and value. */
struct page_form {
    uint32_t before, has_object, after, tail; /* strings */
};

struct page_object {
    rd_place first, last;
    uint32_t name;
};

struct page_data {
    FILE *out;
    const struct rd_report *r;
    const struct rd_schedule *s;
    struct rd_intern strings, forms, places, frames, sources, stacks;
    struct page_object *object; /* by number in `places` */
    uint32_t object_room;
    uint32_t *index;                                      /* by step: its index in the page; NONE: left out */
    uint32_t count;                                       /* steps in the page */
    uint32_t *form, *value, *of, *second, *frame, *stack; /* by index */
};

/* The number of a frame, of an object; `f` may be NULL. */
uint32_t rd_page_frame(struct page_data *d, const struct rd_frame *f);
uint32_t rd_page_object(struct page_data *d, rd_place place, uint64_t size, const char *name);
/* Chooses the steps that the page has, among them the shown ones of `rows`, and fills in tables and columns. */
void rd_page_take_steps(struct page_data *d, const uint8_t *rows);
/* Memory for `count` elements, all zero. Without memory the command ends. */
void *rd_page_zeroed(size_t count, size_t size);
void rd_page_data_free(struct page_data *d);

#endif
