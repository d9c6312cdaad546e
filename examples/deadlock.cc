/*
 * deadlock.cc - two documents that copy from each other.
 *
 * Each document has a lock, and copying takes two: first one's own, then the other's. One thread copies the draft
 * into the letter, another the letter into the draft. (std::scoped_lock with both would be right.)
 *
 *     g++ -g -pthread deadlock.cc -o deadlock
 *     raddle run ./deadlock
 */
#include <mutex>
#include <string>
#include <thread>

class Document {
    std::mutex lock;
    std::string text;

  public:
    explicit Document(std::string t) : text(std::move(t)) {}

    void append(Document &other) {
        std::lock_guard<std::mutex> mine(lock);
        std::lock_guard<std::mutex> theirs(other.lock);
        text += other.text;
    }
};

int main() {
    Document draft("Dear reader, "), letter("sincerely yours");
    std::thread one([&] { draft.append(letter); });
    std::thread two([&] { letter.append(draft); });
    one.join();
    two.join();
}
