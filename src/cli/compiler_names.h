/* compiler_names.h - which words on a command line are the names of compilers. */
#ifndef RD_CLI_COMPILER_NAMES_H
#define RD_CLI_COMPILER_NAMES_H

#include "base/base.h"

/*
 * Is it a C or C++ compiler, by its name: gcc, clang++-14, x86_64-linux-gnu-g++, c99, /opt/bin/gcc-13? A program
 * under test with such a name is run with 'raddle run'.
 */
bool rd_compiler_is(const char *word);
/* Is it a program that starts a compiler: ccache, distcc? */
bool rd_compiler_launches(const char *word);
/*
 * How many words come before the compiler's options: 1 for "gcc -c x.c", 3 for "ccache distcc gcc -c x.c". 0: it is
 * no compilation.
 */
size_t rd_compiler_words(char **args);

#endif
