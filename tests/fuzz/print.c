/* print.c - prints a program as the source that builds it, to be pasted into a unit test. */
#include "fuzz.h"

#include "exprs.h"

static const char *const names[] = {
    [SIM_READ] = "read",
    [SIM_WRITE] = "write",
    [SIM_RMW] = "rmw",
    [SIM_LOCK] = "lock",
    [SIM_UNLOCK] = "unlock",
    [SIM_TRYLOCK] = "trylock",
    [SIM_SPAWN] = "spawn",
    [SIM_JOIN] = "join",
    [SIM_YIELD] = "yield",
    [SIM_WAIT] = "wait",
    [SIM_SIGNAL] = "signal",
    [SIM_BROADCAST] = "broadcast",
    [SIM_RDLOCK] = "rdlock",
    [SIM_WRLOCK] = "wrlock",
    [SIM_RWUNLOCK] = "rwunlock",
    [SIM_SEM_WAIT] = "sem_wait",
    [SIM_SEM_POST] = "sem_post",
    [SIM_BARRIER] = "barrier",
    [SIM_SLEEP] = "sleep",
    [SIM_SEM_TRYWAIT] = "sem_trywait",
    [SIM_SEM_VALUE] = "sem_value",
    [SIM_TRYRDLOCK] = "tryrdlock",
    [SIM_TRYWRLOCK] = "trywrlock",
    [SIM_ONCE] = "once",
    [SIM_TRYJOIN] = "tryjoin",
    [SIM_CANCEL] = "cancel",
    [SIM_SEND] = "send",
    [SIM_EXIT] = "exit",
    [SIM_CHOOSE] = "choose",
    [SIM_FREE] = "free",
    [SIM_FUTEX_WAIT] = "futex_wait",
    [SIM_FUTEX_WAKE] = "futex_wake",
    [SIM_INIT] = "init",
    [SIM_DESTROY] = "destroy",
    [SIM_SET] = "set",
    [SIM_ASSERT] = "assert",
    [SIM_ASSUME] = "assume",
    [SIM_IF_ZERO] = "if_zero",
    [SIM_IF] = "if",
    [SIM_GOTO] = "goto",
    [SIM_LABEL] = "label",
    [SIM_END] = "end",
};

static const char *const types[] = {"RD_MUTEX_NORMAL", "RD_MUTEX_RECURSIVE", "RD_MUTEX_ERRORCHECK"};

/*
 * Locks of a mutex that is not normal have macros of their own; a timed lock of such a mutex has none and is
 * written out.
 */
static void print_lock(FILE *out, const struct sim_instr *i) {
    if (i->until && i->value)
        fprintf(out, "{.kind = SIM_LOCK, .object = %d, .value = %s, .until = %u, .reg = %d}", i->object,
                types[i->value], i->until, i->reg);
    else if (i->until)
        fprintf(out, "do_timedlock(%d, %u, %d)", i->object, i->until, i->reg);
    else if (i->value)
        fprintf(out, "do_%s_of(%d, %s", names[i->kind], i->object, types[i->value]);
    else
        fprintf(out, "do_%s(%d", names[i->kind], i->object);
    if (!i->until && i->kind == SIM_TRYLOCK)
        fprintf(out, ", %d", i->reg);
    if (!i->until)
        fputc(')', out);
}

static void print_rwlock(FILE *out, const struct sim_instr *i) {
    fprintf(out, "do_%s%s(%d, %d", i->until ? "timed" : "", names[i->kind], i->object, i->value);
    if (i->until)
        fprintf(out, ", %u", i->until);
    if (i->until || i->kind == SIM_TRYRDLOCK || i->kind == SIM_TRYWRLOCK)
        fprintf(out, ", %d", i->reg);
    fputc(')', out);
}

static void print_access(FILE *out, const struct sim_instr *i) {
    if (i->kind == SIM_READ)
        fprintf(out, "do_read(%d, %d)", i->object, i->reg);
    else if (i->kind == SIM_RMW)
        fprintf(out, "do_rmw(%d, %s, %d)", i->object, fuzz_update_name(i->update), i->reg);
    else if (i->expr)
        fprintf(out, "do_write_fn(%d, %s)", i->object, fuzz_expr_name(i->expr));
    else
        fprintf(out, "do_write(%d, %d)", i->object, i->value);
}

static void print_wait(FILE *out, const struct sim_instr *i) {
    bool futex = i->kind == SIM_FUTEX_WAIT;
    int with = futex ? i->value : i->mutex;
    fprintf(out, "do_%s%swait(%d, %d", futex ? "futex_" : "", i->until ? "timed" : "", i->object, with);
    if (i->until)
        fprintf(out, ", %u, %d", i->until, i->reg);
    fputc(')', out);
}

static void print_instr(FILE *out, const struct sim_instr *i) {
    const char *name = names[i->kind];
    switch (i->kind) {
    case SIM_READ:
    case SIM_WRITE:
    case SIM_RMW:
        print_access(out, i);
        break;
    case SIM_LOCK:
    case SIM_UNLOCK:
    case SIM_TRYLOCK:
        print_lock(out, i);
        break;
    case SIM_RDLOCK:
    case SIM_WRLOCK:
    case SIM_TRYRDLOCK:
    case SIM_TRYWRLOCK:
        print_rwlock(out, i);
        break;
    case SIM_WAIT:
    case SIM_FUTEX_WAIT:
        print_wait(out, i);
        break;
    case SIM_JOIN:
    case SIM_SEM_WAIT:
        if (i->until)
            fprintf(out, "do_%s(%d, %u, %d)", i->kind == SIM_JOIN ? "timedjoin" : "sem_timedwait", i->object,
                    i->until, i->reg);
        else
            fprintf(out, "do_%s(%d)", name, i->object);
        break;
    case SIM_FUTEX_WAKE:
    case SIM_BARRIER:
        fprintf(out, "do_%s(%d, %d, %d)", name, i->object, i->value, i->reg);
        break;
    case SIM_SEM_TRYWAIT:
    case SIM_SEM_VALUE:
    case SIM_ONCE:
    case SIM_TRYJOIN:
        fprintf(out, "do_%s(%d, %d)", name, i->object, i->reg);
        break;
    case SIM_INIT:
    case SIM_DESTROY:
        fprintf(out, "do_%s(%d, %d)", name, i->value, i->object);
        break;
    case SIM_CHOOSE:
        fprintf(out, "do_choose(%d, %d)", i->value, i->reg);
        break;
    case SIM_ASSERT:
    case SIM_ASSUME:
        fprintf(out, "do_%s(%s)", name, fuzz_expr_name(i->expr));
        break;
    case SIM_IF:
    case SIM_IF_ZERO:
        fprintf(out, "do_%s(%s, %d)", name, fuzz_expr_name(i->expr), i->object);
        break;
    case SIM_SLEEP:
        fprintf(out, "do_sleep(%d)", i->value);
        break;
    case SIM_YIELD:
    case SIM_EXIT:
    case SIM_END:
        fprintf(out, "do_%s()", name);
        break;
    default:
        fprintf(out, "do_%s(%d)", name, i->object);
        break;
    }
}

void fuzz_print(FILE *out, const struct fuzz_case *c) {
    const struct sim_program *p = &c->program;
    const struct sim_options *o = &c->options;
    fprintf(out, "    struct sim_program p = {.name = \"fuzz %llu\"%s%s, .sems = {%d, %d}};\n",
            (unsigned long long)c->seed, p->main ? ", .main = true" : "",
            p->start_steps ? ", .start_steps = true" : "", p->sems[0], p->sems[1]);
    for (uint32_t t = 0; t < p->threads; t++) {
        fprintf(out, "    SIM_THREAD(&p");
        for (uint32_t i = 0; i < p->length[t]; i++) {
            fprintf(out, ", ");
            print_instr(out, &p->code[t][i]);
        }
        fprintf(out, "); /* thread %u */\n", p->main ? t : t + 1);
    }
    fprintf(out,
            "    struct sim_options o = {.asserts_go_on = %d, .asserts_are_points = %d, .signal_fifo = %d, "
            ".spurious = %u, .timeouts = %u, "
            ".loops = %d, .steps_max = %u};\n",
            o->asserts_go_on, o->asserts_are_points, o->signal_fifo, o->spurious, o->timeouts, o->loops,
            o->steps_max);
}
