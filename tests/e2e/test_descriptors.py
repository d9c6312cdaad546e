"""Descriptors that were open before the first thread are restored after every execution: all kinds of isolation see the
same, whatever state an execution leaves; what cannot be restored is reported."""
from pathlib import Path

from common import Failure, ROOT

SOURCE = Path(__file__).with_name("descriptors.c")
KINDS = ("pipe pipe-some pipe-part pipe-pages pipe-full pipe-small pipe-half pipe-copy pair pair-some pair-datagram pair-packet "
         "pair-option event event-three event-semaphore timer epoll epoll-quiet epoll-edge epoll-once file file-memory file-stream file-append listen-tcp listen-unix "
         "listen-kernel link-tcp link-unix").split()
ACTIONS = ("use fill close-in close-out flags blocking over swap move stream shutdown size option unwatch seek "
           "unlink rename mode bind truncate reopen map").split()

# At least one case of each kind and of each action.
FAST = (("pipe", "close-out"), ("pipe-part", "fill"), ("pipe-pages", "stream"), ("pipe-full", "swap"), ("pipe-small", "size"),
        ("pipe-half", "use"), ("pipe-copy", "close-in"), ("pair", "shutdown"), ("pair-some", "over"), ("pair-datagram", "use"),
        ("pair-option", "option"), ("pair-packet", "blocking"), ("event-three", "flags"), ("event-semaphore", "use"), ("timer", "use"), ("epoll", "unwatch"),
        ("epoll-quiet", "use"), ("epoll-edge", "move"), ("epoll-once", "use"), ("file", "seek"), ("listen-tcp", "close-in"),
        ("listen-unix", "use"), ("link-tcp", "close-out"), ("link-unix", "use"), ("listen-unix", "unlink"), ("listen-unix", "rename"),
        ("listen-unix", "mode"), ("listen-unix", "bind"), ("file-memory", "truncate"), ("file-append", "use"), ("file-stream", "use"),
        ("file", "reopen"), ("file-memory", "map"), ("file-append", "over"))


def fits(kind, action):
    """Whether the action is possible on that kind of descriptor."""
    only = {"shutdown": ("pair", "link", "listen"), "option": ("pair", "link", "listen"), "size": ("pipe",),
            "unwatch": ("epoll", "listen"), "seek": ("file",),
            "truncate": ("file",), "reopen": ("file",), "map": ("file",)}
    paths = ("unlink", "rename", "mode", "bind")  # actions on a path are done on the path of a socket
    can = {"file": "use close-in close-out over swap move flags stream seek truncate reopen map", "timer": "use", "event": "use close-in flags blocking over move",
           "listen": "use close-in close-out over move shutdown option unwatch",
           "link": "use close-in close-out flags blocking over swap move stream shutdown option"}
    if action in paths:
        return kind == "listen-unix"
    family = kind.split("-")[0]
    return family in only.get(action, (family,)) and action in can.get(family, " ".join(ACTIONS)).split()


def seen(tools, kind, action, way, where, count):
    """The executions, their output, the findings, and the bytes of all schedules."""
    work = tools.dir(f"descriptors-{where}-{kind}-{action}")  # the same directory: it is part of the schedule
    program = tools.compile(SOURCE, mode="plain")
    options = ["-s", "random", "--seed", "3", "-n", count, "--isolation", way, "--outcomes"]
    done, s = tools.search(work, options, program, [kind, action])
    if s is None or done.status not in (0, 1) or s["isolation"] != way:
        done.fail(f"{kind} {action}: isolation {s and s['isolation']}, wanted {way}")
    files = {p.name: p.read_bytes() for p in sorted((work / "out").iterdir())} if (work / "out").exists() else {}
    return done, (done.status, s["digest"], s["executions"], s["steps"], s["outcomes"],
                  [(f["kind"], f["line"], f["execution"]) for f in s["findings"]], files)


def agree(tools, kind, action, ways, count):
    first = None
    for way in ways:
        done, what = seen(tools, kind, action, way, "-".join(ways), count)
        first = first or what
        if what != first:
            done.fail(f"{kind} {action}: {way} differs from {ways[0]}: {what[:6]}, {first[:6]}")


def test_states(tools):
    for kind, action in FAST:
        if not fits(kind, action):
            raise Failure(f"{kind} {action} is no case")
        agree(tools, kind, action, ("snapshot", "exec"), "25")


def test_states_forked(tools):
    for kind, action in FAST[::3]:
        agree(tools, kind, action, ("fork", "snapshot"), "25")


def test_all_states(tools):
    """Some hundred executions of every case, in every kind of isolation."""
    for kind in KINDS:
        for action in ACTIONS:
            if fits(kind, action):
                agree(tools, kind, action, ("snapshot", "fork", "exec"), "300")


test_all_states.slow = True


def test_path_removed(tools):
    """A server that binds a path and removes it at the end does not find the path in the next execution, in any
    isolation."""
    text = HEAD.replace("return arg; }", """
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)arg;
    assert(connect(s, (struct sockaddr *)&at, sizeof at) == 0);
    return NULL; }""").replace("static int fds[2];", """
static struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "path"};
static int fds[2];""")
    act = """
    fds[0] = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fds[0], (struct sockaddr *)&at, sizeof at) != 0)
        return 3;
    assert(listen(fds[0], 1) == 0);"""
    for bug, status in (("0", 0), ("1", 1)):
        for way in ("snapshot", "fork", "exec"):
            work = tools.dir(f"descriptors-path-{bug}-{way}")
            end = f"pthread_join(t, NULL); unlink(at.sun_path); return {bug};"
            program = tools.text_program(work, "program.c", text + act + TAIL.replace("pthread_join(t, NULL);", end),
                                         mode="plain")
            done, s = tools.search(work, ["-s", "dfs", "--isolation", way, "-k"], program)
            done.expect(status)
            if s["isolation"] != way or not s["finished"] or (work / "path").exists():
                done.fail(f"isolation {s['isolation']}, finished {s['finished']}")
            for f in s["findings"]:
                tools.replay(work, work / f["schedule"], "virtual", "2")


FIFO = """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *arg) {
    char c = 'x';
    int f = open("fifo", arg ? O_WRONLY : O_RDONLY);
    assert(f >= 0 && (arg ? write(f, &c, 1) : read(f, &c, 1)) == 1);
    pthread_mutex_lock(&lock);
    puts(arg ? "wrote" : "read");
    pthread_mutex_unlock(&lock);
    close(f);
    return NULL;
}
"""


def test_fifo_removed(tools):
    """The same for a program with a FIFO, which every execution opens by its name, and removes or renames."""
    for call in ('unlink("fifo")', 'rename("fifo", "elsewhere")', 'chmod("fifo", 0)'):
        seen = set()
        for way in ("snapshot", "fork", "exec"):
            work = tools.dir(f"descriptors-fifo-{call[:6]}-{way}")
            act = f"""if (mkfifo("fifo", 0600) != 0) return 3;
    pthread_t w, r;
    pthread_create(&w, NULL, use, "w");
    pthread_create(&r, NULL, use, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return {call};"""
            text = HEAD.replace("int main", "#include <stdio.h>" + FIFO + "int main") + act + TAIL
            if call.startswith("chmod"):  # a new process cannot make it again
                text = text.replace("if (mkfifo", 'unlink("fifo"); if (mkfifo')
            program = tools.text_program(work, "program.c", text, mode="plain")
            done, s = tools.search(work, ["-s", "dfs", "--isolation", way, "--outcomes"], program)
            done.expect(0)
            if s["isolation"] != way or not s["finished"] or (work / "fifo").exists() != call.startswith("chmod"):
                done.fail(f"isolation {s['isolation']}, finished {s['finished']}")
            seen.add((s["executions"], s["steps"], s["digest"], len(s["outcomes"])))
        if len(seen) != 1:
            done.fail(f"{call}: {seen}")


def test_replayed(tools):
    """A deadlock caused by the state of an inherited descriptor is the same deadlock in a replay."""
    for kind, action in (("event", "flags"), ("epoll-quiet", "flags")):
        work = tools.dir(f"descriptors-replayed-{kind}")
        program = tools.compile(SOURCE, mode="plain")
        options = ["-s", "random", "--seed", "3", "-n", "200"]
        _, _, schedule = tools.find(work, options, program, "deadlock", args=[kind, action])
        for backend in ("virtual", "kernel"):
            tools.replay(work, schedule, backend, "2")


HEAD = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static int fds[2];
static void *other(void *arg) { return arg; }
int main(void) {
    pthread_t t;
"""
TAIL = """
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    return 0;
}
"""

# The state that cannot be restored, and the reason that is reported.
REFUSED = {
    "another process has it, too":
        "assert(pipe(fds) == 0); pid_t p = fork(); if (p == 0) _exit(0); waitpid(p, NULL, 0);",
    "it has no name, and is too large": "fds[0] = memfd_create(\"large\", 0); assert(ftruncate(fds[0], 1 << 30) == 0);",
    "memory is shared": "mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);",
    "somebody else can have it, too": """
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t n = sizeof at;
        int u = socket(AF_INET, SOCK_DGRAM, 0);
        assert(bind(u, (struct sockaddr *)&at, n) == 0 && getsockname(u, (struct sockaddr *)&at, &n) == 0);
        assert(sendto(u, "x", 1, 0, (struct sockaddr *)&at, n) == 1);""",
    "it keeps writes apart": "assert(pipe2(fds, O_DIRECT) == 0);",
    "one end of it is closed": "assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0); close(fds[1]);",
    "one side of it is shut down": "assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0); shutdown(fds[1], SHUT_WR);",
    "its path does not lead to it": """
        struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "path"};
        int l = socket(AF_UNIX, SOCK_STREAM, 0);
        unlink(at.sun_path);
        assert(bind(l, (struct sockaddr *)&at, sizeof at) == 0 && listen(l, 1) == 0 && unlink(at.sun_path) == 0);""",
    "it cannot be made again as it is": """
        assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
        assert(write(fds[0], "one", 3) == 3 && write(fds[0], "two", 3) == 3);""",
    "it sends signals": "assert(pipe(fds) == 0 && fcntl(fds[0], F_SETOWN, 1) == 0);",
    "an event descriptor (descriptor 3)":
        "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); assert(signalfd(-1, &s, 0) == 3);",
    "it has told of something that is still ready": """
        struct epoll_event e = {.events = EPOLLIN | EPOLLET}, got;
        int w = epoll_create1(0);
        assert(pipe(fds) == 0 && epoll_ctl(w, EPOLL_CTL_ADD, fds[0], &e) == 0 && write(fds[1], "x", 1) == 1);
        assert(epoll_wait(w, &got, 1, 0) == 1);""",
    "a member that is told of once was": """
        struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT}, got;
        int w = epoll_create1(0);
        assert(pipe(fds) == 0 && epoll_ctl(w, EPOLL_CTL_ADD, fds[0], &e) == 0 && write(fds[1], "x", 1) == 1);
        assert(epoll_wait(w, &got, 1, 0) == 1);""",
    "it looks at a descriptor that is closed": """
        struct epoll_event e = {.events = EPOLLIN};
        int w = epoll_create1(0);
        assert(pipe(fds) == 0 && epoll_ctl(w, EPOLL_CTL_ADD, fds[0], &e) == 0 && dup2(fds[0], 40) == 40);
        close(fds[0]);""",
    "what is in it comes with descriptors": """
        char room[CMSG_SPACE(sizeof(int))] = "", c = 0;
        struct iovec v = {&c, 1};
        struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);
        h->cmsg_level = SOL_SOCKET, h->cmsg_type = SCM_RIGHTS, h->cmsg_len = CMSG_LEN(sizeof(int));
        assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
        typedef ssize_t (*call)(int, const struct msghdr *, int);
        call behind = (call)dlsym(dlopen("libc.so.6", RTLD_NOW), "sendmsg"); /* so that nobody has seen it */
        assert(behind(fds[0], &m, 0) == 1);""",
    "a connection waits to be accepted": """
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t n = sizeof at;
        int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
        assert(bind(l, (struct sockaddr *)&at, n) == 0 && listen(l, 1) == 0);
        assert(getsockname(l, (struct sockaddr *)&at, &n) == 0 && connect(c, (struct sockaddr *)&at, n) == 0);""",
}


def test_refused(tools):
    for number, (words, act) in enumerate(REFUSED.items()):
        work = tools.dir(f"descriptors-refused-{number}")
        text = HEAD.replace("#include <fcntl.h>", "#include <dlfcn.h>\n#include <fcntl.h>") + act + TAIL
        program = tools.text_program(work, "program.c", text, mode="plain")
        done, s = tools.search(work, ["-s", "dfs", "-n", "4"], program)
        done.expect(0)
        if s["isolation"] != "exec" or words not in done.out:
            done.fail(f"isolation {s['isolation']}; '{words}' is not in the report")
        for way in ("fork", "snapshot"):
            done, _ = tools.search(work, ["-s", "dfs", "--isolation", way], program)
            done.expect_trouble(f"{way} isolation is not possible", words)


LIMITED = """
#include <stdio.h>
#include <sys/resource.h>
static void *closes(void *arg) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    close(fds[0]);
    int high = limit.rlim_cur > 5000 ? fcntl(1, F_DUPFD, 4500) : 0, over = high ? dup2(1, 4800) : 0;
    printf("%d %d ", high, over);
    printf("%d\\n", open("/dev/null", O_RDONLY));
    return arg;
}
"""


def test_limit_of_descriptors(tools):
    """A program's own limit leaves fewer numbers for copies. A descriptor above all known numbers is no trouble, and is
    not left open for the next execution."""
    for limit, why in (("64", "limits its open files"), ("700", "limits its open files"), ("6000", "the program calls fcntl")):
        work = tools.dir(f"descriptors-limit-{limit}")
        set_limit = f"struct rlimit r = {{{limit}, 20000}}; getrlimit(RLIMIT_NOFILE, &r); r.rlim_cur = {limit};"
        act = set_limit + """
    if (r.rlim_max < r.rlim_cur)
        return 0;
    assert(setrlimit(RLIMIT_NOFILE, &r) == 0);
    assert(pipe(fds) == 0 && dup2(fds[0], 20) == 20 && dup2(fds[1], fds[0]) == fds[0] && close(fds[1]) == 0);
    assert(memfd_create("file", 0) > 0); /* the ends of the pipe are not in the order in which the kernel makes them */
    pthread_t c;
    pthread_create(&c, NULL, closes, NULL);
    pthread_join(c, NULL);"""
        text = HEAD.replace("int main", LIMITED + "int main") + act + TAIL
        program = tools.text_program(work, "program.c", text, mode="plain")
        done, s = tools.search(work, ["-s", "dfs", "--outcomes"], program)
        done.expect(0)
        again, t = tools.search(tools.dir(work.name + "-exec"), ["-s", "dfs", "--outcomes", "--isolation", "exec"], program)
        if why not in done.out or (s["isolation"], s["digest"], len(s["outcomes"])) != ("fork", t["digest"], 1):
            done.fail(f"isolation {s['isolation']}, {len(s['outcomes'])} outcomes")


def test_malloc_as_a_pointer(tools):
    """malloc's address is an entry of the program's own linkage table: the program has no malloc of its own."""
    work = tools.dir("descriptors-malloc")
    text = HEAD.replace("static int fds[2];", "static void *(*volatile get)(size_t) = malloc;") + "free(get(8));" + TAIL
    for compiler in ("gcc", "clang"):
        program = tools.text_program(work, f"{compiler}.c", text, mode="plain", compiler=compiler,
                                     flags=("-no-pie", "-fno-pie"))
        done, s = tools.search(work, ["-s", "dfs"], program)
        done.expect(0)
        if s["isolation"] != "snapshot":
            done.fail(f"isolation {s['isolation']}")


def test_server(tools):
    """The example of docs/servers.md: the bug is found and replayed, the repaired server has none, with snapshot
    isolation."""
    work = tools.dir("descriptors-server")
    broken = tools.compile(ROOT / "examples" / "server.c", mode="plain")
    done, finding, schedule = tools.find(work, ["-s", "pos", "--seed", "1", "-n", "20000"], broken, "assertion")
    if "isolation snapshot" not in done.out:
        done.fail("not a snapshot")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, "2")
    fixed = tools.text_program(work, "fixed.c", (ROOT / "examples" / "server.c").read_text(), mode="plain", flags=("-DFIXED",))
    done, s = tools.search(work, ["-s", "pos", "--seed", "1", "-n", "2000"], fixed)
    done.expect(0)
    if s["isolation"] != "snapshot" or s["executions"] != 2000 or s["uncontrolled"]:
        done.fail(f"isolation {s['isolation']}, {s['executions']} executions, not controlled: {s['uncontrolled']}")
