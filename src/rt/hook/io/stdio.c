/*
 * stdio.c - hooks for calls on streams. A call takes the stream's lock where that is a lock of the model
 * (stream.h); otherwise it goes to libc, and an ordinary print is no operation.
 */
#include "rt/call/call.h"
#include "rt/hook/io/io.h"
#include "rt/hook/io/stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* types of libc's functions that the headers do not declare, or declare under another name */
typedef int (*checked_print)(FILE *, int, const char *, va_list);
typedef int (*scan)(FILE *, const char *, va_list);
typedef int (*checked_print_fd)(int, int, const char *, va_list);
typedef char *(*checked_gets)(char *, size_t, int, FILE *);
typedef size_t (*checked_read)(void *, size_t, size_t, size_t, FILE *);
#define REAL_AS(type, name) ((type)rd_real_get(&rd_real.name))

#define LOCKED(type, name, f, parameters, arguments) \
    RD_EXPORT type name parameters {                 \
        RD_STREAM_LOCKED(f);                         \
        return RD_REAL(name) arguments;              \
    }

LOCKED(int, fputs, f, (const char *text, FILE *f), (text, f))
LOCKED(int, fputc, f, (int c, FILE *f), (c, f))
LOCKED(int, putc, f, (int c, FILE *f), (c, f))
LOCKED(int, puts, stdout, (const char *text), (text))
LOCKED(size_t, fwrite, f, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f))
LOCKED(size_t, fread, f, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f))
LOCKED(char *, fgets, f, (char *to, int size, FILE *f), (to, size, f))
LOCKED(int, fgetc, f, (FILE * f), (f))
LOCKED(int, getc, f, (FILE * f), (f))
LOCKED(int, ungetc, f, (int c, FILE *f), (c, f))
LOCKED(ssize_t, getdelim, f, (char **to, size_t *size, int end, FILE *f), (to, size, end, f))
LOCKED(ssize_t, __getdelim, f, (char **to, size_t *size, int end, FILE *f), (to, size, end, f))
LOCKED(int, fseek, f, (FILE * f, long offset, int whence), (f, offset, whence))
LOCKED(int, fseeko, f, (FILE * f, off_t offset, int whence), (f, offset, whence))
LOCKED(long, ftell, f, (FILE * f), (f))
LOCKED(off_t, ftello, f, (FILE * f), (f))
LOCKED(int, feof, f, (FILE * f), (f))
LOCKED(int, ferror, f, (FILE * f), (f))
LOCKED(int, setvbuf, f, (FILE * f, char *buffer, int mode, size_t size), (f, buffer, mode, size))

/* For functions that the headers also define inline: the C name differs from the symbol. */
#define SYMBOL(type, name, parameters)                      \
    RD_EXPORT type stream_##name parameters __asm__(#name); \
    RD_EXPORT type stream_##name parameters

SYMBOL(int, putchar, (int c)) {
    RD_STREAM_LOCKED(stdout);
    return RD_REAL(putc)(c, stdout);
}

SYMBOL(int, getchar, (void)) {
    RD_STREAM_LOCKED(stdin);
    return RD_REAL(getc)(stdin);
}

SYMBOL(ssize_t, getline, (char **to, size_t *size, FILE *f)) {
    RD_STREAM_LOCKED(f);
    return RD_REAL(getdelim)(to, size, '\n', f);
}

RD_EXPORT void rewind(FILE *f) {
    RD_STREAM_LOCKED(f);
    RD_REAL(rewind)(f);
}

RD_EXPORT void perror(const char *text) {
    RD_STREAM_LOCKED(stderr);
    RD_REAL(perror)(text);
}

RD_API(char *, __fgets_chk, char *to, size_t room, int size, FILE *f) {
    RD_STREAM_LOCKED(f);
    return REAL_AS(checked_gets, __fgets_chk)(to, room, size, f);
}

RD_API(size_t, __fread_chk, void *to, size_t room, size_t size, size_t n, FILE *f) {
    RD_STREAM_LOCKED(f);
    return REAL_AS(checked_read, __fread_chk)(to, room, size, n, f);
}

/* ---- formatted ---- */

/* The body of a function with variable arguments after `format`: evaluates `call`, which takes them as `list`. */
#define WITH_LIST(call)     \
    va_list list;           \
    va_start(list, format); \
    int r = call;           \
    va_end(list);           \
    return r

RD_EXPORT int vfprintf(FILE *f, const char *format, va_list list) {
    RD_STREAM_LOCKED(f);
    return RD_REAL(vfprintf)(f, format, list);
}

SYMBOL(int, vprintf, (const char *format, va_list list)) {
    RD_STREAM_LOCKED(stdout);
    return RD_REAL(vfprintf)(stdout, format, list);
}

RD_EXPORT int fprintf(FILE *f, const char *format, ...) {
    RD_STREAM_LOCKED(f);
    WITH_LIST(RD_REAL(vfprintf)(f, format, list));
}

RD_EXPORT int printf(const char *format, ...) {
    RD_STREAM_LOCKED(stdout);
    WITH_LIST(RD_REAL(vfprintf)(stdout, format, list));
}

RD_API(int, __vfprintf_chk, FILE *f, int flag, const char *format, va_list list) {
    RD_STREAM_LOCKED(f);
    return REAL_AS(checked_print, __vfprintf_chk)(f, flag, format, list);
}

RD_API(int, __vprintf_chk, int flag, const char *format, va_list list) {
    RD_STREAM_LOCKED(stdout);
    return REAL_AS(checked_print, __vfprintf_chk)(stdout, flag, format, list);
}

RD_API(int, __fprintf_chk, FILE *f, int flag, const char *format, ...) {
    RD_STREAM_LOCKED(f);
    WITH_LIST(REAL_AS(checked_print, __vfprintf_chk)(f, flag, format, list));
}

RD_API(int, __printf_chk, int flag, const char *format, ...) {
    RD_STREAM_LOCKED(stdout);
    WITH_LIST(REAL_AS(checked_print, __vfprintf_chk)(stdout, flag, format, list));
}

/*
 * For C99 and later the headers give scanf the symbol __isoc99_scanf (in C89 with GNU extensions %a has another
 * meaning). The symbol scanf has no hook.
 */
#define SCANS(prefix)                                                         \
    RD_API(int, prefix##vfscanf, FILE *f, const char *format, va_list list) { \
        RD_STREAM_LOCKED(f);                                                  \
        return REAL_AS(scan, prefix##vfscanf)(f, format, list);               \
    }                                                                         \
    RD_API(int, prefix##vscanf, const char *format, va_list list) {           \
        RD_STREAM_LOCKED(stdin);                                              \
        return REAL_AS(scan, prefix##vfscanf)(stdin, format, list);           \
    }                                                                         \
    RD_API(int, prefix##fscanf, FILE *f, const char *format, ...) {           \
        RD_STREAM_LOCKED(f);                                                  \
        WITH_LIST(REAL_AS(scan, prefix##vfscanf)(f, format, list));           \
    }                                                                         \
    RD_API(int, prefix##scanf, const char *format, ...) {                     \
        RD_STREAM_LOCKED(stdin);                                              \
        WITH_LIST(REAL_AS(scan, prefix##vfscanf)(stdin, format, list));       \
    }

SCANS(__isoc99_)

/* ---- to a descriptor: a descriptor that may block is written through the hook of write ---- */

static int print_fd(int fd, int flag, const char *format, va_list list, uint64_t pc) {
    char *text;
    bool waits = rd_io_on() && rd_io_look(fd).file;
    if (!waits)
        rd_hook_touch_files(fd, -1, RD_REAL(vdprintf), pc);
    if (!waits && flag)
        return REAL_AS(checked_print_fd, __vdprintf_chk)(fd, flag, format, list);
    if (!waits)
        return RD_REAL(vdprintf)(fd, format, list);
    rd_call_objects(NULL, 0, RD_REAL(vdprintf), pc); /* the arguments are read before the first byte is written */
    int size = vasprintf(&text, format, list);
    if (size < 0)
        return size;
    ssize_t n = rd_hook_write(fd, text, (size_t)size, pc);
    free(text);
    return n == size ? size : -1;
}

RD_EXPORT int vdprintf(int fd, const char *format, va_list list) { return print_fd(fd, 0, format, list, RD_PC()); }
RD_EXPORT int dprintf(int fd, const char *format, ...) { WITH_LIST(print_fd(fd, 0, format, list, RD_PC())); }

RD_API(int, __vdprintf_chk, int fd, int flag, const char *format, va_list list) {
    return print_fd(fd, flag, format, list, RD_PC());
}

RD_API(int, __dprintf_chk, int fd, int flag, const char *format, ...) {
    WITH_LIST(print_fd(fd, flag, format, list, RD_PC()));
}
