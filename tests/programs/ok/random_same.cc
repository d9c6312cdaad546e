// Random numbers of the system are the same in every execution: from std::random_device, and read from the device.
// RADDLE: -s random --seed 1 -n 20
// EXPECT: none
#include <cassert>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

int main() {
    unsigned drawn[2] = {0, 0};
    std::thread t([&] { drawn[0] = std::random_device{}(); });
    std::thread u([&] {
        int fd = open("/dev/urandom", O_RDONLY);
        assert(read(fd, &drawn[1], sizeof drawn[1]) == sizeof drawn[1]);
        close(fd);
    });
    t.join();
    u.join();
    /* would create another number of threads in about half of the executions if the numbers differed */
    if ((drawn[0] ^ drawn[1]) & 1)
        std::thread([] {}).join();
    return 0;
}
