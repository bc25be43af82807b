// The checksums that the cache keeps, as `ContentHash`, `Seal` and `ItemSeal` compute them.
#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t pi[] = {
    0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
    0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c,
};

static inline uint64_t seal_word(const uint8_t *bytes, size_t count) {
  uint64_t word = 0;
  memcpy(&word, bytes, count < 8 ? count : 8);
  return word;
}

static inline uint64_t seal_fold(uint64_t left, uint64_t right) {
  unsigned __int128 product = (unsigned __int128)left * right;
  return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static inline uint64_t seal_step(uint64_t lane, const uint8_t *bytes) {
  uint64_t second = seal_word(bytes + 8, 8) ^ lane;
  return seal_fold(seal_word(bytes, 8) ^ pi[4], second) + second;
}

static inline uint64_t seal_hash(const uint8_t *bytes, size_t count) {
  if (count <= 16) {
    uint64_t first = seal_word(bytes, count), second = count > 8 ? seal_word(bytes + count - 8, 8) : 0;
    return seal_fold(seal_fold(first ^ pi[1], second ^ pi[2]) ^ pi[0], count ^ pi[3]);
  }
  uint64_t lanes[] = {pi[0], pi[1], pi[2], pi[3]};
  size_t offset = 0;
  if (count >= 64) {
    for (;; offset += 64) {
      const uint8_t *block = bytes + (offset < count - 64 ? offset : count - 64);
      for (int i = 0; i < 4; i++) lanes[i] = seal_step(lanes[i], block + 16 * i);
      if (offset >= count - 64) break;
    }
  } else {
    for (; count - offset > 16; offset += 16) lanes[0] = seal_step(lanes[0], bytes + offset);
    lanes[1] = seal_step(lanes[1], bytes + count - 16);
  }
  return seal_fold(seal_fold(lanes[0] ^ pi[4], lanes[1]) ^ count, seal_fold(lanes[2] ^ pi[5], lanes[3]));
}

// What the hash of a body is mixed with: its name and whose it is.
static inline uint64_t seal_salt(const uint8_t *name, size_t count, uint64_t owner) {
  return (seal_hash(name, count) ^ owner) * 0x9e3779b97f4a7c15;
}

// MARK: Columns, each told apart from the next

typedef struct {
  uint8_t *bytes;
  size_t count, room;
} sealed;

static inline void seal_append(sealed *all, const void *bytes, size_t count) {
  if (all->count + count > all->room) {
    all->room = 2 * (all->count + count) + 8192;
    all->bytes = realloc(all->bytes, all->room);
  }
  if (count) memcpy(all->bytes + all->count, bytes, count);
  all->count += count;
}

static inline void seal_add_column(sealed *all, sqlite3_stmt *row, int column) {
  int isNull = sqlite3_column_type(row, column) == SQLITE_NULL;
  const void *bytes = sqlite3_column_blob(row, column);
  int64_t count = isNull ? -1 : sqlite3_column_bytes(row, column);
  seal_append(all, &count, sizeof count);
  if (!isNull) seal_append(all, bytes, count);
}

static inline uint64_t seal_value(sealed *all) {
  uint64_t value = seal_hash(all->bytes, all->count);
  free(all->bytes);
  return value;
}
