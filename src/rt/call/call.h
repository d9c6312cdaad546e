/*
 * call.h - calls out of instrumented code. A function that is not instrumented reads and writes memory, and uses
 * state of its library, without any hook. So a call of it is an operation: one that touches what the function's
 * rules say (foreign/function_rules.h), or everything, if there are none.
 *
 * The calls are seen where a module imports the function. The slots of an instrumented module, through which it
 * calls what other modules define, are made to point to *thunks* (call_x86_64.S): a few instructions that tell
 * which function is called, keep all registers that hold arguments, and then jump to it. They leave the stack and
 * the return address alone, so that whatever looks at those (setjmp, exceptions, varargs, dlopen) finds them as it
 * would without.
 *
 * The operation comes before the call, and nothing else runs until the function calls a hook itself or returns.
 * What the rules refer to may change while the operation waits for its turn (a string may become longer): then it
 * is announced again.
 *
 * Functions that call functions of the program (qsort) are called by the thunk, not jumped to. What they touch
 * after such a function has made an operation is not known to that operation; so all operations in there depend on
 * everything.
 */
#ifndef RD_RT_CALL_CALL_H
#define RD_RT_CALL_CALL_H

#include "rt/rt.h"
#include "trace/extents.h"
#include "foreign/function_rules.h"
#include "foreign/sync_rules.h"

/* The registers that hold arguments, as a va_list has them; kept by the thunk. */
struct rd_call_frame {
    uint64_t general[6];
    uint64_t vector[16];
    uint64_t vectors; /* how many of them hold variable arguments (%al) */
    uint64_t chain;   /* %r10 */
};

/* A function that instrumented code calls. */
struct rd_callee {
    uint64_t target; /* where the thunk jumps to */
    uint64_t named;  /* the function itself, where `target` is a hook of ours */
    const char *name;
    struct rd_rule *rules;
    uint32_t rule_count;
    uint8_t class;                   /* enum rd_function_class */
    bool calls;                      /* it calls functions of the program */
    const struct rd_call_rule *rule; /* RD_FUNCTION_SYNC */
};

/* A rule of a file (sync_rules.h) for the functions of a library. */
struct rd_call_rule {
    struct rd_sync_rule is;
    char library[RD_SYNC_NAME];
    struct rd_call_rule *next;
    uint32_t number;       /* in the order of the text */
    uint64_t lock, unlock; /* of a condition wait: the library's own; 0: not known */
    bool opaque;           /* of acquire and release: the call depends on everything, too */
};

/* One call, while its rules are looked at. */
struct rd_call {
    const struct rd_callee *callee;
    const struct rd_call_frame *frame;
    const uint64_t *stack; /* the arguments that are not in registers */
    struct rd_extents *to;
    uint64_t own_from; /* where the part of the thread's heap begins that only it knew when the call was made */
    bool wide;         /* it depends on everything after all */
    bool calls;        /* it calls functions of the program */
};

enum { RD_CALL_LEVELS = 8 }; /* of nested calls that are told apart */

/* What the thread has called last. */
struct rd_called {
    struct rd_extents by_address[2]; /* in turn: who has looked at the last one may still do so */
    const struct rd_extents *kept;   /* the same by place; NULL: none */
    uint64_t pc;                     /* raw; the operation at this place takes the extents with it; 0: none does */
    uint64_t named;
    uint32_t turn;
    uint32_t steps; /* that there were when its operation had its turn */
    bool wide;
    /* of a call whose hook makes the operation: to look at it again when its turn has come */
    const struct rd_callee *callee;
    struct rd_call_frame frame;
    const uint64_t *stack;
    uint64_t own_from;
    /* of the calls that rd_vthread.nested counts, the outermost first: where the thunk's return address is on the
     * stack */
    const uint64_t *level[RD_CALL_LEVELS];
    /* in a handler of a signal: what the thread had called before, and rd_vthread.nested then; else one to use
     * there */
    struct rd_called *before, *spare;
    uint32_t nested;
};

/* call_scan.c: looks for modules that are new, and redirects the slots of those that are instrumented. */
void rd_call_scan(void);
void rd_call_attach_table(int fd); /* the memory of kept extents */
/* dlsym() or dlvsym() by instrumented code: what it returns; NULL: the function itself is to be called. */
void *rd_call_look_up(const struct rd_callee *callee, const struct rd_call_frame *frame);
/* Is some state with this hash written by a function that a module imports? */
bool rd_call_may_write(uint64_t state);
/* Is it memory that nobody can write? */
bool rd_call_constant(uint64_t addr);
/* The writable data of the C library. */
void rd_call_static_data(uint64_t *first, uint64_t *last);

/* call_touch.c: adds what the call touches to `to`. The memory is the program's: it may fault (rd_call_fault). */
void rd_call_touch(struct rd_call *c);
void rd_call_add(struct rd_call *c, uint64_t addr, uint64_t size, bool writes, bool at_most);
void rd_call_add_object(struct rd_call *c, uint64_t name, unsigned touch);
uint64_t rd_call_argument(const struct rd_call *c, unsigned n); /* from 1 */
/* call_format.c: what a format refers to; how many characters it makes. */
void rd_call_format(struct rd_call *c, const struct rd_rule *r);
uint64_t rd_call_formed(const struct rd_call *c, const struct rd_rule *r);
/* call_cxx.c */
void rd_call_cxx(struct rd_call *c, const struct rd_rule *r);

/* call_rules.c: reads the rules for libraries that are loaded. */
void rd_rules_load(void);
bool rd_rules_any(void); /* … that say how functions synchronise */
/* The rule for a function: how it synchronises, or what it touches; NULL: there is none. */
struct rd_call_rule *rd_rules_find(const char *name, uint64_t target, bool memory);
/* Finds the library's functions that a condition wait needs. */
void rd_rules_bind(struct rd_call_rule *r, uint64_t target);

/* call.c */
/* nested: 0 jump to the target; 1 call it, and rd_call_back; 2 do neither: it is the result. */
struct rd_call_way {
    uint64_t target, nested;
};
/* call_sync.c: a call of a function with a rule that says how it synchronises. */
struct rd_call_way rd_call_sync(const struct rd_callee *callee, struct rd_call_frame *frame, const uint64_t *from);
/* An operation in a nested call: true if it is not to be made, because the rule's operation stands for it. */
enum { RD_CALL_MUTED = 1 << 16 }; /* added to rd_vthread.nested */
bool rd_call_nested(struct rd_op *op, struct rd_result *r);
/* Stops counting nested calls that were left by an exception or longjmp(). */
void rd_call_forget_left(void);
extern const char rd_call_nested_return[] __attribute__((visibility("hidden"))); /* call_x86_64.S */
/* The operation for what a function touches whose rule says about order only. */
void rd_call_announce(const struct rd_callee *c, const struct rd_call_frame *frame, const uint64_t *from);
struct rd_call_way rd_call_out(uint32_t index, struct rd_call_frame *frame, const uint64_t *from)
    __attribute__((visibility("hidden")));
void rd_call_back(const struct rd_call_frame *frame) __attribute__((visibility("hidden")));
/* A fault: if it came of looking at what a call touches, that is given up, and this does not return. */
void rd_call_fault(void);
/* An operation of a hook takes what the call that it stands for touches. */
void rd_call_attach(struct rd_op *op);
/* The turn of an operation with extents has come: their memory is checked for errors of the heap. */
void rd_call_check_heap(const struct rd_op *op, uint64_t pc);
/*
 * A call on a stream, or on a file on disk, in a hook: an operation with these objects and with what the call at
 * `pc` touches. If that is nothing, there is none. `function` is the one that is called, where the caller is not
 * seen.
 */
struct rd_call_object {
    uint64_t name;   /* 0: none */
    unsigned touch;  /* enum rd_touch */
    uint32_t memory; /* so many bytes there are used, too, at most */
};
void rd_call_objects(const struct rd_call_object *objects, unsigned count, const void *function, uint64_t pc);
/* The same for one that depends on everything. */
void rd_call_objects_wide(const struct rd_call_object *objects, unsigned count, const void *function, uint64_t pc);
/*
 * A system call of the program's own code at `pc` may touch anything. `now`: that is an operation; else the
 * operation of its hook depends on everything.
 */
void rd_call_anything(uint64_t pc, bool now);
/* call_touch.c: is it a system call that is an operation of its own, or uses nothing that others see? */
bool rd_call_is_plain_number(uint64_t number);
/* A handler of a signal begins, and ends, in the middle of what the thread has called. */
void rd_call_handler_begin(void);
void rd_call_handler_end(void);
extern struct rd_callee *rd_callees; /* by thunk */
/* Holds what is known about imported functions. Not the execution's arena: there it would lie between what every
 * execution writes, and one page more would have to be put back. */
extern struct rd_arena rd_call_arena;
extern struct rd_extents_table *rd_call_kept;

/*
 * Does the order matter in which the program prints? Where somebody looks at its output, and where it imports a
 * function that puts another file in the place of the standard output, which others may read.
 */
bool rd_call_output_counts(void);
void rd_call_learn_standard(void); /* which files are the standard ones; call at the start */
/* A descriptor is closed: what is opened next may take the place of the standard output, where nobody looks. */
void rd_call_closes(int fd);
/* The name of hidden state, of a file on disk and of what streams and descriptors are about (call_touch.c). */
uint64_t rd_call_state_name(uint64_t hash);
enum { RD_STREAM_SIZE = 216 }; /* of a FILE, which is part of glibc's ABI */
struct rd_stream_names {
    uint64_t stream, file; /* 0: nobody can tell */
    bool wide;             /* there is no file behind it, but memory, or functions of the program */
};
struct rd_stream_names rd_call_stream(const void *stream);
uint64_t rd_call_file_of(
    int fd); /* of a file on disk; of a descriptor that is not open its number; 0: not judged */
uint64_t rd_call_identity(int fd); /* tells files apart, whatever their names are; 0: it is none on disk */
uint64_t rd_call_number(int fd);   /* the number of a descriptor: who closes it changes that */
uint64_t rd_call_file_at(int directory, const char *path);

#endif
