// What the C and C++ peers of the cache share: the file with its pragmas, the table that a user
// would write, the clocks and the line of results.
#pragma once
#include "../../json/peers/bench.h"
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

// As `Connection.pragmas` has them, so that no peer is faster by doing less.
#define CACHE_PRAGMAS                                                                          \
  "PRAGMA trusted_schema=0; PRAGMA cell_size_check=1; PRAGMA secure_delete=1;"                 \
  "PRAGMA mmap_size=0; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"                  \
  "PRAGMA cache_size=-16000; PRAGMA temp_store=2; PRAGMA foreign_keys=1;"

#define CACHE_TABLE                                                                            \
  "CREATE TABLE card (vendor TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,"             \
  " title TEXT, text TEXT, image TEXT, url TEXT, created INTEGER, expires INTEGER,"            \
  " ratio REAL, viewed INTEGER, clicked INTEGER, pinned INTEGER, dismissible INTEGER,"         \
  " web INTEGER, extras TEXT, body TEXT, UNIQUE (vendor, id)) STRICT;"                         \
  "CREATE INDEX card_feed ON card (pinned DESC, created DESC, expires);"

#define CACHE_UPSERT                                                                           \
  "INSERT INTO card VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (vendor, id)"       \
  " DO UPDATE SET kind=excluded.kind, title=excluded.title, text=excluded.text,"               \
  " image=excluded.image, url=excluded.url, created=excluded.created,"                         \
  " expires=excluded.expires, ratio=excluded.ratio, viewed=excluded.viewed,"                   \
  " clicked=excluded.clicked, pinned=excluded.pinned, dismissible=excluded.dismissible,"       \
  " web=excluded.web, extras=excluded.extras, body=excluded.body"

#define CACHE_COUNT                                                                            \
  "SELECT count(*), total(length(CAST(id AS BLOB)) + length(CAST(title AS BLOB))"              \
  " + length(CAST(text AS BLOB)) + length(CAST(image AS BLOB)) + length(CAST(url AS BLOB)))"   \
  " FROM card"

#define MESSAGE_TABLE                                                                          \
  "CREATE TABLE message (vendor TEXT NOT NULL, id TEXT NOT NULL, subject TEXT, text TEXT,"     \
  " url TEXT, icon TEXT, image TEXT, collapse TEXT, created INTEGER, expires INTEGER,"         \
  " read INTEGER, custom TEXT, handle TEXT, body TEXT, UNIQUE (vendor, id)) STRICT;"           \
  "CREATE INDEX message_feed ON message (created DESC, expires);"

#define MESSAGE_UPSERT                                                                         \
  "INSERT INTO message VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (vendor, id)"          \
  " DO UPDATE SET subject=excluded.subject, text=excluded.text, url=excluded.url,"             \
  " icon=excluded.icon, image=excluded.image, collapse=excluded.collapse,"                     \
  " created=excluded.created, expires=excluded.expires, read=excluded.read,"                   \
  " custom=excluded.custom, handle=excluded.handle, body=excluded.body"

// The times are in it, so that peers agree about dates as well.
#define MESSAGE_COUNT                                                                          \
  "SELECT count(*), total(length(CAST(id AS BLOB)) + length(CAST(subject AS BLOB))"            \
  " + length(CAST(text AS BLOB)) + length(CAST(url AS BLOB)) + length(CAST(icon AS BLOB))"     \
  " + length(CAST(collapse AS BLOB)) + created + expires + read) FROM message"

static inline int cache_must(sqlite3 *db, int code) {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    exit(3);
  }
  return code;
}

static inline void cache_run(sqlite3 *db, const char *sql) {
  cache_must(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static inline sqlite3_stmt *cache_prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  cache_must(db, sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

static inline void cache_remove(const char *path) {
  static const char *const ends[] = {"", "-wal", "-shm"};
  char name[4096];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    unlink(name);
  }
}

// Opens the file as ours is opened, for one thread and without SQLite's own mutex.
static inline sqlite3 *cache_open(const char *path, int flags) {
  sqlite3 *db = NULL;
  cache_must(db, sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL));
  sqlite3_busy_timeout(db, 5000);
  cache_run(db, CACHE_PRAGMAS);
  return db;
}

// A new file with the tables in it.
static inline sqlite3 *cache_make(const char *path, const char *tables) {
  cache_remove(path);
  sqlite3 *db = cache_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  cache_run(db, "PRAGMA journal_mode=WAL");
  cache_run(db, tables);
  return db;
}

// Moves the log into the file and closes it.
static inline void cache_close(sqlite3 *db) {
  cache_run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_close_v2(db);
}

typedef struct {
  double wall, cpu;
} cache_time;

static inline cache_time cache_now(void) {
  struct timespec now;
  struct rusage use;
  clock_gettime(CLOCK_MONOTONIC, &now);
  getrusage(RUSAGE_SELF, &use);
  cache_time time = {
      now.tv_sec * 1e3 + now.tv_nsec / 1e6,
      (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
          (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3};
  return time;
}

static inline cache_time cache_since(cache_time start) {
  cache_time now = cache_now();
  cache_time passed = {now.wall - start.wall, now.cpu - start.cpu};
  return passed;
}

// `counting` says how many rows there are, and what peers have to agree about.
static inline void cache_report(sqlite3 *db, const char *counting, const char *name,
                                cache_time time) {
  sqlite3_stmt *count = cache_prepare(db, counting);
  cache_must(db, sqlite3_step(count));
  printf("\"%s_ms\":%.4f,\"%s_cpu_ms\":%.4f,\"%s_rows\":%lld,\"%s_check\":%lld", name, time.wall,
         name, time.cpu, name, sqlite3_column_int64(count, 0), name,
         (long long)sqlite3_column_double(count, 1));
  sqlite3_finalize(count);
}

typedef struct {
  const char *bytes;
  size_t count;
} cache_text;

// One row: the texts lie where the parser has them.
typedef struct {
  cache_text id, kind, title, text, image, url, extras, body;
  int64_t created, expires;
  double ratio;
  int viewed, clicked, pinned, dismissible, web;
} cache_card;

typedef struct {
  cache_text id, subject, text, url, icon, image, collapse, custom, handle, body;
  int64_t created, expires;
  int read;
} cache_message;

static inline void cache_bind(sqlite3_stmt *s, int at, cache_text text) {
  if (text.bytes)
    sqlite3_bind_text(s, at, text.bytes, (int)text.count, SQLITE_STATIC);
  else
    sqlite3_bind_null(s, at);
}

static inline void cache_put(sqlite3 *db, sqlite3_stmt *s, const cache_card *card) {
  sqlite3_bind_text(s, 1, "braze", 5, SQLITE_STATIC);
  cache_bind(s, 2, card->id);
  cache_bind(s, 3, card->kind);
  cache_bind(s, 4, card->title);
  cache_bind(s, 5, card->text);
  cache_bind(s, 6, card->image);
  cache_bind(s, 7, card->url);
  sqlite3_bind_int64(s, 8, card->created);
  sqlite3_bind_int64(s, 9, card->expires);
  sqlite3_bind_double(s, 10, card->ratio);
  sqlite3_bind_int(s, 11, card->viewed);
  sqlite3_bind_int(s, 12, card->clicked);
  sqlite3_bind_int(s, 13, card->pinned);
  sqlite3_bind_int(s, 14, card->dismissible);
  sqlite3_bind_int(s, 15, card->web);
  cache_bind(s, 16, card->extras);
  cache_bind(s, 17, card->body);
  cache_must(db, sqlite3_step(s));
  sqlite3_reset(s);
}

static inline void cache_put_message(sqlite3 *db, sqlite3_stmt *s, const cache_message *message) {
  sqlite3_bind_text(s, 1, "vibes", 5, SQLITE_STATIC);
  cache_bind(s, 2, message->id);
  cache_bind(s, 3, message->subject);
  cache_bind(s, 4, message->text);
  cache_bind(s, 5, message->url);
  cache_bind(s, 6, message->icon);
  cache_bind(s, 7, message->image);
  cache_bind(s, 8, message->collapse);
  sqlite3_bind_int64(s, 9, message->created);
  sqlite3_bind_int64(s, 10, message->expires);
  sqlite3_bind_int(s, 11, message->read);
  cache_bind(s, 12, message->custom);
  cache_bind(s, 13, message->handle);
  cache_bind(s, 14, message->body);
  cache_must(db, sqlite3_step(s));
  sqlite3_reset(s);
}
