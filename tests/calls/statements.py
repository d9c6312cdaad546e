"""The statements of the programs of the differential test.

A group has functions that create and print its shared state, and statements. A statement has a name, its accesses to
shared memory that are not atomic ("r" or "w" and a variable; "?" before them: the size is an upper bound, so races are
not compared), and its code. `$` in the code is 0 or 1: the first or the second of two shared objects. A statement sees
`x`, a number from 0 to 3 that depends on the results of the thread's earlier statements, and returns its own result.

Each statement is one operation on the shared state, so the orders of whole statements are all orders. A statement whose
name begins with "~" is more than one operation: then there may be more outcomes than by turns.
"""


class Group:
    def __init__(self, name, statements, set_up="", tear_down="", extra="", cxx=False):
        self.name, self.set_up, self.tear_down, self.extra, self.cxx = name, set_up, tear_down, extra, cxx
        self.statements = [tuple(p.strip() for p in s.split("|", 2)) for s in statements.strip().split("\n") if s.strip()]


MEMORY = Group("memory", r"""
read | rG$ | return (uint64_t)G[$];
write | wG$ | G[$] = (int)x + 3; return 0;
add | ?wG$ | return (uint64_t)__atomic_add_fetch(&G[$], 1, __ATOMIC_SEQ_CST);
exchange | ?wG$ | return (uint64_t)__atomic_exchange_n(&G[$], (int)x, __ATOMIC_SEQ_CST);
byte | wB$ | B[$][1] = (char)('0' + x); return 0;
look | rB$ | return (uint64_t)B[$][1];
snprintf | wB$ | return (uint64_t)snprintf(B[$], sizeof B[$], "%u,%s%c", x * 7, "s", 'k');
snprintf_read | rB$ | char t[80]; snprintf(t, sizeof t, "<%.5s>", B[$]); return text(t);
snprintf_long | rB$ | char t[80]; snprintf(t, sizeof t, "%d%s%d%d%d%d%s", 1, "a", 2, 3, 4, 5, B[$]); return text(t);
snprintf_double | rB$ | char t[160]; snprintf(t, sizeof t, "%.1f%Lf%d%g%s", 1.5, 2.5L, 3, 4.5, B[$]); return text(t);
snprintf_n | wG$ | char t[80]; snprintf(t, sizeof t, "%*d%n", (int)x + 1, 5, &G[$]); return text(t);
sprintf | wB$ | return (uint64_t)sprintf(B[$], "%d", (int)x + 40);
vsnprintf | wB$ | return (uint64_t)formatted(B[$], sizeof B[$], "v%u%s", x, "w");
asprintf | rB$ | char *t; asprintf(&t, "%s.%u", B[$], x); uint64_t h = text(t); free(t); return h;
~asprintf_to | whp$ | return (uint64_t)asprintf(&heap[$], "%u", x);
sscanf | ?rB$ | int a = 0, b = 0; int n = sscanf(B[$], "%d,%d", &a, &b); return (uint64_t)(n + 3 * a + 1000 * b);
sscanf_to | ?wG$ | return (uint64_t)sscanf(x ? "12 a" : "5", "%d", &G[$]);
sscanf_text | ?wB$ | return (uint64_t)sscanf("uvw xyz", "%*s %8[a-z]", B[$]);
strlen | rB$ | return strlen(B[$]);
strcmp | rB$ | return (uint64_t)(strcmp(B[$], "31,40;x") == 0);
strcasecmp | rB$ | return (uint64_t)(strcasecmp(B[$], "31,40;X") == 0);
strncmp | rB$ | return (uint64_t)(strncmp(B[$], "31", 2) == 0);
strchr | rB$ | const char *p = strchr(B[$], ','); return p ? (uint64_t)(p - B[$]) : 99;
strrchr | rB$ | const char *p = strrchr(B[$], '4'); return p ? (uint64_t)(p - B[$]) : 99;
strstr | ?rB$ | const char *p = strstr(B[$], "4"); return p ? (uint64_t)(p - B[$]) : 99;
strcasestr | ?rB$ | const char *p = strcasestr(B[$], "X"); return p ? (uint64_t)(p - B[$]) : 99;
strspn | ?rB$ | return strspn(B[$], "0123456789,");
strcspn | ?rB$ | return strcspn(B[$], ";");
strpbrk | ?rB$ | const char *p = strpbrk(B[$], ";,"); return p ? (uint64_t)(p - B[$]) : 99;
strverscmp | ?rB$ | return (uint64_t)strverscmp(B[$], "31");
strcoll | ?rB$ | return (uint64_t)(strcoll(B[$], "33") < 0);
strxfrm | rB$ | char t[80]; strxfrm(t, B[$], sizeof t); return text(t);
strdup | rB$ | char *p = strdup(B[$]); uint64_t h = text(p); free(p); return h;
strndup | rB$ | char *p = strndup(B[$], 3); uint64_t h = text(p); free(p); return h;
strcpy | wB$ | strcpy(B[$], x & 1 ? "odd" : "even,8"); return 0;
strncpy | wB$ | strncpy(B[$], x & 1 ? "o" : "e", 5); return 0;
stpcpy | wB$ | return (uint64_t)(stpcpy(B[$], x & 1 ? "1" : "22,2") - B[$]);
~strcat | ?wB$ | strcat(B[$], x & 1 ? "+" : "-"); return 0;
~strncat | ?wB$ | strncat(B[$], "/?", 1); return 0;
memcpy_from | rB$ | char t[8]; memcpy(t, B[$], 8); return hash(t, 8);
memcpy_to | wB$ | memcpy(B[$], x & 1 ? "7,777" : "8,888", 6); return 0;
memset | wB$ | memset(B[$], '0' + (int)x, 2); return 0;
memmem | ?rB$ | return memmem(B[$], 6, "4", 1) != NULL;
memccpy | ?rB$ | char t[16] = ""; memccpy(t, B[$], ',', 8); return text(t);
memccpy_to | ?wB$ | memccpy(B[$], "99,99", ',', 6); return 0;
memfrob | ?wB$ | memfrob(B[$], 1); return 0;
swab | ?wB$ | static const char from[] = "badc"; swab(from, B[$], 4); return 0;
strtol | ?rB$ | return (uint64_t)strtol(B[$], NULL, 10);
strtol_end | wrest$ | return (uint64_t)strtol("12ab", &rest[$], 10);
rest | rrest$ | return rest[$] == NULL;
strtoul | ?rB$ | return strtoul(B[$], NULL, 16);
strtoll | ?rB$ | return (uint64_t)strtoll(B[$], NULL, 0);
strtod | ?rB$ | return (uint64_t)(strtod(B[$], NULL) * 16);
strtof | ?rB$ | return (uint64_t)(strtof(B[$], NULL) * 16);
atoi | ?rB$ | return (uint64_t)atoi(B[$]);
atol | ?rB$ | return (uint64_t)atol(B[$]);
atof | ?rB$ | return (uint64_t)(atof(B[$]) * 4);
strsep | | char t[] = "a:b"; char *p = t; return text(strsep(&p, ":"));
strsep_shared | ?wB$ | char *p = B[$]; return (uint64_t)(strsep(&p, ",;") == B[$]) + (uint64_t)(p ? p - B[$] : 60);
strtok_r_first | ?wB$ | char *r; strtok_r(B[$], ",;", &r); return (uint64_t)(r - B[$]);
strtok_r_rest | | char t[] = "p;q"; char *k; strtok_r(t, ";", &k); return text(strtok_r(NULL, ";", &k));
a64l | ?rB$ | return (uint64_t)a64l(B[$]);
basename | rB$ | return text(basename(B[$]));
fnmatch | ?rB$ | return (uint64_t)fnmatch("3*", B[$], 0);
inet_pton | ?rB$ | struct in_addr a; return (uint64_t)inet_pton(AF_INET, B[$], &a);
inet_pton_to | ?wG$ | return (uint64_t)inet_pton(AF_INET, x ? "1.2.3.4" : "5.0.0.1", &G[$]);
inet_aton | ?wG$ | return (uint64_t)inet_aton("0.0.0.9", (struct in_addr *)&G[$]);
inet_ntop | rG$ | char t[32]; return text(inet_ntop(AF_INET, &G[$], t, sizeof t));
~qsort | wmany$ | qsort(many[$], 4, sizeof(int), upwards); return 0;
~qsort_r | wmany$ | int way = -1; qsort_r(many[$], 4, sizeof(int), by_way, &way); return 0;
~qsort_by_shared | wmany$ | int mine[4] = {3, 1, 2, 0}; qsort(mine, 4, sizeof(int), by_shared$); return hash(mine, sizeof mine);
~bsearch | ?rmany$ | int key = 5; int *p = (int *)bsearch(&key, many[$], 4, sizeof(int), upwards); return p ? (uint64_t)(p - many[$]) : 9;
~lfind | rmany$ | int key = 5; size_t n = 4; int *p = (int *)lfind(&key, many[$], &n, sizeof(int), upwards); return p ? (uint64_t)(p - many[$]) : 9;
many | wmany$ | many[$][1] = (int)x + 4; return 0;
many_read | rmany$ | return (uint64_t)many[$][1];
rand_r | wG$ | return (uint64_t)rand_r((unsigned *)&G[$]);
erand48 | wseeds$ | return (uint64_t)(erand48(seeds[$]) * 1e6);
nrand48 | wseeds$ | return (uint64_t)nrand48(seeds[$]);
frexp | wG$ | return (uint64_t)(frexp(x + 8.0, &G[$]) * 16);
sincos | | double s, c; sincos(x, &s, &c); return (uint64_t)(s * 1e6);
lgamma_r | wG$ | return (uint64_t)(lgamma_r(x + 2.0, &G[$]) * 1e6);
sin | | return (uint64_t)(sin((double)x) * 1e6);
pow | | return (uint64_t)pow(3, x);
mbstowcs | rB$ | wchar_t t[64]; mbstowcs(t, B[$], 64); return wide(t);
mbstowcs_to | ?wW$ | return mbstowcs(W[$], x ? "2q" : "9zz", 8);
wcstombs | rW$ | char t[64]; wcstombs(t, W[$], sizeof t); return text(t);
wcslen | rW$ | return wcslen(W[$]);
wcscpy | wW$ | wcscpy(W[$], x & 1 ? L"7 odd" : L"8e"); return 0;
wcscat | wW$ | wcscat(W[$], L"+"); return 0;
wcsncpy | wW$ | wcsncpy(W[$], L"3n", 3); return 0;
wcscmp | ?rW$ | return (uint64_t)(wcscmp(W[$], L"10 w") == 0);
wcschr | ?rW$ | return wcschr(W[$], L'w') != NULL;
wcsstr | ?rW$ | return wcsstr(W[$], L" w") != NULL;
wcstol | ?rW$ | return (uint64_t)wcstol(W[$], NULL, 10);
wcstod | ?rW$ | return (uint64_t)(wcstod(W[$], NULL) * 4);
wcsdup | rW$ | wchar_t *p = wcsdup(W[$]); uint64_t h = wide(p); free(p); return h;
wmemset | wW$ | wmemset(W[$], L'5', 1); return 0;
wmemcpy | wW$ | wmemcpy(W[$], L"42", 2); return 0;
wmemchr | ?rW$ | return wmemchr(W[$], L'w', 5) != NULL;
swprintf | ?wW$ | return (uint64_t)swprintf(W[$], 16, L"%u:%ls", x, L"a");
swscanf | ?rW$ | int v = 0; return (uint64_t)swscanf(W[$], L"%d", &v) + 8u * (unsigned)v;
wcstok | | wchar_t t[] = L"a b"; wchar_t *k; return wide(wcstok(t, L" ", &k));
~heap_write | whb$ | heap[$][0] = (char)('a' + x); return 0;
~heap_puts | rhb$ | return strlen(heap[$]);
sigaddset | wmask$ | sigaddset(&mask[$], x & 1 ? SIGUSR1 : SIGUSR2); return 0;
sigdelset | wmask$ | sigdelset(&mask[$], SIGUSR1); return 0;
sigismember | rmask$ | return (uint64_t)sigismember(&mask[$], SIGUSR1);
sigfillset | wmask$ | sigfillset(&mask[$]); return 0;
~sigprocmask_old | ?wmask$ | pthread_sigmask(SIG_BLOCK, NULL, &mask[$]); return 0;
clock_gettime_to | | struct timespec t; return (uint64_t)clock_gettime(CLOCK_REALTIME, &t);
div | | return (uint64_t)(div(17, (int)x + 1).quot);
iconv | ?rB$ | return converted(B[$]);
regexec | rB$ | return matched(B[$]);
glob_none | | glob_t g; memset(&g, 0, sizeof g); int r = glob("/no*such", 0, NULL, &g); globfree(&g); return (uint64_t)r;
getsubopt | | char t[] = "ro,x=3"; char *p = t, *v; char *const names[] = {(char *)"rw", (char *)"ro", NULL}; return (uint64_t)getsubopt(&p, names, &v);
dirname | | char t[] = "/a/b"; return text(dirname(t));
strerror_r | | char t[64]; return text(strerror_r(2, t, sizeof t));
tolower | | return (uint64_t)(tolower('A' + (int)x) + (isdigit('0' + (int)x) ? 1000 : 0));
""", extra=r"""
static int upwards(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int by_way(const void *a, const void *b, void *way) { return (*(const int *)a - *(const int *)b) * *(int *)way; }
static int by_shared0(const void *a, const void *b) { return (*(const int *)a - *(const int *)b) * (G[0] ? 1 : -1); }
static int by_shared1(const void *a, const void *b) { return (*(const int *)a - *(const int *)b) * (G[1] ? 1 : -1); }
static int formatted(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    va_end(list);
    return n;
}
static iconv_t how;
QUIET static uint64_t converted(const char *from) {
    char t[64] = "", *to = t, *at = (char *)from;
    size_t left = 4, room = sizeof t;
    iconv(how, &at, &left, &to, &room);
    return hash(t, 8);
}
static regex_t pattern;
static uint64_t matched(const char *s) {
    regmatch_t m[1];
    return regexec(&pattern, s, 1, m, 0) == 0 ? 5 : 6;
}
""", set_up='regcomp(&pattern, "^3[0-9],", REG_EXTENDED); how = iconv_open("UTF-16LE", "UTF-8");')

STREAMS = Group("streams", r"""
fprintf | | return (uint64_t)fprintf(S[$], "%u%c", x, 'p');
fprintf_shared | rB$ | return (uint64_t)fprintf(S[$], "%s", B[$]);
fputs | | return (uint64_t)(fputs(x & 1 ? "odd" : "even", S[$]) >= 0);
fputs_shared | rB$ | return (uint64_t)(fputs(B[$], S[$]) >= 0);
fputc | | return (uint64_t)fputc('a' + (int)x, S[$]);
putc | | return (uint64_t)putc('A' + (int)x, S[$]);
fwrite | | return fwrite("wwww", 1, x + 1, S[$]);
fwrite_shared | rB$ | return fwrite(B[$], 1, 3, S[$]);
fread | | char t[4] = ""; size_t n = fread(t, 1, 3, S[$]); return n + text(t);
fread_shared | ?wB$ | return fread(B[$], 1, 2, S[$]);
fgets | | char t[8] = ""; return text(fgets(t, 4, S[$])) + text(t);
fgets_shared | ?wB$ | return fgets(B[$], 5, S[$]) != NULL;
fgetc | | return (uint64_t)fgetc(S[$]);
getc | | return (uint64_t)getc(S[$]);
ungetc | | return (uint64_t)ungetc('u', S[$]);
fseek | | return (uint64_t)fseek(S[$], (long)x, SEEK_SET);
fseek_end | | return (uint64_t)fseek(S[$], 0, SEEK_END);
fseeko | | return (uint64_t)fseeko(S[$], 1, SEEK_CUR);
ftell | | return (uint64_t)ftell(S[$]);
ftello | | return (uint64_t)ftello(S[$]);
rewind | | rewind(S[$]); return 0;
fgetpos | | fpos_t p = {0}; return (uint64_t)fgetpos(S[$], &p) + (uint64_t)p.__pos;
feof | | return (uint64_t)(feof(S[$]) != 0);
ferror | | return (uint64_t)(ferror(S[$]) != 0);
clearerr | | clearerr(S[$]); return 0;
fflush | | return (uint64_t)fflush(S[$]);
fflush_all | | return (uint64_t)fflush(NULL);
fileno | | return (uint64_t)(fileno(S[$]) >= 0);
fscanf | | int v = -1; int n = fscanf(S[$], "%d", &v); return (uint64_t)(n * 1000 + v);
~fscanf_shared | ?wG$ | return (uint64_t)fscanf(S[$], "%1d", &G[$]);
getline | | char *t = NULL; size_t n = 0; ssize_t r = getline(&t, &n, S[$]); uint64_t h = r > 0 ? text(t) : 7; free(t); return h;
~getline_shared | ?wline$ | return (uint64_t)getline(&line[$], &line_size[$], S[$]);
getdelim | | char *t = NULL; size_t n = 0; ssize_t r = getdelim(&t, &n, ',', S[$]); uint64_t h = r > 0 ? text(t) : 7; free(t); return h;
setvbuf | | return (uint64_t)setvbuf(S[$], NULL, _IONBF, 0);
fputc_locked | | flockfile(S[$]); int r = fputc_unlocked('l', S[$]); funlockfile(S[$]); return (uint64_t)r;
fgetc_locked | | flockfile(S[$]); int r = fgetc_unlocked(S[$]); funlockfile(S[$]); return (uint64_t)r;
stat_behind | | struct stat st; return stat("s$", &st) == 0 ? (uint64_t)st.st_size : 999;
fstat_behind | | struct stat st; return fstat(fileno_unlocked(S[$]), &st) == 0 ? (uint64_t)st.st_size : 999;
read_behind | | char t[8] = ""; return (uint64_t)pread(fileno_unlocked(S[$]), t, 4, 0) + text(t);
~own | | FILE *f = fopen("own", "r"); char t[8] = ""; fgets(t, 4, f); fclose(f); return text(t);
~fmemopen | | char t[16] = "12 x"; int v = 0; FILE *f = fmemopen(t, 5, "r"); fscanf(f, "%d", &v); fclose(f); return (uint64_t)v;
~open_memstream | | char *t; size_t n; FILE *f = open_memstream(&t, &n); fprintf(f, "m%u", x); fclose(f); uint64_t h = text(t); free(t); return h;
~tmpfile | | FILE *f = tmpfile(); fprintf(f, "t%u", x); rewind(f); char t[8] = ""; fgets(t, 8, f); fclose(f); return text(t);
""", set_up=r"""
    for (int i = 0; i < 2; i++) {
        S[i] = fopen(i ? "s1" : "s0", "w+");
        fputs(i ? "9,8\nseven\n" : "1 2,3\nfour five\n", S[i]);
        rewind(S[i]);
    }
    FILE *own = fopen("own", "w");
    fputs("mine", own);
    fclose(own);
""", tear_down=r"""
    for (int i = 0; i < 2; i++) {
        char t[256] = "";
        long at = ftell(S[i]);
        fclose(S[i]);
        int fd = open(i ? "s1" : "s0", O_RDONLY);
        ssize_t n = read(fd, t, sizeof t - 1);
        close(fd);
        printf("stream %d at %ld: %zd %" PRIx64 "\n", i, at, n, text(t));
    }
""")

FILES = Group("files", r"""
read | | char t[4] = ""; ssize_t n = read(F[$], t, 3); return (uint64_t)n + text(t);
read_shared | ?wB$ | return (uint64_t)read(F[$], B[$], 2);
write | | return (uint64_t)write(F[$], x & 1 ? "XY" : "Z", 1 + (x & 1));
write_shared | rB$ | return (uint64_t)write(F[$], B[$], 2);
pread | | char t[4] = ""; pread(F[$], t, 3, 1); return text(t);
pread_shared | ?wB$ | return (uint64_t)pread(F[$], B[$], 2, 2);
pwrite | | return (uint64_t)pwrite(F[$], "KL", 2, (off_t)x);
pwrite_shared | rB$ | return (uint64_t)pwrite(F[$], B[$], 2, 2);
readv | | char t[2] = "", u[3] = ""; struct iovec v[2] = {{t, 1}, {u, 2}}; ssize_t n = readv(F[$], v, 2); return (uint64_t)n + text(t) + text(u);
~readv_shared | ?wB$ rparts$ | return (uint64_t)readv(F[$], parts[$], 2);
writev | | struct iovec v[2] = {{(void *)"m", 1}, {(void *)"nn", 2}}; return (uint64_t)writev(F[$], v, 2);
~writev_shared | rB$ rparts$ | return (uint64_t)writev(F[$], parts[$], 2);
parts | wparts$ | parts[$][0].iov_len = 1; return 0;
preadv | | char t[3] = ""; struct iovec v = {t, 2}; preadv(F[$], &v, 1, 2); return text(t);
pwritev | | struct iovec v = {(void *)"qq", 2}; return (uint64_t)pwritev(F[$], &v, 1, 3);
lseek | | return (uint64_t)lseek(F[$], (off_t)x, SEEK_SET);
lseek_cur | | return (uint64_t)lseek(F[$], 0, SEEK_CUR);
lseek_end | | return (uint64_t)lseek(F[$], 0, SEEK_END);
ftruncate | | return (uint64_t)ftruncate(F[$], 3 + (off_t)x);
fstat | | struct stat st; return fstat(F[$], &st) == 0 ? (uint64_t)st.st_size : 999;
fstat_shared | wB$ | return (uint64_t)fstat(F[$], (struct stat *)(void *)&when_room[$]);
stat | | struct stat st; return stat("f$", &st) == 0 ? (uint64_t)st.st_size : 999;
lstat | | struct stat st; return lstat("f$", &st) == 0 ? (uint64_t)st.st_size : 999;
truncate | | return (uint64_t)truncate("f$", (off_t)x);
access | | return (uint64_t)access("f$", R_OK);
unlink | | return (uint64_t)unlink("f$");
rename | | return (uint64_t)rename("f$", "g$");
rename_back | | return (uint64_t)rename("g$", "f$");
link | | return (uint64_t)link("f$", "h$");
symlink | | return (uint64_t)symlink("f$", "l$");
readlink | | char t[8] = ""; readlink("l$", t, 7); return text(t);
nlink | | struct stat st; return fstat(F[$], &st) == 0 ? (uint64_t)st.st_nlink : 999;
mkdir | | return (uint64_t)mkdir("d$", 0777);
rmdir | | return (uint64_t)rmdir("d$");
is_dir | | struct stat st; return stat("d$", &st) == 0 ? st.st_mode & 0777 : 999;
chmod | | return (uint64_t)chmod("f$", 0600 + x);
fchmod | | return (uint64_t)fchmod(F[$], 0640 + x);
mode | | struct stat st; return fstat(F[$], &st) == 0 ? (uint64_t)(st.st_mode & 0777) : 999;
umask | | return umask(x * 8);
utime | | struct utimbuf t = {5, (time_t)x + 9}; return (uint64_t)utime("f$", &t);
mtime | | struct stat st; return stat("f$", &st) == 0 ? (uint64_t)(st.st_mtime < 1000 ? st.st_mtime : 1000) : 999;
remove | | return (uint64_t)remove("g$");
~open_read | | int fd = open("f$", O_RDONLY); char t[4] = ""; ssize_t n = fd < 0 ? -9 : read(fd, t, 3); close(fd); return (uint64_t)n + text(t);
~open_trunc | | int fd = open("f$", O_WRONLY | O_TRUNC); close(fd); return (uint64_t)(fd >= 0);
~creat | | int fd = creat("g$", 0666); close(fd); return (uint64_t)(fd >= 0);
~open_excl | | int fd = open("g$", O_CREAT | O_EXCL | O_WRONLY, 0666); close(fd); return (uint64_t)(fd >= 0);
~append | | int fd = open("f$", O_WRONLY | O_APPEND); ssize_t n = write(fd, "++", 2); close(fd); return (uint64_t)n;
~dup | | int fd = dup(F[$]); char t[4] = ""; ssize_t n = read(fd, t, 2); close(fd); return (uint64_t)n + text(t);
~fopen_append | | FILE *f = fopen("f$", "a"); if (!f) return 9; fputs("ff", f); return (uint64_t)fclose(f);
~fopen_read | | FILE *f = fopen("f$", "r"); char t[8] = ""; if (!f) return 9; fgets(t, 8, f); fclose(f); return text(t);
fsync | | return (uint64_t)fsync(F[$]);
flock | | return (uint64_t)flock(F[$], LOCK_SH);
fcntl_flags | | return (uint64_t)fcntl(F[$], F_GETFL) & 3;
fcntl_set | | return (uint64_t)fcntl(F[$], F_SETFL, x & 1 ? O_APPEND : 0);
fcntl_append | | return (uint64_t)(fcntl(F[$], F_GETFL) & O_APPEND);
posix_fallocate | | return (uint64_t)posix_fallocate(F[$], 0, 14);
dprintf | | return (uint64_t)dprintf(F[$], "%u;", x);
dprintf_shared | rB$ | return (uint64_t)dprintf(F[$], "%.2s", B[$]);
~sendfile | | off_t at = 0; return (uint64_t)sendfile(F[0], F[1], &at, 2);
~copy_file_range | | off_t at = 1; return (uint64_t)copy_file_range(F[$], &at, F[1 - $], NULL, 2, 0);
realpath | | char t[PATH_MAX], *p = realpath("f$", t); return p ? text(strrchr(p, '/')) : 9;
opendir | | DIR *d = opendir("d$"); if (d) closedir(d); return d != NULL;
isatty | | return (uint64_t)isatty(F[$]);
""", extra="static struct stat when_room[2];\n", set_up=r"""
    for (int i = 0; i < 2; i++) {
        unlink(i ? "f1" : "f0"), unlink(i ? "g1" : "g0"), unlink(i ? "h1" : "h0"), unlink(i ? "l1" : "l0");
        rmdir(i ? "d1" : "d0");
        F[i] = open(i ? "f1" : "f0", O_RDWR | O_CREAT | O_TRUNC, 0666);
        if (write(F[i], i ? "ABCDEFGHIJ" : "abcdefghij", 10) != 10)
            abort();
        lseek(F[i], 0, SEEK_SET);
    }
""", tear_down=r"""
    for (int i = 0; i < 2; i++) {
        char t[128] = "";
        struct stat st;
        fstat(F[i], &st);
        off_t at = lseek(F[i], 0, SEEK_CUR);
        ssize_t n = pread(F[i], t, sizeof t - 1, 0);
        printf("file %d at %d: %zd %" PRIx64 " %o %d %d", i, (int)at, n, hash(t, n > 0 ? (size_t)n : 0), st.st_mode, (int)st.st_nlink,
               (int)when_room[i].st_size);
        for (const char *k = "fghld"; *k; k++) {
            char name[3] = {*k, (char)('0' + i), 0};
            int r = lstat(name, &st);
            printf(" %c%d:%o", *k, r, r ? 0 : st.st_mode);
        }
        printf("\n");
    }
""")

PIPES = Group("pipes", r"""
read | | char t[4] = ""; ssize_t n = read(P[$][0], t, 2); return (uint64_t)n + text(t);
read_shared | ?wB$ | return (uint64_t)read(P[$][0], B[$], 2);
write | | return (uint64_t)write(P[$][1], x & 1 ? "ij" : "k", 1 + (x & 1));
write_shared | rB$ | return (uint64_t)write(P[$][1], B[$], 2);
~readv_shared | ?wB$ rparts$ | return (uint64_t)readv(P[$][0], parts[$], 2);
~writev_shared | rB$ rparts$ | return (uint64_t)writev(P[$][1], parts[$], 2);
poll | | struct pollfd p = {P[$][0], POLLIN, 0}; return (uint64_t)poll(&p, 1, 0) * 100u + (unsigned)p.revents;
~poll_shared | ?wpolls$ | polls[$].fd = P[$][0]; polls[$].events = POLLIN; return (uint64_t)poll(&polls[$], 1, 0);
revents | rpolls$ | return (uint64_t)polls[$].revents;
select | | fd_set s; struct timeval t = {0, 0}; FD_ZERO(&s); FD_SET(P[$][0], &s); return (uint64_t)select(P[$][0] + 1, &s, NULL, NULL, &t);
~close_write | | close(P[$][1]); return 0;
event_write | | return (uint64_t)eventfd_write(E[$], x + 1);
event_read | | eventfd_t v = 0; return (uint64_t)eventfd_read(E[$], &v) + 10 * v;
~event_read_shared | ?wvalue$ | return (uint64_t)eventfd_read(E[$], &value[$]);
event_value | rvalue$ | return value[$];
dprintf | | return (uint64_t)dprintf(P[$][1], "%u.", x);
~dprintf_shared | rB$ | return (uint64_t)dprintf(P[$][1], "%.2s", B[$]);
send | | return (uint64_t)send(pair[$][0], x & 1 ? "s1" : "s2s", 2, MSG_DONTWAIT);
send_shared | rB$ | return (uint64_t)send(pair[$][0], B[$], 2, MSG_DONTWAIT);
recv | | char t[8] = ""; ssize_t n = recv(pair[$][1], t, 3, MSG_DONTWAIT); return (uint64_t)n + text(t);
recv_shared | ?wB$ | return (uint64_t)recv(pair[$][1], B[$], 2, MSG_DONTWAIT);
peek | | char t[8] = ""; ssize_t n = recv(pair[$][1], t, 3, MSG_PEEK | MSG_DONTWAIT); return (uint64_t)n + text(t);
~sendmsg | rB$ rparts$ | struct msghdr m; memset(&m, 0, sizeof m); m.msg_iov = parts[$]; m.msg_iovlen = 2; return (uint64_t)sendmsg(pair[$][0], &m, MSG_DONTWAIT);
~recvmsg | ?wB$ rparts$ | struct msghdr m; memset(&m, 0, sizeof m); m.msg_iov = parts[$]; m.msg_iovlen = 2; return (uint64_t)recvmsg(pair[$][1], &m, MSG_DONTWAIT);
getsockopt | | int v = 0; socklen_t n = sizeof v; getsockopt(pair[$][0], SOL_SOCKET, SO_TYPE, &v, &n); return (uint64_t)v;
getsockopt_to | ?wG$ | socklen_t n = sizeof(int); return (uint64_t)getsockopt(pair[$][0], SOL_SOCKET, SO_TYPE, &G[$], &n);
~shutdown | | return (uint64_t)shutdown(pair[$][0], SHUT_WR);
""", extra=r"""
static struct pollfd polls[2];
static eventfd_t value[2];
static int pair[2][2];
""", set_up=r"""
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        if (pipe2(P[i], O_NONBLOCK) != 0 || write(P[i][1], "pqrs", i ? 4 : 1) < 0)
            abort();
        E[i] = eventfd((unsigned)i, EFD_NONBLOCK);
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]);
    }
""", tear_down=r"""
    for (int i = 0; i < 2; i++) {
        char t[32] = "", u[32] = "";
        uint64_t v = 0;
        ssize_t n = read(P[i][0], t, sizeof t - 1), m = recv(pair[i][1], u, sizeof u - 1, MSG_DONTWAIT), k = read(E[i], &v, sizeof v);
        printf("pipe %d: %zd %" PRIx64 " %d %zd %" PRIx64 " %zd %d\n", i, n, text(t), (int)v, m, text(u), k, polls[i].revents);
    }
""")

OUTPUT = Group("output", r"""
puts | | return (uint64_t)(puts(x & 1 ? "odd" : "even") >= 0);
puts_shared | rB$ | return (uint64_t)(puts(B[$]) >= 0);
printf | | return (uint64_t)printf("%u-", x);
printf_shared | rB$ | return (uint64_t)printf("%s\n", B[$]);
vprintf | | return (uint64_t)print("v%u", x);
putchar | | return (uint64_t)putchar('a' + (int)x);
fputs | | return (uint64_t)(fputs("f", stdout) >= 0);
fwrite | | return fwrite("ww", 1, 2, stdout);
putc_locked | | flockfile(stdout); int r = putc_unlocked('u', stdout); funlockfile(stdout); return (uint64_t)r;
fflush | | return (uint64_t)fflush(stdout);
write | | return (uint64_t)write(1, "W", 1);
write_shared | rB$ | return (uint64_t)write(1, B[$], 2);
dprintf | | return (uint64_t)dprintf(1, "d%u", x);
writev | | struct iovec v = {(void *)"V", 1}; return (uint64_t)writev(1, &v, 1);
~printf_two | rG$ | return (uint64_t)printf("%d ", G[$]);
stderr_shared | rB$ | return (uint64_t)fprintf(stderr, "%s", B[$]);
perror | | perror("p"); return 0;
""", extra=r"""
static int print(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vprintf(format, list);
    va_end(list);
    return n;
}
""")

STATE = Group("state", r"""
getenv | | return text(getenv("RA$"));
~getenv_length | | const char *p = getenv("RA$"); return p ? strlen(p) : 99;
setenv | | return (uint64_t)setenv("RA$", x & 1 ? "odd" : "even", 1);
setenv_shared | rB$ | return (uint64_t)setenv("RA$", B[$], 1);
setenv_keep | | return (uint64_t)setenv("RA$", "kept", 0);
unsetenv | | return (uint64_t)unsetenv("RA$");
putenv | | return (uint64_t)putenv((char *)(x & 1 ? "RA$=put" : "RA$=tup"));
putenv_shared | rE$ | return (uint64_t)putenv(entry[$]);
~entry | wE$ | entry[$][4] = (char)('0' + x); return 0;
clearenv | | return (uint64_t)clearenv();
secure_getenv | | return text(secure_getenv("RA$"));
rand | | return (uint64_t)rand();
srand | | srand(x + 1); return 0;
random | | return (uint64_t)random();
srandom | | srandom(x + 8); return 0;
initstate | | static char room[2][64]; return initstate(x, room[x & 1], 64) != NULL;
drand48 | | return (uint64_t)(drand48() * 1e6);
lrand48 | | return (uint64_t)lrand48();
mrand48 | | return (uint64_t)mrand48();
srand48 | | srand48(x); return 0;
~seed48 | | unsigned short s[3] = {1, 2, (unsigned short)x}; return seed48(s)[0];
lcong48 | | unsigned short s[7] = {1, 2, 3, 4, 5, 6, 7}; lcong48(s); return 0;
erand48 | wseeds$ | return (uint64_t)(erand48(seeds[$]) * 1e6);
strtok_shared | ?wB$ | return (uint64_t)(strtok(B[$], ",;") == B[$]);
strtok_own | ?wtokens$ | static char t[2][8] = {"a b c", "d e"}; return text(strtok(t[$], " "));
strtok_next | | return text(strtok(NULL, " ,;"));
hsearch_enter | | ENTRY e = {(char *)"key$", (void *)(uintptr_t)(x + 1)}; ENTRY *r = hsearch(e, ENTER); return r ? (uint64_t)(uintptr_t)r->data : 99;
hsearch_find | | ENTRY e = {(char *)"key$", NULL}; ENTRY *r = hsearch(e, FIND); return r != NULL;
~tsearch | | return tsearch(x & 1 ? "one" : "two", &root, by_text) != NULL;
~tfind | | return tfind("one", &root, by_text) != NULL;
getopt | | static char *args[] = {(char *)"p", (char *)"-a", (char *)"-b", (char *)"-c", NULL}; return (uint64_t)getopt(4, args, "abc");
lgamma | | return (uint64_t)(lgamma(x - 0.5) * 1e6);
signgam | rsigngam | return (uint64_t)signgam;
~strsignal | | return text(strsignal(10));
l64a | | return text(l64a((long)x + 64));
mblen | | return (uint64_t)mblen("a", 1);
wctomb | | char t[16] = ""; return (uint64_t)wctomb(t, L'a') + text(t);
signal | | return signal(SIGUSR1, x & 1 ? SIG_IGN : SIG_DFL) == SIG_IGN;
sigaction | | struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = x & 1 ? SIG_IGN : SIG_DFL; return (uint64_t)sigaction(SIGUSR2, &a, NULL);
sigaction_read | | struct sigaction a; sigaction(SIGUSR2, NULL, &a); return a.sa_handler == SIG_IGN;
~sigaction_old | ?wact$ | return (uint64_t)sigaction(SIGUSR2, NULL, &act[$]);
act | ract$ | return act[$].sa_handler == SIG_IGN;
getcwd | | char t[PATH_MAX]; const char *p = getcwd(t, sizeof t); return p ? text(strrchr(p, '/')) : 9;
chdir | | return (uint64_t)chdir("sub$");
chdir_up | | return (uint64_t)chdir("..");
access_here | | return (uint64_t)access("sub$", F_OK);
get_current_dir_name | | char *p = get_current_dir_name(); uint64_t h = text(strrchr(p, '/')); free(p); return h;
inet_ntoa | | struct in_addr a = {x}; return text(inet_ntoa(a));
inet_ntoa_kept | | struct in_addr a = {x + 7}; L->kept = inet_ntoa(a); return 0;
~kept | | return L->kept ? (uint64_t)L->kept[0] : 9;
optind | roptind | return (uint64_t)optind;
getpwuid | | struct passwd *p = getpwuid(0); return p ? text(p->pw_name) : 9;
getrandom_size | | char t[4]; return getpid() > 0 && t != NULL;
""", extra=r"""
static char entry[2][16];
static void *root;
static struct sigaction act[2];
static int by_text(const void *a, const void *b) { return strcmp((const char *)a, (const char *)b); }
""", set_up=r"""
    setenv("RA0", "zero", 1);
    unsetenv("RA1");
    strcpy(entry[0], "RA0=entry");
    strcpy(entry[1], "RA1=other");
    hcreate(8);
    static char words[] = "i j k";
    strtok(words, " ");
    mkdir("sub0", 0777);
    mkdir("sub1", 0777);
    mkdir("sub0/sub1", 0777);
    optind = 1;
    opterr = 0;
""", tear_down=r"""
    char dir[PATH_MAX];
    const char *here = getcwd(dir, sizeof dir);
    printf("%s %s %ld %ld %d %d %s", getenv("RA0"), getenv("RA1"), random(), lrand48(), optind, signgam, here ? strrchr(here, '/') : "");
    ENTRY e = {(char *)"key0", NULL}, *r = hsearch(e, FIND);
    printf(" %d %s\n", r ? (int)(uintptr_t)r->data : -1, strtok(NULL, " "));
""")

TIME = Group("time", r"""
localtime_r | | time_t t = 86400 * (time_t)x + 7200; struct tm b; localtime_r(&t, &b); return (uint64_t)(b.tm_mday * 100 + b.tm_hour);
~localtime | | time_t t = 86400 * (time_t)x; struct tm *b = localtime(&t); return (uint64_t)(b->tm_mday * 100 + b->tm_hour);
gmtime_r | wwhen$ | time_t t = 86400 * (time_t)x; gmtime_r(&t, &when[$]); return 0;
~gmtime | | time_t t = 86400 * (time_t)x; struct tm *b = gmtime(&t); return (uint64_t)b->tm_mday;
gmtime_only | | time_t t = 86400 * (time_t)x; return gmtime(&t) != NULL;
localtime_only | | time_t t = 86400 * (time_t)x + 50; return localtime(&t) != NULL;
mktime | wwhen$ | return (uint64_t)mktime(&when[$]);
timegm | wwhen$ | return (uint64_t)timegm(&when[$]);
mday | rwhen$ | return (uint64_t)when[$].tm_mday;
set_mday | wwhen$ | when[$].tm_mday = 30 + (int)x; return 0;
~asctime | rwhen$ | return (uint64_t)asctime(&when[$])[8] * 100u + (unsigned)asctime(&when[$])[9];
asctime_only | rwhen$ | return asctime(&when[$]) != NULL;
asctime_r | rwhen$ | char t[64]; return text(asctime_r(&when[$], t));
~ctime | | time_t t = 86400 * (time_t)x; return (uint64_t)ctime(&t)[12];
ctime_r | | time_t t = 86400 * (time_t)x; char s[64]; return text(ctime_r(&t, s));
strftime | rwhen$ | char t[64]; strftime(t, sizeof t, "%d %H %Z", &when[$]); return text(t);
strftime_to | ?wB$ | struct tm b; memset(&b, 0, sizeof b); b.tm_mday = (int)x + 1; return strftime(B[$], sizeof B[$], "%d,%H", &b);
strptime | ?wwhen$ | return strptime(x & 1 ? "11" : "12", "%d", &when[$]) != NULL;
tzset | | tzset(); return 0;
tz_set | | return (uint64_t)setenv("TZ", x & 1 ? "AAA-5" : "BBB+3", 1);
tz_unset | | return (uint64_t)unsetenv("TZ");
~timezone | | return (uint64_t)timezone;
~tz_zone | | setenv("TZ", "CCC-2", 1); tzset(); return 0;
setlocale | | return text(setlocale(LC_ALL, x & 1 ? "C" : "C.UTF-8"));
setlocale_read | | return text(setlocale(LC_CTYPE, NULL));
mbstowcs | | wchar_t t[8]; return mbstowcs(t, "\xc3\xa4", 8);
mb_cur_max | | return MB_CUR_MAX;
nl_langinfo | | return text(nl_langinfo(CODESET));
~localeconv | | return (uint64_t)localeconv()->decimal_point[0];
towupper | | return (uint64_t)towupper(0xe4);
iswalpha | | return (uint64_t)(iswalpha(0xe4) != 0);
wcstombs | | char t[8] = ""; return wcstombs(t, L"\xe4", 8);
btowc | | return (uint64_t)btowc(0xc3);
toupper | | return (uint64_t)toupper('q');
snprintf_wide | | char t[16]; return (uint64_t)snprintf(t, sizeof t, "%ls", L"\xe4");
strerror | | return text(strerror(2));
difftime | | return (uint64_t)difftime(9, (time_t)x);
gettimeofday | | struct timeval t; return (uint64_t)gettimeofday(&t, NULL);
""", set_up=r"""
    unsetenv("TZ");
    setlocale(LC_ALL, "C");
""", tear_down=r"""
    printf("%ld %s %s\n", timezone, getenv("TZ"), setlocale(LC_CTYPE, NULL));
""")

LOCKS = Group("locks", r"""
lock | | lock(&M[$]); return 0;
unlock | | pthread_mutex_unlock(&M[$]); return 0;
""")

PLAIN = Group("plain", r"""
plain_read | | return (uint64_t)plain_read(&G[$]);
plain_write | | plain_write(&G[$], (int)x + 50); return 0;
plain_count | | return (uint64_t)plain_count();
plain_through | ?rG$ | int (*volatile f)(const int *) = plain_read; return (uint64_t)f(&G[$]);
plain_text | ?rB$ | return (uint64_t)plain_text(B[$]);
~plain_back | ?wG$ | return (uint64_t)plain_back(called, &G[$]);
plain_sum | | return (uint64_t)plain_sum(3, (int)x, 7, 9);
~by_name | | int (*f)(const int *) = (int (*)(const int *))dlsym(RTLD_DEFAULT, "plain_read"); return (uint64_t)f(&G[$]);
~rand_by_name | | int (*f)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "rand"); return (uint64_t)f();
rand | | return (uint64_t)rand();
read | rG$ | return (uint64_t)G[$];
write | wG$ | G[$] = (int)x + 3; return 0;
rand_pointer | | static int (*const table[])(void) = {rand}; return (uint64_t)table[0]();
~snprintf_pointer | ?wB$ | int (*volatile f)(char *, size_t, const char *, ...) = snprintf; return (uint64_t)f(B[$], 8, "%u", x);
byte_read | ?rB$ | return (uint64_t)B[$][0];
""", extra=r"""
#ifdef __cplusplus
extern "C" {
#endif
int plain_read(const int *), plain_count(void), plain_text(const char *), plain_back(int (*)(int *), int *), plain_sum(int, ...);
void plain_write(int *, int);
#ifdef __cplusplus
}
#endif
static int called(int *p) { return ++*p; }
""")

LIBRARY = r"""
#include <stdarg.h>
#include <string.h>
static int count;
int plain_read(const int *p) { return *p; }
void plain_write(int *p, int v) { *p = v; }
int plain_count(void) { return ++count; }
int plain_text(const char *s) { return (int)strlen(s) * 256 + s[0]; }
int plain_back(int (*f)(int *), int *p) { int v = *p; return v * 100 + f(p); }
int plain_sum(int n, ...) {
    va_list list;
    int sum = count;
    va_start(list, n);
    while (n--)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}
"""

CXX = Group("cxx", r"""
string_append | | std::lock_guard<std::mutex> hold(guard[$]); T[$] += x & 1 ? "odd" : "even and longer than the room inside"; return T[$].size();
string_read | | std::lock_guard<std::mutex> hold(guard[$]); return text(std::string(T[$]).c_str());
string_find | | std::lock_guard<std::mutex> hold(guard[$]); return T[$].find("e");
string_compare | | std::lock_guard<std::mutex> hold(guard[$]); return (uint64_t)(T[$].compare("zero") == 0);
string_assign | | std::lock_guard<std::mutex> hold(guard[$]); T[$] = x & 1 ? "a" : "b"; return 0;
string_insert | | std::lock_guard<std::mutex> hold(guard[$]); T[$].insert(1, "ins"); return 0;
string_replace | | std::lock_guard<std::mutex> hold(guard[$]); T[$].replace(0, 1, "rr"); return 0;
string_substr | | std::lock_guard<std::mutex> hold(guard[$]); return text(T[$].substr(1).c_str());
string_push | | std::lock_guard<std::mutex> hold(guard[$]); T[$].push_back('p'); return 0;
string_resize | | std::lock_guard<std::mutex> hold(guard[$]); T[$].resize(2 + x, 'r'); return 0;
~to_string | | return text(std::to_string(x * 1000003).c_str());
stoi | | std::lock_guard<std::mutex> hold(guard[$]); try { return (uint64_t)std::stoi(N[$]); } catch (...) { return 77; }
number | | std::lock_guard<std::mutex> hold(guard[$]); N[$] = x & 1 ? "12" : "x"; return 0;
~ostringstream | | std::ostringstream o; o << x << "s" << 1.5; return text(o.str().c_str());
shared_stream | | std::lock_guard<std::mutex> hold(guard[$]); O[$] << x << ','; return 0;
shared_stream_read | | std::lock_guard<std::mutex> hold(guard[$]); return text(O[$].str().c_str());
istringstream | | std::lock_guard<std::mutex> hold(guard[$]); std::istringstream i(N[$]); int v = -1; i >> v; return (uint64_t)v;
map_insert | | std::lock_guard<std::mutex> hold(guard[$]); return (uint64_t)A[$].insert({(int)x, 1}).second;
map_erase | | std::lock_guard<std::mutex> hold(guard[$]); return A[$].erase((int)x);
map_find | | std::lock_guard<std::mutex> hold(guard[$]); return A[$].count(2);
set_insert | | std::lock_guard<std::mutex> hold(guard[$]); return Z[$].insert(x & 1 ? "o" : "e").second;
unordered | | std::lock_guard<std::mutex> hold(guard[$]); U[$][(int)x] = 1; return U[$].size();
~sort | ?wmany$ | std::lock_guard<std::mutex> hold(guard[$]); std::sort(many[$], many[$] + 4); return 0;
vector_push | | std::lock_guard<std::mutex> hold(guard[$]); V[$].push_back((int)x); return V[$].size();
list_push | | std::lock_guard<std::mutex> hold(guard[$]); I[$].push_back((int)x); return I[$].size();
~cout | | std::cout << "c" << x; return 0;
cout_one | | std::cout << 'o'; return 0;
~cout_line | | std::cout << "l" << std::endl; return 0;
cerr | | std::cerr << 'e'; return 0;
puts | | return (uint64_t)(puts("puts") >= 0);
~throw | | try { throw std::runtime_error("r"); } catch (const std::exception &e) { return text(e.what()); }
throw_at | | std::lock_guard<std::mutex> hold(guard[$]); try { return (uint64_t)T[$].at(4); } catch (const std::out_of_range &) { return 55; }
~shared_ptr | | auto p = std::make_shared<int>((int)x); auto q = p; return (uint64_t)(*q + (int)q.use_count());
~function | rG$ | std::function<int()> f = [] { return G[$]; }; return (uint64_t)f();
write | wG$ | G[$] = (int)x + 3; return 0;
getline | | std::lock_guard<std::mutex> hold(guard[$]); std::istringstream i(T[$]); std::string l; std::getline(i, l, 'r'); return text(l.c_str());
~file | | std::ofstream f("cxx$", std::ios::app); f << x; f.close(); return 0;
~file_read | | std::ifstream f("cxx$"); std::string l; f >> l; return text(l.c_str());
""", extra=r"""
#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>
static std::mutex guard[2];
static std::string T[2], N[2];
static std::ostringstream O[2];
static std::map<int, int> A[2];
static std::set<std::string> Z[2];
static std::unordered_map<int, int> U[2];
static std::vector<int> V[2];
static std::list<int> I[2];
""", set_up=r"""
    T[0] = "zero", T[1] = "one that is longer than the room inside";
    N[0] = N[1] = "5";
    for (int i = 0; i < 2; i++)
        A[i] = {{2, 2}, {5, 5}, {7, 7}};
    unlink("cxx0");
    unlink("cxx1");
""", tear_down=r"""
    std::cout << T[0] << T[1] << N[0] << N[1] << O[0].str() << O[1].str() << A[0].size() << A[1].size() << Z[0].size()
              << U[0].size() << V[0].size() << I[0].size() << "\n";
    for (int v : V[0])
        std::cout << v;
    for (const auto &v : A[0])
        std::cout << v.first << ' ';
    std::string l;
    std::ifstream("cxx0") >> l;
    std::cout << l << "\n";
""", cxx=True)

GROUPS = [MEMORY, STREAMS, FILES, PIPES, OUTPUT, STATE, TIME, PLAIN, CXX]
