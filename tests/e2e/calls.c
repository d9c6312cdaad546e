/*
 * calls.c - a call of a function without hooks against an access to the memory that it touches. The first thread
 * makes the call, the second asserts a condition that holds only after the call; no other operation orders the two.
 * So the assertion fails in exactly those executions in which the second thread comes first. A search that assumed
 * that the call touches no memory would call the program correct after one execution.
 *
 *   calls NAME     runs that case
 *   calls          prints the names of all cases
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static char text[64] = "30,20,10";
static char other[64] = "unset";
static int numbers[4] = {4, 3, 2, 1};
static int number;
static long wide;
static wchar_t letters[16] = L"abc";
static char *pointer;
static size_t size;
static int file, ends[2], event;
static FILE *stream;
static DIR *folder;
static struct stat status;
static struct tm moment;
static struct timeval when;
static struct pollfd polled;
static fd_set set;
static sigset_t signals;
static struct utsname names;
static struct rlimit limit;
static regex_t pattern;
static regmatch_t match[1];
static struct in_addr address;
static struct tm *result;
static sem_t semaphore;
static pthread_t handle, first_thread;
static thrd_t c_handle;
static pthread_key_t key;
static struct sigaction action;
static struct itimerval interval;
static timer_t timer;
static struct itimerspec left;
static struct timespec span;
static siginfo_t info;
static mqd_t queue;
static struct mq_attr attributes;
static stack_t alternate;
static char *page, *other_page;
static pthread_mutexattr_t kind;
static struct sockaddr_un name;
static socklen_t room;
static struct mmsghdr messages[1];
static struct epoll_event events[1];
static unsigned priority;
static void (*swap)(const void *, void *, ssize_t);
static cpu_set_t processors;
static char *others[] = {(char *)"OTHER=1", NULL};

static int upwards(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *five(void *arg) { return (char *)arg + 5; }
static int c_five(void *arg) { return arg == NULL ? 5 : 0; }
static void note_signal(int sig) { number = sig; }
static void map_page(int protection) {
    page = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (protection & PROT_WRITE)
        page[0] = 1;
}
static void make_timer(void) {
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    timer_create(CLOCK_MONOTONIC, &none, &timer);
}
static void make_queue(void) {
    struct mq_attr small = {.mq_maxmsg = 3, .mq_msgsize = 8};
    queue = mq_open("/raddle-calls", O_RDWR | O_CREAT, 0600, &small);
    mq_unlink("/raddle-calls");
}
static void wait_for_own_signal(void) {
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    raise(SIGUSR1);
}

static void pair(void) {
    room = sizeof number;
    static struct iovec part = {text, 1};
    messages[0].msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || write(ends[0], "7", 1) != 1)
        abort();
}
static void make_server(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "server"};
    unlink(name.sun_path);
    file = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(file, (struct sockaddr *)&name, sizeof name);
    listen(file, 1);
    connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof name);
    room = sizeof text;
}
static void make_epoll(void) {
    struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = 7};
    file = epoll_create1(0);
    event = eventfd(1, 0);
    epoll_ctl(file, EPOLL_CTL_ADD, event, &wanted);
}
static void start_child(void) {
    if (fork() == 0)
        _exit(3);
}
static void pipe_stream(void) {
    if (pipe(ends) != 0 || write(ends[1], "7\n", 2) != 2)
        abort();
    stream = fdopen(ends[0], "r");
}
/* Looks a function up by its name at run time. */
static int note_by_name(void) {
    *(void **)&swap = dlsym(RTLD_DEFAULT, "swab");
    swap("2n", text, 2);
    return 0;
}

static int relocks(void) {
    pthread_mutex_t m;
    pthread_mutex_init(&m, &kind);
    pthread_mutex_lock(&m);
    int error = pthread_mutex_trylock(&m);
    if (!error)
        pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return error == 0;
}
static void make_folder(void) {
    rmdir("folder/new");
    mkdir("folder", 0700);
    folder = opendir("folder");
}
static int has_entry(void) {
    struct dirent *e;
    while ((e = readdir(folder)))
        if (strcmp(e->d_name, "new") == 0)
            return 1;
    return 0;
}
static void map_twice(void) {
    int fd = memfd_create("calls", 0);
    if (ftruncate(fd, 4096) != 0)
        abort();
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    other_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}
static void pair_of_names(void) {
    name = (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "named"};
    unlink(name.sun_path);
    file = socket(AF_UNIX, SOCK_STREAM, 0);
    room = sizeof text;
}

static void file_with(const char *what) {
    file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(file, what, strlen(what)) < 0 || lseek(file, 0, SEEK_SET) != 0)
        abort();
}
static void stream_with(const char *what) {
    stream = fopen("file", "w+");
    fputs(what, stream);
    rewind(stream);
}
static void ready_event(void) {
    event = eventfd(1, 0);
    polled = (struct pollfd){event, POLLIN, 0};
}
static void set_of_one(void) {
    event = eventfd(0, 0);
    FD_SET(event, &set);
}

#define CASES(C)                                                                                                   \
    /* functions that touch the memory that their arguments point to */                                            \
    C(read, file_with("7"), read(file, &text[0], 1), text[0] == '7')                                               \
    C(pread, file_with("78"), pread(file, &text[0], 1, 1), text[0] == '8')                                         \
    C(readv, file_with("79"), (readv(file, (struct iovec[]){{text, 1}, {text + 2, 1}}, 2)), text[2] == '9')        \
    C(fgets, stream_with("line"), fgets(text, 8, stream), text[0] == 'l')                                          \
    C(fread, stream_with("bytes"), fread(text, 1, 3, stream), text[1] == 'y')                                      \
    C(fscanf, stream_with("42"), fscanf(stream, "%d", &number), number == 42)                                      \
    C(getline, stream_with("one\n"), getline(&pointer, &size, stream), size > 0)                                   \
    C(snprintf, , snprintf(text, sizeof text, "%d", 5), text[0] == '5')                                            \
    C(snprintf_reads, , snprintf(other, sizeof other, "%s", text), other[0] == '3')                                \
    C(sprintf, , sprintf(text, "%d", 6), text[0] == '6')                                                           \
    C(sscanf, , sscanf("17", "%d", &number), number == 17)                                                         \
    C(asprintf, , asprintf(&pointer, "%d", 7), pointer != NULL)                                                    \
    C(qsort, , qsort(numbers, 4, sizeof(int), upwards), numbers[0] == 1)                                           \
    C(strcpy, , strcpy(text, "copied"), text[0] == 'c')                                                            \
    C(strncpy, , strncpy(text, "copied", 4), text[3] == 'i')                                                       \
    C(strcat, , strcat(text, ",end"), text[8] == ',')                                                              \
    C(stpcpy, , stpcpy(text, "copied"), text[5] == 'd')                                                            \
    C(memcpy, , memcpy(text, other, 5), text[4] == 't')                                                            \
    C(memset, , memset(text, 'm', 3), text[2] == 'm')                                                              \
    C(strtol, , strtol("12x", &pointer, 10), pointer != NULL)                                                      \
    C(strtod, , strtod("1.5x", &pointer), pointer != NULL)                                                         \
    C(strtok_r, , strtok_r(text, ",", &pointer), text[2] == 0)                                                     \
    C(strsep, pointer = text, strsep(&pointer, ","), text[2] == 0)                                                 \
    C(wcscpy, , wcscpy(letters, L"xyz"), letters[0] == L'x')                                                       \
    C(swprintf, , swprintf(letters, 16, L"%d", 9), letters[0] == L'9')                                             \
    C(mbstowcs, , mbstowcs(letters, "mb", 16), letters[0] == L'm')                                                 \
    C(frexp, , frexp(8.0, &number), number == 4)                                                                   \
    C(gmtime_r, , gmtime_r(&(time_t){86400}, &moment), moment.tm_mday == 2)                                        \
    C(strptime, , strptime("17", "%d", &moment), moment.tm_mday == 17)                                             \
    C(strftime, moment.tm_mday = 3, strftime(text, 8, "%d", &moment), text[1] == '3')                              \
    C(stat, , stat("/", &status), S_ISDIR(status.st_mode))                                                         \
    C(fstat, file_with("x"), fstat(file, &status), status.st_size == 1)                                            \
    C(uname, , uname(&names), names.sysname[0] == 'L')                                                             \
    C(getrlimit, , getrlimit(RLIMIT_NOFILE, &limit), limit.rlim_max != 0)                                          \
    C(gettimeofday, , gettimeofday(&when, NULL), when.tv_sec != 0)                                                 \
    C(getcwd, , getcwd(text, sizeof text), text[0] == '/')                                                         \
    C(readlink, symlink("aim", "link"), readlink("link", text, 8), text[0] == 'a')                                 \
    C(poll, ready_event(), poll(&polled, 1, 0), polled.revents == POLLIN)                                          \
    C(select, set_of_one(), (select(event + 1, &set, NULL, NULL, &(struct timeval){0, 0})),                        \
      !FD_ISSET(event, &set))                                                                                      \
    C(pthread_sigmask, sigfillset(&signals), pthread_sigmask(SIG_BLOCK, NULL, &signals),                           \
      !sigismember(&signals, SIGUSR1))                                                                             \
    C(pipe, , pipe(ends), ends[1] != 0)                                                                            \
    C(sigemptyset, sigfillset(&signals), sigemptyset(&signals), !sigismember(&signals, SIGUSR1))                   \
    C(inet_pton, , inet_pton(AF_INET, "1.2.3.4", &address), address.s_addr != 0)                                   \
    C(regexec, (void)regcomp(&pattern, "2", 0), regexec(&pattern, text, 1, match, 0), match[0].rm_so == 3)         \
    C(getrandom, , getentropy(&wide, sizeof wide), wide != 0)                                                      \
    C(l64a_reads, strcpy(text, "/"), number = (int)a64l(text), number == 1)                                        \
    /* functions with hooks: their arguments, their results, the state of the process that they change */          \
    C(sigprocmask, sigfillset(&signals), sigprocmask(SIG_BLOCK, NULL, &signals), !sigismember(&signals, SIGUSR1))  \
    C(sigpending, sigfillset(&signals), sigpending(&signals), !sigismember(&signals, SIGUSR1))                     \
    C(sigaction, action.sa_flags = 99, sigaction(SIGUSR1, NULL, &action), action.sa_flags != 99)                   \
    C(signal, , signal(SIGUSR1, SIG_IGN), (sigaction(SIGUSR1, NULL, &action), action.sa_handler == SIG_IGN))       \
    C(signal_sent, signal(SIGUSR1, SIG_IGN), signal(SIGUSR1, note_signal), (raise(SIGUSR1), number == SIGUSR1))    \
    C(sigwait, , (wait_for_own_signal(), sigwait(&signals, &number)), number == SIGUSR1)                           \
    C(sigwaitinfo, , (wait_for_own_signal(), sigwaitinfo(&signals, &info)), info.si_signo == SIGUSR1)              \
    C(sigaltstack, alternate.ss_flags = 99, sigaltstack(NULL, &alternate), alternate.ss_flags != 99)               \
    C(sem_getvalue, sem_init(&semaphore, 0, 3), sem_getvalue(&semaphore, &number), number == 3)                    \
    C(pthread_create, , pthread_create(&handle, NULL, five, NULL), handle != 0)                                    \
    C(pthread_join, pthread_create(&handle, NULL, five, NULL), pthread_join(handle, (void **)&pointer),            \
      pointer != NULL)                                                                                             \
    C(thrd_create, , thrd_create(&c_handle, c_five, NULL), c_handle != 0)                                          \
    C(thrd_join, thrd_create(&c_handle, c_five, NULL), thrd_join(c_handle, &number), number == 5)                  \
    C(pthread_setcancelstate, number = 77, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &number), number != 77)  \
    C(pthread_key_create, key = 99, pthread_key_create(&key, NULL), key != 99)                                     \
    C(pthread_setname_np, first_thread = pthread_self(), pthread_setname_np(first_thread, "new"),                  \
      (pthread_getname_np(first_thread, other, sizeof other), strcmp(other, "new") == 0))                          \
    C(getitimer, interval.it_value.tv_usec = 99, getitimer(ITIMER_REAL, &interval),                                \
      interval.it_value.tv_usec != 99)                                                                             \
    C(setitimer, , (setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 0}, {100, 0}}, NULL)),                       \
      (getitimer(ITIMER_VIRTUAL, &interval), interval.it_value.tv_sec != 0))                                       \
    C(alarm, , alarm(100), alarm(0) != 0)                                                                          \
    C(timer_gettime, (make_timer(), left.it_value.tv_sec = 9), timer_gettime(timer, &left),                        \
      left.it_value.tv_sec != 9)                                                                                   \
    C(timer_settime, make_timer(), (timer_settime(timer, 0, &(struct itimerspec){{0, 0}, {50, 0}}, NULL)),         \
      (timer_gettime(timer, &left), left.it_value.tv_sec != 0))                                                    \
    C(nanosleep_reads, span.tv_sec = -1, number = nanosleep(&span, NULL), (span.tv_sec = 0, number == -1))         \
    C(mq_getattr, make_queue(), mq_getattr(queue, &attributes), attributes.mq_maxmsg != 0)                         \
    C(mmap_fixed, map_page(PROT_READ | PROT_WRITE),                                                                \
      mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), page[0] == 0)                   \
    C(madvise, map_page(PROT_READ | PROT_WRITE), madvise(page, 4096, MADV_DONTNEED), page[0] == 0)                 \
    C(syscall, file_with("7"), syscall(SYS_read, file, text, 1), text[0] == '7')                                   \
    C(setrlimit, , (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0})),                                               \
      (getrlimit(RLIMIT_CORE, &limit), limit.rlim_max == 0))                                                       \
    C(nice, , nice(1), nice(0) == 1)                                                                               \
    C(sched_setaffinity, , (CPU_SET(0, &processors), sched_setaffinity(0, sizeof processors, &processors)),        \
      (sched_getaffinity(0, sizeof processors, &processors), CPU_COUNT(&processors) == 1))                         \
    /* input and output */                                                                                         \
    C(dprintf, file_with(""), dprintf(file, "%s", "hello"), lseek(file, 0, SEEK_CUR) == 5)                         \
    C(eventfd_read, event = eventfd(7, 0), eventfd_read(event, (eventfd_t *)&wide), wide == 7)                     \
    C(getsockopt, (pair(), number = 77), getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &number, &room), number != 77)   \
    C(setsockopt, pair(), (setsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, (int[]){1}, sizeof(int))),                \
      (getsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &number, &room), number == 1))                                \
    C(recvfrom, pair(), recvfrom(ends[1], text, 1, 0, NULL, NULL), text[0] == '7')                                 \
    C(recvmmsg, pair(), recvmmsg(ends[1], messages, 1, 0, NULL), messages[0].msg_len == 1)                         \
    C(accept, make_server(), accept(file, (struct sockaddr *)text, &room), text[0] != '3')                         \
    C(epoll_wait, make_epoll(), epoll_wait(file, events, 1, 0), events[0].data.u64 == 7)                           \
    C(mq_receive, (make_queue(), mq_send(queue, "7", 1, 5)), mq_receive(queue, text, 8, &priority), priority == 5) \
    C(waitid, start_child(), waitid(P_ALL, 0, &info, WEXITED), info.si_signo != 0)                                 \
    C(poll_closed, (file_with(""), polled = (struct pollfd){file, POLLIN, 0}), close(file),                        \
      (poll(&polled, 1, 0), polled.revents == POLLNVAL))                                                           \
    C(fclose, (stream_with("abc"), file = fileno(stream)), fclose(stream), fcntl(file, F_GETFD) < 0)               \
    C(fgets_pipe, pipe_stream(), fgets(text, 8, stream), text[0] == '7')                                           \
    C(fmemopen, stream = fmemopen(text, 8, "r+"), (fputc('q', stream), fflush(stream)), text[0] == 'q')            \
    C(open_memstream, stream = open_memstream(&pointer, &size), (fputs("abc", stream), fflush(stream)), size == 3) \
    C(printf_n, , printf("%d%n\n", 12, &number), number == 2)                                                      \
    C(dlsym, , note_by_name(), text[0] == 'n')                                                                     \
    /* functions with hidden state */                                                                              \
    C(mutex_attribute, pthread_mutexattr_init(&kind), pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE),   \
      relocks())                                                                                                   \
    C(fflush_all, (stream_with(""), fputs("12345", stream)), fflush(NULL),                                         \
      (stat("file", &status), status.st_size) == 5)                                                                \
    C(limit_of_files, , (setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 64})), open("/dev/null", O_RDONLY) < 0)      \
    C(sem_unlink, sem_open("/raddle-calls", O_CREAT, 0600, 1), sem_unlink("/raddle-calls"),                        \
      sem_open("/raddle-calls", 0) == SEM_FAILED)                                                                  \
    C(umask_shm, (shm_unlink("/raddle-calls"), umask(0)), umask(077),                                              \
      (fstat(shm_open("/raddle-calls", O_CREAT | O_RDWR, 0666), &status), (status.st_mode & 0777) == 0600))        \
    C(own_buffer, setvbuf(stdout, text, _IOFBF, sizeof text), printf("A"), text[0] == 'A')                         \
    C(duplocale, , setlocale(LC_ALL, "C.UTF-8"), iswalpha_l(0xe4, duplocale(LC_GLOBAL_LOCALE)) != 0)               \
    C(readdir_made, make_folder(), mkdir("folder/new", 0700), has_entry())                                         \
    C(mapped_twice, map_twice(), page[0] = 7, other_page[0] == 7)                                                  \
    C(getname_of_socket, pair_of_names(), bind(file, (struct sockaddr *)&name, sizeof name),                       \
      (getsockname(file, (struct sockaddr *)text, &room), room > sizeof(sa_family_t)))                             \
    C(setenv, , setenv("CALLS", "1", 1), getenv("CALLS") != NULL)                                                  \
    C(putenv, , putenv((char *)"CALLS=1"), getenv("CALLS") != NULL)                                                \
    C(rand, srand(1), rand(), (number = rand()) != 1804289383)                                                     \
    C(random, srandom(1), random(), (number = (int)random()) != 1804289383)                                        \
    C(drand48, srand48(1), drand48(), (number = (int)(drand48() * 1000)) != 41)                                    \
    C(lseek, file_with("abc"), lseek(file, 2, SEEK_SET), lseek(file, 0, SEEK_CUR) == 2)                            \
    C(write, file_with("abc"), write(file, "xyz", 3), lseek(file, 0, SEEK_CUR) == 3)                               \
    C(ftruncate, file_with("abc"), ftruncate(file, 0), lseek(file, 0, SEEK_END) == 0)                              \
    C(strtok, strtok(text, ","), strtok(NULL, ","), strcmp(strtok(NULL, ","), "10") == 0)                          \
    C(setlocale, , setlocale(LC_ALL, "C.UTF-8"), strcmp(nl_langinfo(CODESET), "UTF-8") == 0)                       \
    C(chdir, , chdir("/"), strcmp(getcwd(other, sizeof other), "/") == 0)                                          \
    C(umask, umask(022), umask(077), umask(022) == 077)                                                            \
    C(hsearch, hcreate(8), hsearch((ENTRY){(char *)"key", NULL}, ENTER),                                           \
      hsearch((ENTRY){(char *)"key", NULL}, FIND))                                                                 \
    C(sendfile, (file_with("abc"), ends[0] = dup(file)), sendfile(file, ends[0], NULL, 1),                         \
      lseek(file, 0, SEEK_CUR) != 0)                                                                               \
    C(preadv2, file_with("79"), (preadv2(file, (struct iovec[]){{text, 1}}, 1, -1, 0)), text[0] == '7')            \
    C(splice, (file_with("abc"), pipe(ends)), splice(file, NULL, ends[1], NULL, 2, 0),                             \
      lseek(file, 0, SEEK_CUR) == 2)                                                                               \
    C(close, file_with("abc"), close(file), write(file, "x", 1) < 0)                                               \
    C(close_late, (file_with("abc"), number = 1), number = write(file, "x", 1) < 0, (close(file), number == 0))    \
    C(close_pipe, pipe(ends), close(ends[0]), (number = fcntl(ends[0], F_GETFD)) < 0)                              \
    C(dup2, (file_with("abc"), ends[0] = dup(file)), dup2(event = eventfd(0, 0), file),                            \
      lseek(file, 0, SEEK_CUR) < 0)                                                                                \
    C(unlink, close(creat("made", 0600)), unlink("made"), access("made", F_OK) != 0)                               \
    C(mkdir, rmdir("folder"), mkdir("folder", 0700), access("folder", F_OK) == 0)                                  \
    C(rename, (unlink("moved"), close(creat("made", 0600))), rename("made", "moved"), access("moved", F_OK) == 0)  \
    C(readdir, folder = opendir("/"), readdir(folder), telldir(folder) != 0)                                       \
    C(gmtime, result = gmtime(&(time_t){0}), gmtime(&(time_t){777600}), result->tm_mday == 10)                     \
    C(inet_ntoa, pointer = inet_ntoa((struct in_addr){1}), inet_ntoa((struct in_addr){2}), pointer[0] == '2')      \
    C(asctime, pointer = asctime(&moment), (asctime(&(struct tm){.tm_mday = 22})), pointer[8] == '2')              \
    C(srand, srand(7), srand(1), (number = rand()) == 1804289383)                                                  \
    C(tzset, setenv("TZ", "EST5", 1), tzset(), timezone == 18000)                                                  \
    C(getopt, , getopt(2, (char *[]){(char *)"a", (char *)"-b", NULL}, "b"), optind == 2)                          \
    /* streams */                                                                                                  \
    C(fputs, stream_with(""), fputs("more", stream), ftell(stream) == 4)                                           \
    C(fprintf, stream_with(""), fprintf(stream, "%d", 12), ftell(stream) == 2)                                     \
    C(fseek, stream_with("abc"), fseek(stream, 2, SEEK_SET), fgetc(stream) == 'c')                                 \
    C(ungetc, stream_with("abc"), ungetc('u', stream), fgetc(stream) == 'u')                                       \
    C(fflush, (stream_with(""), fputs("12345", stream)), fflush(stream),                                           \
      (stat("file", &status), status.st_size) == 5)                                                                \
    C(fgetc, stream_with("a"), (fgetc(stream), fgetc(stream)), feof(stream))                                       \
    C(link, (file_with("abc"), unlink("new")), link("file", "new"), (fstat(file, &status), status.st_nlink) == 2)  \
    C(fgetc_inline, stream_with(""), fgetc(stream), feof_unlocked(stream))                                         \
    C(ctermid, text[0] = 0, ctermid(text), text[0] == '/')                                                         \
    C(environ, unsetenv("OTHER"), environ = others, getenv("OTHER") != NULL)                                       \
    C(close_device, file = open("/dev/null", O_RDONLY), close(file), fcntl(file, F_GETFD) == -1)                   \
    C(mq_send, make_queue(), mq_send(queue, "a", 1, 0),                                                            \
      (mq_getattr(queue, &attributes), attributes.mq_curmsgs) == 1)                                                \
    C(freopen, unlink("new"), freopen("new", "w", stdout),                                                         \
      (puts("a"), fflush(stdout), stat("new", &status) == 0 && status.st_size == 2))                               \
    C(fopen, unlink("new"), stream = fopen("new", "w"), access("new", F_OK) == 0)

#define FUNCTIONS(name, before, call, use)      \
    static void before_##name(void) { before; } \
    static void *call_##name(void *arg) {       \
        (void)(call);                           \
        return arg;                             \
    }                                           \
    static void *use_##name(void *arg) {        \
        assert(use); /* BUG */                  \
        return arg;                             \
    }

CASES(FUNCTIONS)

typedef void *run(void *);
static const struct {
    const char *name;
    void (*before)(void);
    run *call, *use;
} cases[] = {
#define ROW(name, before, call, use) {#name, before_##name, call_##name, use_##name},
    CASES(ROW)};
enum { COUNT = sizeof cases / sizeof *cases };

static void *nothing(void *arg) { return arg; }

int main(int argc, char **argv) {
    pthread_t t[2], first;
    if (argc < 2)
        for (unsigned i = 0; i < COUNT; i++)
            puts(cases[i].name);
    for (unsigned i = 0; argc > 1 && i < COUNT; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        /* Code before the first creation of a thread runs once for all executions. */
        pthread_create(&first, NULL, nothing, NULL);
        pthread_join(first, NULL);
        cases[i].before();
        pthread_create(&t[0], NULL, cases[i].call, NULL);
        pthread_create(&t[1], NULL, cases[i].use, NULL);
        pthread_join(t[0], NULL);
        pthread_join(t[1], NULL);
        return 0;
    }
    return argc > 1;
}
