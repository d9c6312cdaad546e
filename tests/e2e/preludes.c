/* Preludes in C: see preludes.h. Memory that they allocate and do not free stays reachable. */
#define _GNU_SOURCE
#include "preludes.h"

#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <wchar.h>

static void *kept[1000];

static void print(void) { printf("no end of line, %d", 1); }

static void print_lines(void) {
    for (int i = 0; i < 300; i++)
        printf("line %d of more than a buffer holds\n", i);
}

static void print_error(void) {
    fprintf(stderr, "%s %d\n", "an error", 1);
    errno = ENOENT;
    perror("perror");
}

static void unbuffered(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("unbuffered %f\n", 1.5);
}

static void line_buffered(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("a line\nand half");
}

static void put_locale(void) {
    puts("before");
    setlocale(LC_ALL, "C.UTF-8");
    printf("%s %'d %ls\n", nl_langinfo(CODESET), 1000000, L"wide");
}

static void file_lines(void) {
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen("/etc/passwd", "r");
    while (f && getline(&line, &room, f) > 0) {
    }
    kept[0] = f; /* the file stays open */
    kept[1] = line;
}

static void temporary(void) {
    FILE *f = tmpfile();
    if (f) {
        fprintf(f, "%s", "a file that nobody else sees");
        rewind(f);
        kept[0] = f;
    }
    char *text;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    fputs("in memory", memory);
    fclose(memory);
    kept[1] = text;
}

static void descriptors(void) {
    for (int i = 0; i < 5; i++)
        if (open("/dev/null", O_RDWR) < 0)
            abort();
    if (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0)
        abort();
}

static void users(void) {
    if (!getpwnam("root") || !getgrnam("root"))
        abort();
}

static void convert(void) {
    iconv_t c = iconv_open("ISO-8859-15", "UTF-8");
    char in[] = "\xe2\x82\xac", out[8], *from = in, *to = out;
    size_t left = sizeof in, room = sizeof out;
    if (c != (iconv_t)-1)
        iconv(c, &from, &left, &to, &room);
    kept[0] = c;
}

static void addresses(void) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo("127.0.0.1", "80", &hints, &found) == 0)
        freeaddrinfo(found);
    kept[0] = getservbyname("http", "tcp");
}

static void library(void) {
    void *l = dlopen("libresolv.so.2", RTLD_NOW);
    kept[0] = l;
    kept[1] = l ? dlsym(l, "ns_parserr") : NULL;
}

static void blocks(void) {
    for (size_t i = 0; i < 1000; i++)
        kept[i] = malloc(i * 37 % 5000);
    for (size_t i = 0; i < 1000; i += 3) {
        free(kept[i]);
        kept[i] = NULL;
    }
    for (size_t i = 1; i < 1000; i += 3)
        kept[i] = realloc(kept[i], i * 11 % 9000 + 1);
    kept[999] = realloc(kept[999], 5 << 20);
}

static void errors(void) {
    for (int i = 0; i < 140; i++)
        if (!strerror(i) || !strsignal(i))
            abort();
    strerror(123456);
}

static void zone(void) {
    char text[64];
    time_t now = time(NULL);
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    strftime(text, sizeof text, "%c %Z", localtime(&now));
    puts(text);
}

static int compare(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : 1; }

static void sort(void) {
    enum { COUNT = 50000 };
    int *all = malloc(COUNT * sizeof *all);
    unsigned next = 7; /* not rand(): the program's own numbers stay as they are */
    for (int i = 0; i < COUNT; i++)
        all[i] = (int)(next = next * 1103515245u + 12345u) >> 1;
    qsort(all, COUNT, sizeof *all, compare);
    free(all);
}

static void at_end(void) { printf("at the end\n"); }
static void on_signal(int sig) { (void)sig; }

static void handlers(void) {
    static char alternate[64 << 10];
    stack_t s = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    atexit(at_end);
    sigaltstack(&s, NULL);
    sigaction(SIGPWR, &a, NULL);
    signal(SIGURG, SIG_IGN);
    sigset_t more;
    sigemptyset(&more);
    sigaddset(&more, SIGWINCH);
    sigprocmask(SIG_BLOCK, &more, NULL);
}

static void process_state(void) {
    umask(077);
    alarm(100000);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_cur < 900 ? limit.rlim_cur : 900;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    char *here = getcwd(NULL, 0);
    if (!here)
        abort();
    free(here);
}

static void environment(void) {
    char name[32];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "PRELUDE_%d", i);
        setenv(name, "some value that is not short at all", 1);
    }
    for (int i = 0; i < 200; i += 2) {
        snprintf(name, sizeof name, "PRELUDE_%d", i);
        unsetenv(name);
    }
}

static void child(void) {
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    int status;
    if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
        abort();
}

static void deep(void) {
    volatile char room[200 << 10];
    for (size_t i = 0; i < sizeof room; i += 1000)
        room[i] = 1;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void synchronise(void) {
    pthread_key_t key;
    pthread_key_create(&key, NULL); /* a destructor would be an operation of every thread */
    kept[0] = malloc(10);
    pthread_setspecific(key, kept[0]);
    pthread_once(&once, deep);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_setname_np(pthread_self(), "prelude");
}

static void patterns(void) {
    regex_t r;
    if (regcomp(&r, "^(a|b)+[[:digit:]]*$", REG_EXTENDED) == 0) {
        regexec(&r, "abab12", 0, NULL, 0);
        regfree(&r);
    }
    wchar_t wide[32];
    mbstowcs(wide, "wide", 32);
}

static void nothing(void) {}

static const struct prelude all[] = {
    {"print", print},
    {"print_lines", print_lines},
    {"print_error", print_error},
    {"unbuffered", unbuffered},
    {"line_buffered", line_buffered},
    {"put_locale", put_locale},
    {"file_lines", file_lines},
    {"temporary", temporary},
    {"descriptors", descriptors},
    {"users", users},
    {"convert", convert},
    {"addresses", addresses},
    {"library", library},
    {"blocks", blocks},
    {"errors", errors},
    {"zone", zone},
    {"sort", sort},
    {"handlers", handlers},
    {"process_state", process_state},
    {"environment", environment},
    {"child", child},
    {"deep", deep},
    {"synchronise", synchronise},
    {"patterns", patterns},
    {"large_environment", nothing},
};

PRELUDES(all)
