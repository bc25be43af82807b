#pragma once
// The hashes of libcrypto under the names that Apple's CommonCrypto has for the same functions.
//
// They work on plain structures: a copy of one is a hash that goes on by itself. OpenSSL 3 advises against
// them because they do not ask its providers.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

typedef SHA256_CTX CC_SHA256_CTX;
typedef size_t CC_LONG;

static inline int CC_SHA256_Init(CC_SHA256_CTX *hash) { return SHA256_Init(hash); }

static inline int CC_SHA256_Update(CC_SHA256_CTX *hash, const void *bytes, CC_LONG count) {
  return SHA256_Update(hash, bytes, count);
}

static inline int CC_SHA256_Final(unsigned char *digest, CC_SHA256_CTX *hash) {
  return SHA256_Final(digest, hash);
}

static inline unsigned char *CC_SHA1(const void *bytes, CC_LONG count, unsigned char *digest) {
  return SHA1((const unsigned char *)bytes, count, digest);
}
