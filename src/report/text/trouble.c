/* trouble.c - see trouble.h. */
#include "report/text/trouble.h"

#include "report/text/report_text.h"

/* The operation that the plan expected, as far as the plan describes it. */
static void expected_text(const struct rd_report *r, const struct rd_divergence *d, char *to, size_t room) {
    const struct rd_choice *c = &d->expected;
    char phrase[RD_PHRASE], at[RD_LOCATION];
    if (rd_op_flags(c->op) & RD_F_VALUE) {
        snprintf(to, room, "a choice inside an operation (number %u is taken)", c->pick);
        return;
    }
    if (c->op == RD_OP_NONE) {
        snprintf(to, room, "T%u goes on", c->pick);
        return;
    }
    rd_phrase_op(r, c->op, c->place, 0, RD_TID_MAX, phrase, sizeof phrase);
    if (c->op == RD_OP_JOIN) /* the plan does not say which thread is joined */
        snprintf(phrase, sizeof phrase, "join a thread");
    rd_words_frame(r, rd_symbols_at(r->symbols, c->pc, c->op == RD_OP_START), true, at, sizeof at);
    snprintf(to, room, "T%u: %s%s%s", c->pick, phrase, at[0] ? " at " : "", at);
}

/* The operation, or the lack of one, that the engine met instead. */
static void actual_text(const struct rd_report *r, const struct rd_divergence *d, char *to, size_t room) {
    const struct rd_op *op = &d->actual;
    char phrase[RD_PHRASE], at[RD_LOCATION];
    rd_phrase_pending(r, op, phrase, sizeof phrase);
    rd_words_frame(r, rd_symbols_at(r->symbols, op->pc, op->kind == RD_OP_START), true, at, sizeof at);
    const char *before = at[0] ? " at " : "";
    switch (d->why) {
    case RD_DIV_NO_THREAD:
        snprintf(to, room, "that thread does not exist or has ended");
        break;
    case RD_DIV_BLOCKED:
        snprintf(to, room, "T%u cannot go on: %s%s%s is blocked", d->tid, phrase, before, at);
        break;
    case RD_DIV_OTHERS:
        snprintf(to, room, "T%u: %s%s%s as expected, but another thread is about to do something else", d->tid,
                 phrase, before, at);
        break;
    case RD_DIV_VALUE:
        snprintf(to, room, "there is nothing of that kind to choose here (T%u: %s%s%s)", d->tid, phrase, before,
                 at);
        break;
    case RD_DIV_EARLY:
        snprintf(to, room, "the execution is over");
        break;
    default:
        snprintf(to, room, "T%u: %s%s%s", d->tid, phrase, before, at);
    }
}

void rd_print_divergence(FILE *to, const struct rd_report *r, const struct rd_divergence *d, bool replay,
                         const struct rd_look *look) {
    char text[RD_PHRASE + RD_LOCATION + 128];
    FILE *out = rd_wrap_open(to, NULL);
    if (replay)
        fprintf(out, "raddle: %sthe program did not follow the schedule at step %u%s\n", rd_paint(look, RD_RED),
                d->step + 1, rd_paint(look, RD_UNPAINTED));
    else
        fprintf(
            out,
            "raddle: %sthe program is not deterministic: run again under the same schedule, it went another way at "
            "step %u%s\n",
            rd_paint(look, RD_RED), d->step + 1, rd_paint(look, RD_UNPAINTED));
    if (d->why != RD_DIV_EARLY || d->expected.op != RD_OP_NONE) {
        expected_text(r, d, text, sizeof text);
        fprintf(out, "  expected  %s\n", text);
    }
    actual_text(r, d, text, sizeof text);
    fprintf(out, "  instead   %s\n\n", text);
    if (replay)
        fputs("If the program, a library, its input or its environment is not the one that was recorded, record\n"
              "it anew with 'raddle run'. Otherwise it is not deterministic.\n",
              out);
    fputs("What usually makes a program differ between executions: files, sockets or shared memory that one\n"
          "execution changes and the next one reads; other processes; memory that was never initialised; counters\n"
          "and random numbers of the processor (rdtsc, rdrand); threads that Raddle does not control. Clocks, the\n"
          "system's random numbers, process numbers, the heap and the address space are kept the same.\n",
          out);
    rd_wrap_close(out);
}

void rd_print_refused(FILE *to, const char *program, const char *message, struct rd_symbols *symbols, rd_place pc,
                      const struct rd_look *look) {
    FILE *out = rd_wrap_open(to, NULL);
    fprintf(out, "raddle: %scannot test '%s': %s%s\n", rd_paint(look, RD_RED), program,
            message[0] ? message : "it does what Raddle cannot control", rd_paint(look, RD_UNPAINTED));
    const struct rd_frame *f = pc && symbols ? rd_symbols_at(symbols, pc, false) : NULL;
    if (f)
        fprintf(out, "  that code: %s", f->function);
    if (f && f->file && f->line)
        fprintf(out, " at %s:%d", f->file, f->line);
    if (f && f->module)
        fprintf(out, ", in '%s'", f->module);
    if (f)
        fputs("\n", out);
    rd_wrap_close(out);
}
