/* sha256.c - see sha256.h. The names of the functions and constants are those of FIPS 180-4. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static void compress(uint32_t state[8], const uint8_t block[RD_SHA256_BLOCK]) {
    uint32_t w[64], v[8];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + s1 + ch + K[i] + w[i];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + s0 + maj;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void rd_sha256_begin(struct rd_sha256 *h) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, start, sizeof start);
    h->size = 0;
}

void rd_sha256_add(struct rd_sha256 *h, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    while (size) {
        size_t used = h->size % RD_SHA256_BLOCK, n = RD_MIN(size, RD_SHA256_BLOCK - used);
        memcpy(h->block + used, from, n);
        h->size += n;
        from += n;
        size -= n;
        if (used + n == RD_SHA256_BLOCK)
            compress(h->state, h->block);
    }
}

void rd_sha256_add_text(struct rd_sha256 *h, const char *text) { rd_sha256_add(h, text, strlen(text) + 1); }

void rd_sha256_end(struct rd_sha256 *h, uint8_t to[RD_SHA256_SIZE]) {
    uint64_t bits = h->size * 8;
    uint8_t length[8], zero = 0, one = 0x80;
    rd_sha256_add(h, &one, 1);
    while (h->size % RD_SHA256_BLOCK != RD_SHA256_BLOCK - sizeof length)
        rd_sha256_add(h, &zero, 1);
    for (unsigned i = 0; i < sizeof length; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    rd_sha256_add(h, length, sizeof length);
    for (unsigned i = 0; i < RD_SHA256_SIZE; i++)
        to[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void rd_sha256_hex(const uint8_t hash[RD_SHA256_SIZE], unsigned digits, char *to) {
    for (unsigned i = 0; i < digits; i++)
        to[i] = "0123456789abcdef"[hash[i / 2] >> (i % 2 ? 0 : 4) & 15];
    to[digits] = 0;
}

void rd_hmac_begin(struct rd_hmac *h, const uint8_t *key, size_t size) {
    uint8_t inner_key[RD_SHA256_BLOCK];
    RD_CHECK(size <= RD_SHA256_BLOCK);
    for (unsigned i = 0; i < RD_SHA256_BLOCK; i++) {
        uint8_t byte = i < size ? key[i] : 0;
        inner_key[i] = byte ^ 0x36;
        h->outer_key[i] = byte ^ 0x5c;
    }
    rd_sha256_begin(&h->inner);
    rd_sha256_add(&h->inner, inner_key, sizeof inner_key);
}

void rd_hmac_add(struct rd_hmac *h, const void *bytes, size_t size) { rd_sha256_add(&h->inner, bytes, size); }

void rd_hmac_end(struct rd_hmac *h, uint8_t to[RD_SHA256_SIZE]) {
    uint8_t inner[RD_SHA256_SIZE];
    struct rd_sha256 outer;
    rd_sha256_end(&h->inner, inner);
    rd_sha256_begin(&outer);
    rd_sha256_add(&outer, h->outer_key, sizeof h->outer_key);
    rd_sha256_add(&outer, inner, sizeof inner);
    rd_sha256_end(&outer, to);
}
