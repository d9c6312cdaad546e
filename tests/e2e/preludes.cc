/* Preludes in C++: see preludes.h. */
#include "preludes.h"

#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

static void cout() { std::cout << "no end of line " << 1.5; }

static void cout_lines() {
    for (int i = 0; i < 300; i++)
        std::cout << "line " << i << std::endl;
    std::clog << "to the log\n";
}

static void cout_alone() {
    std::ios::sync_with_stdio(false);
    std::cout << "with a buffer of its own";
}

static void exception() {
    try {
        std::vector<int>().at(3);
    } catch (const std::out_of_range &e) {
        std::cout << e.what() << '\n';
    }
}

static void locale_text() {
    std::locale::global(std::locale("C.UTF-8"));
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << 1234567.25 << std::boolalpha << true;
    std::cout << out.str() << '\n';
}

static std::map<std::string, int> *words;
static std::unordered_map<const void *, std::shared_ptr<int>> *by_address;

static void containers() {
    words = new std::map<std::string, int>;
    by_address = new std::unordered_map<const void *, std::shared_ptr<int>>;
    for (int i = 0; i < 500; i++) {
        auto p = std::make_shared<int>(i);
        (*by_address)[p.get()] = p;
        (*words)["a word that does not fit " + std::to_string(i)] = i;
    }
}

static const prelude all[] = {{"cout", cout},           {"cout_lines", cout_lines},   {"cout_alone", cout_alone},
                              {"exception", exception}, {"locale_text", locale_text}, {"containers", containers}};

extern "C" {
PRELUDES(all)
}
