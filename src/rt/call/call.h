/*
 * call.h - calls out of instrumented code. A function that is not instrumented reads and writes memory, and uses
 * state of its library, without any hook. So a call of it is an operation. If the function has rules
 * (foreign/function_rules.h), the operation touches the memory and the state that they name; if it has none, the
 * operation depends on all operations.
 *
 * The runtime sees these calls where a module imports the function. It makes the slots through which an
 * instrumented module calls functions of other modules (of the procedure linkage table and the global offset table)
 * point to *thunks* (arch/call_x86_64.S). A thunk is a few instructions that pass the index of the function to
 * rd_call_out(), keep all registers that hold arguments, and then jump to the function. It leaves the stack and the
 * return address as they are, because setjmp(), exceptions, variable arguments and dlopen() depend on them.
 *
 * The operation comes before the call, and no other thread runs until the function returns or calls a hook itself.
 * The memory that the rules refer to may change while the operation is pending (a string may become longer): the
 * call then announces the operation again.
 *
 * The thunk of a function that calls functions of the program (qsort) calls it instead of jumping to it. Such a
 * function goes on after each operation of the program's function, and this operation does not know which memory
 * the rest of the function touches. So all operations within such a call depend on all operations.
 */
#ifndef RD_RT_CALL_CALL_H
#define RD_RT_CALL_CALL_H

#include "rt/rt.h"
#include "trace/extents.h"
#include "foreign/function_rules.h"
#include "foreign/sync_rules.h"

/* The argument registers at a call, in the order of a va_list's register save area; the thunk stores them. */
struct rd_call_frame {
    uint64_t general[6];
    uint64_t vector[16];
    uint64_t vectors; /* %al: an upper bound of the vector registers that hold variable arguments */
    uint64_t chain;   /* %r10 */
};

/* A function that instrumented code calls through a thunk. */
struct rd_callee {
    uint64_t target; /* where the thunk jumps to: the function, or a hook that stands in for it */
    uint64_t named;  /* the function itself, after which operations are named */
    const char *name;
    struct rd_rule *rules;
    uint32_t rule_count;
    uint8_t class;                   /* enum rd_function_class */
    bool calls;                      /* the function calls functions of the program */
    const struct rd_call_rule *rule; /* of class RD_FUNCTION_SYNC; else NULL */
};

/* A rule of a text of rules (foreign/sync_rules.h) for a function of a library. */
struct rd_call_rule {
    struct rd_sync_rule is;
    char library[RD_SYNC_NAME];
    struct rd_call_rule *next; /* in the same hash bucket, in the order of the text */
    uint32_t number;           /* its position in the text */
    uint64_t lock, unlock;     /* of a condition wait: the library's functions for the mutex; 0: not known */
    bool opaque;               /* the memory that the function touches is not known */
};

/* One call, while the rules of its function are evaluated. */
struct rd_call {
    const struct rd_callee *callee;
    const struct rd_call_frame *frame;
    const uint64_t *stack; /* the arguments that are not in registers */
    struct rd_extents *to; /* the extents found so far */
    uint64_t own_from;     /* where the part of the thread's heap begins that no other thread knew at the call */
    bool wide;             /* the call depends on all operations */
    bool calls;            /* the call runs functions of the program */
};

enum { RD_CALL_LEVELS = 8 }; /* how many levels of nested calls are told apart */

/* The last call of a thread, and the nested calls that it is in. */
struct rd_called {
    struct rd_extents by_address[2]; /* used in turn, so that the extents before the last look stay readable */
    const struct rd_extents *kept;   /* the current extents by place; NULL: there are none */
    uint64_t pc;    /* of the call, raw: a hook's operation with this pc takes the extents; 0: none */
    uint64_t named; /* the function, raw */
    uint32_t turn;  /* the current list of `by_address` */
    uint32_t steps; /* the number of steps of the execution when the call's operation had its turn */
    bool wide;      /* the call depends on all operations */
    /* a call whose hook makes the operation: its function (else NULL), and its arguments, to evaluate the rules
     * again */
    const struct rd_callee *callee;
    struct rd_call_frame frame;
    const uint64_t *stack;
    uint64_t own_from; /* as in struct rd_call */
    /* of the nested calls that rd_vthread.nested counts, the outermost first: where the return address into the
     * thunk is on the stack */
    const uint64_t *level[RD_CALL_LEVELS];
    struct rd_called *before; /* in the handler of a signal: the interrupted state; else NULL */
    struct rd_called *spare;  /* for the next handler; NULL: none was allocated yet */
    uint32_t nested;          /* in the handler of a signal: the interrupted value of rd_vthread.nested */
};

/* call_scan.c: looks for new modules, and redirects the slots of the instrumented ones. */
void rd_call_scan(void);
/* Maps the table of kept extents at its fixed address. */
void rd_call_attach_table(int fd);
/* dlsym() or dlvsym() by instrumented code: returns its result; NULL: the function itself is to be called. */
void *rd_call_look_up(const struct rd_callee *callee, const struct rd_call_frame *frame);
/* Returns whether a function that a module imports writes the hidden state with this hash. */
bool rd_call_may_write(uint64_t state);
/* Returns whether the address is in a segment of a module that is mapped without write access. */
bool rd_call_constant(uint64_t addr);
/* The writable data segment of the C library. */
void rd_call_static_data(uint64_t *first, uint64_t *last);

/* call_touch.c: evaluates the rules and adds extents to `to`. It reads the program's memory, which may fault
 * (rd_call_fault). */
void rd_call_touch(struct rd_call *c);
/* Adds memory. at_most: the call touches at most this much. */
void rd_call_add(struct rd_call *c, uint64_t addr, uint64_t size, bool writes, bool at_most);
void rd_call_add_object(struct rd_call *c, uint64_t name, unsigned touch);
uint64_t rd_call_argument(const struct rd_call *c, unsigned n); /* n: from 1 */
/* Bytes of a string with its end, of at most `max` characters; unit: bytes of a character, 1 or 4. */
uint64_t rd_call_string_size(uint64_t at, unsigned unit, uint64_t max);
/* call_format.c: adds the memory that a format refers to. */
void rd_call_format(struct rd_call *c, const struct rd_rule *r);
/* How many bytes printing with the format produces, with the terminating 0; UINT64_MAX: not known before the call.
 */
uint64_t rd_call_formed(const struct rd_call *c, const struct rd_rule *r);
/* call_cxx.c: adds the memory of an object of the C++ library. */
void rd_call_cxx(struct rd_call *c, const struct rd_rule *r);

/* call_rules.c: reads the rules for the libraries that are loaded. */
void rd_rules_load(void);
/* Returns whether a rule says how a function synchronises. */
bool rd_rules_any(void);
/* The rule for a function; memory: the one that says which memory it touches, else how it synchronises. NULL: none.
 */
struct rd_call_rule *rd_rules_find(const char *name, uint64_t target, bool memory);
/* Finds the library's functions that lock and unlock the mutex of a condition wait. */
void rd_rules_bind(struct rd_call_rule *r, uint64_t target);

/* call.c */
/* How the thunk goes on. nested: 0 jump to the target; 1 call it, then rd_call_back; 2 return `target` as the
 * result. */
struct rd_call_way {
    uint64_t target, nested;
};
/* call_sync.c: performs a call of a function with a rule that says how it synchronises. */
struct rd_call_way rd_call_sync(const struct rd_callee *callee, struct rd_call_frame *frame, const uint64_t *from);
enum { RD_CALL_MUTED = 1 << 16 }; /* added to rd_vthread.nested for each muted call (call_sync.c) */
/* An operation in a nested or muted call; true: it is not made, because the operation of a rule stands for it. */
bool rd_call_nested(struct rd_op *op, struct rd_result *r);
/* call_nested.c: how many nested calls of this thread are counted, at most RD_CALL_LEVELS. */
uint32_t rd_call_levels(void);
/* A nested call begins; the frame is the one that its thunk has made. */
void rd_call_begin_nested(const struct rd_call_frame *frame);
/* Stops counting nested calls that an exception or longjmp() has left. */
void rd_call_forget_left(void);
extern const char rd_call_nested_return[] __attribute__((visibility("hidden"))); /* arch/call_x86_64.S */
/* The operation for the memory of a function whose rule of synchronisation only gives an order. */
void rd_call_announce(const struct rd_callee *c, const struct rd_call_frame *frame, const uint64_t *from);
/* Called by the thunks: a call of rd_callees[index] begins. from: where the return address is on the stack. */
struct rd_call_way rd_call_out(uint32_t index, struct rd_call_frame *frame, const uint64_t *from)
    __attribute__((visibility("hidden")));
/* Called by the thunks: a nested call has returned. */
void rd_call_back(const struct rd_call_frame *frame) __attribute__((visibility("hidden")));
/* In the handler of a fault: if evaluating the rules of a call has caused the fault, gives that up and does not
 * return. */
void rd_call_fault(void);
/* An operation of a hook takes the extents of the call that the hook stands in for. */
void rd_call_attach(struct rd_op *op);
/* The turn of an operation with extents has come: reports errors of the heap in their memory. */
void rd_call_check_heap(const struct rd_op *op, uint64_t pc);
/* An object that a hook adds to the extents of its call. */
struct rd_call_object {
    uint64_t name;   /* 0: there is none */
    unsigned touch;  /* enum rd_touch */
    uint32_t memory; /* at most so many bytes at the address `name` are touched, too */
};
/*
 * A hook of a call on a stream, or on a file on disk: makes an operation with these objects and the extents of the
 * call at `pc`; makes none if both are empty. `function`: the one that is called, where no thunk has seen the call.
 */
void rd_call_objects(const struct rd_call_object *objects, unsigned count, const void *function, uint64_t pc);
/* The same for a call that depends on all operations. */
void rd_call_objects_wide(const struct rd_call_object *objects, unsigned count, const void *function, uint64_t pc);
/*
 * A system call of the program's own code at `pc`, which may touch any memory. now: it is an operation by itself;
 * else the operation of its hook depends on all operations.
 */
void rd_call_anything(uint64_t pc, bool now);
/* call_touch.c: returns whether the system call is an operation by itself, or touches no memory that threads share.
 */
bool rd_call_is_plain_number(uint64_t number);
/* The handler of a signal interrupts the thread: it gets a struct rd_called of its own; it ends. */
void rd_call_handler_begin(void);
void rd_call_handler_end(void);
extern struct rd_callee *rd_callees; /* by index of the thunk */
/* Holds the descriptions of imported functions. They are not in the execution's arena: there they would lie among
 * data that every execution writes, and cost one more page to put back. */
extern struct rd_arena rd_call_arena;
extern struct rd_extents_table *rd_call_kept;

/*
 * Returns whether the order in which threads print is judged: if the user has asked to look at the output, or if
 * the program imports a function that replaces the standard output by another file, which other threads may read.
 */
bool rd_call_output_counts(void);
/* At the start: records which files the standard descriptors are. */
void rd_call_learn_standard(void);
/* A descriptor is closed: the next file that is opened may replace standard output, where order does not matter. */
void rd_call_closes(int fd);
/* The name of hidden state with this hash, as the name of an object (call_touch.c). */
uint64_t rd_call_state_name(uint64_t hash);
enum { RD_STREAM_SIZE = 216 }; /* of a FILE, which is part of glibc's ABI */
/* The objects that an operation on a stream touches. */
struct rd_stream_names {
    uint64_t stream, file; /* 0: none, because the order of output is not judged, or no file is behind the stream */
    bool wide;             /* the stream uses memory or functions of the program instead of a file */
};
struct rd_stream_names rd_call_stream(const void *stream);
/* The name of a descriptor's open file; of a number that is not open, rd_call_number(); 0: the file is not judged.
 */
uint64_t rd_call_file_of(int fd);
/* A number that tells files on disk apart, independent of their paths; 0: the descriptor is of no file on disk. */
uint64_t rd_call_identity(int fd);
/* The name of the number itself, as an object that closing the descriptor changes. */
uint64_t rd_call_number(int fd);
/* The name of the file at a path; 0: there is none, or it is not judged. */
uint64_t rd_call_file_at(int directory, const char *path);

#endif
