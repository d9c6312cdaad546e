/* fish.c - the completion for fish: a `complete` for each option, with a condition on the words before it. */
#include "cli/generate/generate.h"

#include "search/search.h"

#include <stdio.h>
#include <string.h>

static void print_label(const char *help) {
    char label[256];
    rd_generate_label(help, label, sizeof label);
    printf(" -d '");
    rd_generate_escaped(label, "'\\", "\\");
    puts("'");
}

static void print_action(const struct rd_takes *v) {
    switch (v->kind) {
    case RD_TAKES_WORDS:
        printf(" -x -a '%s'", v->words);
        break;
    case RD_TAKES_LIST:
        printf(" -x -a '(__raddle_list %s)'", v->words);
        break;
    case RD_TAKES_STRATEGY:
        fputs(" -x -a '(__raddle_strategies)'", stdout);
        break;
    case RD_TAKES_FILE:
    case RD_TAKES_COMPILE:
        fputs(" -r -F", stdout);
        break;
    case RD_TAKES_FOLDER:
        fputs(" -x -a '(__fish_complete_directories)'", stdout);
        break;
    case RD_TAKES_PROGRAM:
        fputs(" -F -a '(__fish_complete_command)'", stdout);
        break;
    case RD_TAKES_TEXT:
        fputs(" -x", stdout);
        break;
    case RD_TAKES_NONE:
        break;
    }
}

static void print_option(void *command, const struct rd_option *o) {
    const struct rd_command *c = command;
    struct rd_takes v = rd_takes_of_option(o);
    printf("complete -c raddle -n '__raddle_at \"%s\" option'", c->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    printf(" -l %s", o->name);
    print_action(&v);
    print_label(o->help);
}

/* The options whose value is the next word: the first word that is neither is the program or file. */
static void print_option_with_value(void *ctx, const struct rd_option *o) {
    (void)ctx;
    if (o->value && o->letter)
        printf(" -%c", o->letter);
    if (o->value)
        printf(" --%s", o->name);
}

static void print_strategies(void) {
    puts("function __raddle_strategies\n"
         "    set -l word (string replace -r '^(--strategy=|-s)' '' -- (commandline -ct))\n"
         "    switch $word");
    for (uint32_t i = 0; i < rd_search_count; i++) {
        if (!rd_searches[i]->keys[0])
            continue;
        printf("        case '%s:*'\n"
               "            for key in",
               rd_searches[i]->name);
        for (const char *w = rd_searches[i]->keys; *w; w += strspn(w, " ")) {
            size_t all = strcspn(w, " "), n = strcspn(w, " #=");
            printf(" %.*s%s", (int)n, w, n < all ? "=" : "");
            w += all;
        }
        puts("\n"
             "                echo (string replace -r '[^:,]*$' '' -- $word)$key\n"
             "            end");
    }
    puts("        case '*'");
    for (uint32_t i = 0; i < rd_search_count; i++) {
        char label[256];
        rd_generate_label(rd_searches[i]->summary, label, sizeof label);
        printf("            printf '%%s\\t%%s\\n' %s '", rd_searches[i]->name);
        rd_generate_escaped(label, "'\\", "\\");
        puts("'");
    }
    puts("    end\n"
         "end\n"
         "function __raddle_list\n"
         "    set -l word (string replace -r '^--[a-z-]*=' '' -- (commandline -ct))\n"
         "    for value in $argv\n"
         "        echo (string replace -r '[^,]*$' '' -- $word)$value\n"
         "    end\n"
         "end");
}

/* __raddle_at COMMAND STATE: is the cursor at an option, at the first argument, or behind it? */
static void print_state(void) {
    puts("function __raddle_at\n"
         "    set -l words (commandline -opc)\n"
         "    set -l command $words[2]\n"
         "    set -l from 3\n"
         "    if test (count $words) -gt 2; and test \"$words[2] $words[3]\" = 'list variables'\n"
         "        set command 'list variables'\n"
         "        set from 4\n"
         "    end\n"
         "    test \"$command\" = $argv[1]; or return 1\n"
         "    set -l valued\n"
         "    switch $command");
    for (uint32_t i = 0; i < rd_command_count; i++) {
        if (!rd_generate_is_command(rd_commands[i]) || !rd_commands[i]->options)
            continue;
        printf("        case '%s'\n            set valued", rd_commands[i]->name);
        rd_options_each(rd_commands[i]->options, print_option_with_value, NULL);
        putchar('\n');
    }
    puts("    end\n"
         "    set -l state option\n"
         "    set -l skip 0\n"
         "    for word in $words[$from..-1]\n"
         "        if test $skip = 1\n"
         "            set skip 0\n"
         "        else if test $state = only\n"
         "            set state behind\n"
         "        else if test \"$word\" = --\n"
         "            set state only\n"
         "        else if contains -- $word $valued\n"
         "            set skip 1\n"
         "        else if not string match -q -- '-*' $word\n"
         "            set state behind\n"
         "        end\n"
         "        test $state = behind; and break\n"
         "    end\n"
         "    switch $argv[2]\n"
         "        case option\n"
         "            test $state = option\n"
         "        case argument\n"
         "            test $state != behind\n"
         "    end\n"
         "end");
}

void rd_generate_fish(void) {
    char words[1024];
    puts("# fish completion for raddle; made by 'raddle --generate fish'");
    print_strategies();
    print_state();
    for (uint32_t i = 0; i < rd_command_count; i++) {
        const struct rd_command *c = rd_commands[i];
        if (!rd_generate_is_command(c) || strchr(c->name, ' '))
            continue;
        printf("complete -c raddle -n 'test (count (commandline -opc)) = 1' -a '%s'", c->name);
        print_label(c->summary);
    }
    puts("complete -c raddle -n 'test (count (commandline -opc)) = 1' -a help -d 'a page about a command'\n"
         "complete -c raddle -n 'test (count (commandline -opc)) = 1; and not string match -q \"*/*\" -- "
         "(commandline -ct)' -f");
    rd_generate_words(true, words, sizeof words);
    printf("complete -c raddle -n '__raddle_at help argument' -x -a '%s'\n", words);
    for (uint32_t i = 0; i < rd_command_count; i++) {
        const struct rd_command *c = rd_commands[i];
        if (!rd_generate_is_command(c))
            continue;
        if (c->options)
            rd_options_each(c->options, print_option, (void *)c);
        struct rd_takes v = rd_takes_of_command(c);
        printf("complete -c raddle -n '__raddle_at \"%s\" argument'", c->name);
        print_action(&v);
        putchar('\n');
    }
}
