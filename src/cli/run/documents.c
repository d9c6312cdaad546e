/* documents.c - see documents.h. */
#include "cli/run/documents.h"

#include "cli/run/make_folder.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static bool is_stdout(const struct rd_run_output *out) { return out->path && strcmp(out->path, "-") == 0; }

FILE *rd_run_document_open(const char *path) {
    FILE *f = fopen(path, "we");
    if (!f)
        rd_trouble("cannot write '%s': %s", path, strerror(errno));
    return f;
}

bool rd_run_documents_leave_report(const struct rd_run_options *o) {
    bool suppressed = o->quiet;
    for (uint32_t i = 0; i < o->output_count; i++)
        suppressed |= is_stdout(&o->outputs[i]);
    return !suppressed;
}

/* Does a document go to standard output, which then has nothing else? */
static bool stdout_is_taken(const struct rd_run_options *o) {
    for (uint32_t i = 0; i < o->output_count; i++)
        if (is_stdout(&o->outputs[i]))
            return true;
    return false;
}

/* Makes the folder of a document that has one, and opens its index. False after a message. */
static bool open_folder(struct rd_run_output *out) {
    char path[PATH_MAX];
    bool made;
    if (is_stdout(out))
        return rd_trouble("--%s writes several files: it needs a folder, not '-'", out->format->name), false;
    if (!rd_make_folder(out->path, &made))
        return rd_trouble("cannot write to directory '%s': %s", out->path, strerror(errno)), false;
    snprintf(path, sizeof path, "%s/%s", out->path, out->format->index);
    out->file = rd_run_document_open(path);
    return out->file != NULL;
}

/* Writes the page of a finding. A message tells if that fails: the index then has a link that leads nowhere. */
static void write_page(struct rd_run_output *out, const struct rd_report *r, const struct rd_look *look) {
    char name[NAME_MAX + 1], path[PATH_MAX];
    out->format->page_name(r, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", out->path, name);
    FILE *file = rd_run_document_open(path);
    if (!file) {
        out->failed = true;
        return;
    }
    out->format->execution(file, r, look);
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    if (failed)
        rd_trouble("cannot write '%s'", path);
    out->failed |= failed;
}

bool rd_run_documents_open(struct rd_run_options *o) {
    for (uint32_t i = 0; i < o->output_count; i++) {
        struct rd_run_output *out = &o->outputs[i];
        if (out->format->index) {
            if (!open_folder(out))
                return false;
        } else if (is_stdout(out))
            out->file = stdout;
        else if (!out->path)
            out->file = stdout_is_taken(o) ? stderr : stdout;
        else
            out->file = rd_run_document_open(out->path);
        if (!out->file)
            return false;
    }
    return true;
}

void rd_run_documents_begin_report(const struct rd_run_options *o) {
    for (uint32_t i = 0; i < o->output_count && rd_run_documents_leave_report(o); i++)
        if (o->outputs[i].format->log && !o->outputs[i].path)
            o->outputs[i].format->log(o->outputs[i].file);
}

void rd_run_documents_finding(struct rd_run_options *o, const struct rd_report *r, const struct rd_look *look) {
    if (rd_run_documents_leave_report(o))
        rd_format_default()->finding(stdout, r, look);
    for (uint32_t i = 0; i < o->output_count; i++)
        if (o->outputs[i].format->finding)
            o->outputs[i].format->finding(o->outputs[i].file, r, look);
    for (uint32_t i = 0; i < o->output_count; i++)
        if (o->outputs[i].format->index)
            write_page(&o->outputs[i], r, look);
}

int rd_run_documents_write(const struct rd_run_options *o, const struct rd_run *run,
                           const struct rd_report *findings, uint32_t count, const struct rd_look *look) {
    int status = 0;
    for (uint32_t i = 0; i < o->output_count; i++) {
        FILE *out = o->outputs[i].file;
        o->outputs[i].format->run(out, run, findings, count, look);
        bool failed = ferror(out) || fflush(out) != 0;
        if (out != stdout && out != stderr)
            failed |= fclose(out) != 0;
        if (o->outputs[i].failed)
            status = RD_EXIT_TROUBLE;
        if (failed)
            status = rd_trouble("cannot write '%s'", o->outputs[i].path ? o->outputs[i].path : "the annotations");
    }
    return status;
}
