/*
 * sha256.h - SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), for what must be the same in every build and on
 * every machine: identities of findings, hashes of source files, the signature of a schedule file.
 */
#ifndef RD_BASE_SHA256_H
#define RD_BASE_SHA256_H

#include "base/base.h"

enum { RD_SHA256_SIZE = 32, RD_SHA256_BLOCK = 64, RD_SHA256_TEXT = 2 * RD_SHA256_SIZE + 1 };

struct rd_sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    uint8_t block[RD_SHA256_BLOCK];
};

void rd_sha256_begin(struct rd_sha256 *h);
void rd_sha256_add(struct rd_sha256 *h, const void *bytes, size_t size);
/* Adds a text and its zero, so that "ab", "c" and "a", "bc" differ. */
void rd_sha256_add_text(struct rd_sha256 *h, const char *text);
void rd_sha256_end(struct rd_sha256 *h, uint8_t to[RD_SHA256_SIZE]);

/* Writes `digits` hexadecimal digits of the hash and a zero. pre: digits <= 64, `to` has room for one more */
void rd_sha256_hex(const uint8_t hash[RD_SHA256_SIZE], unsigned digits, char *to);

struct rd_hmac {
    struct rd_sha256 inner;
    uint8_t outer_key[RD_SHA256_BLOCK];
};

/* pre: size <= RD_SHA256_BLOCK */
void rd_hmac_begin(struct rd_hmac *h, const uint8_t *key, size_t size);
void rd_hmac_add(struct rd_hmac *h, const void *bytes, size_t size);
void rd_hmac_end(struct rd_hmac *h, uint8_t to[RD_SHA256_SIZE]);

#endif
