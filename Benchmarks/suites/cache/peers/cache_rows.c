// cache_rows accept|append SOURCE DB   the rows of a cache written again, in the same transactions
//
// Takes what our cache wrote and writes it into tables of the same schema: an action a
// transaction, or a hundred events. `bare` is the same bytes appended to a file, each transaction's
// synced, with no database at all.
#include "cache.h"
#include <fcntl.h>

enum { COLUMNS = 20 };

typedef struct {
  int type;
  int64_t integer;
  double real;
  cache_text bytes;
} cell;

typedef struct {
  cell (*rows)[COLUMNS];
  size_t count;
  int columns, seal;
} table;

static cell copied(sqlite3_stmt *s, int column) {
  cell cell = {sqlite3_column_type(s, column)};
  if (cell.type == SQLITE_INTEGER) cell.integer = sqlite3_column_int64(s, column);
  if (cell.type == SQLITE_FLOAT) cell.real = sqlite3_column_double(s, column);
  if (cell.type != SQLITE_TEXT && cell.type != SQLITE_BLOB) return cell;
  const void *bytes = sqlite3_column_blob(s, column);
  cell.bytes.count = (size_t)sqlite3_column_bytes(s, column);
  char *copy = (char *)malloc(cell.bytes.count + 1);
  if (bytes) memcpy(copy, bytes, cell.bytes.count);
  cell.bytes.bytes = copy;
  return cell;
}

static table taken(sqlite3 *db, const char *sql) {
  sqlite3_stmt *s = cache_prepare(db, sql);
  table table = {NULL, 0, sqlite3_column_count(s), -1};
  if (table.columns > COLUMNS) exit(4);
  for (int i = 0; i < table.columns; i++)
    if (!strcmp(sqlite3_column_name(s, i), "seal")) table.seal = i;
  while (cache_must(db, sqlite3_step(s)) == SQLITE_ROW) {
    if (!(table.count & (table.count - 1)))
      table.rows = realloc(table.rows, sizeof *table.rows * (table.count ? table.count * 2 : 1));
    for (int i = 0; i < table.columns; i++) table.rows[table.count][i] = copied(s, i);
    table.count++;
  }
  sqlite3_finalize(s);
  return table;
}

static size_t size(const cell *row, int columns) {
  size_t size = 0;
  for (int i = 0; i < columns; i++)
    size += row[i].type == SQLITE_NULL                             ? 0
            : row[i].type == SQLITE_TEXT || row[i].type == SQLITE_BLOB ? row[i].bytes.count
                                                                   : 8;
  return size;
}

// A checksum of the row's bytes, eight at a time.
static int64_t checksum(const cell *row, int columns) {
  uint64_t sum = 0x243f6a8885a308d3u;
  for (int i = 0; i < columns; i++) {
    sum = (sum ^ (uint64_t)row[i].integer) * 0x9e3779b97f4a7c15u;
    for (size_t at = 0; at < row[i].bytes.count; at += 8) {
      uint64_t word = 0;
      size_t left = row[i].bytes.count - at;
      memcpy(&word, row[i].bytes.bytes + at, left < 8 ? left : 8);
      sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
      sum ^= sum >> 29;
    }
  }
  return (int64_t)sum;
}

static void put(sqlite3 *db, sqlite3_stmt *s, const cell *row, const table *table) {
  for (int i = 0; i < table->columns; i++) {
    const cell *cell = &row[i];
    int at = i + 1;
    if (i == table->seal) sqlite3_bind_int64(s, at, checksum(row, i));
    else if (cell->type == SQLITE_INTEGER) sqlite3_bind_int64(s, at, cell->integer);
    else if (cell->type == SQLITE_FLOAT) sqlite3_bind_double(s, at, cell->real);
    else if (cell->type == SQLITE_TEXT) cache_bind(s, at, cell->bytes);
    else if (cell->type == SQLITE_BLOB)
      sqlite3_bind_blob(s, at, cell->bytes.bytes, (int)cell->bytes.count, SQLITE_STATIC);
    else sqlite3_bind_null(s, at);
  }
  cache_must(db, sqlite3_step(s));
  sqlite3_reset(s);
}

static sqlite3_stmt *insertion(sqlite3 *db, const char *name, const char *rest, int columns) {
  char sql[512];
  int used = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", name);
  for (int i = 1; i < columns; i++) used += snprintf(sql + used, sizeof sql - used, ",?");
  snprintf(sql + used, sizeof sql - used, ")%s", rest);
  return cache_prepare(db, sql);
}

// A new file with the schema of the source and the rows that others refer to.
static sqlite3 *twin(sqlite3 *source, const char *path) {
  sqlite3 *db = cache_make(path, "");
  sqlite3_stmt *s = cache_prepare(
      source, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
              " ORDER BY rowid");
  while (cache_must(source, sqlite3_step(s)) == SQLITE_ROW)
    cache_run(db, (const char *)sqlite3_column_text(s, 0));
  sqlite3_finalize(s);
  static const char *const owners[] = {"partition", "source"};
  for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", owners[i]);
    table rows = taken(source, sql);
    sqlite3_stmt *insert = insertion(db, owners[i], "", rows.columns);
    for (size_t row = 0; row < rows.count; row++) put(db, insert, rows.rows[row], &rows);
    sqlite3_finalize(insert);
  }
  return db;
}

typedef struct {
  table ledger, overlay, outbox;
  size_t each, transactions;
} work;

static work accepted(sqlite3 *source) {
  // The rows of one action, one below the other in all three.
  work work = {
      taken(source, "SELECT ledger.* FROM outbox JOIN ledger ON ledger.id = outbox.event"
                    " ORDER BY outbox.id"),
      taken(source, "SELECT overlay.* FROM outbox JOIN ledger ON ledger.id = outbox.event"
                    " JOIN overlay ON overlay.name = ledger.item ORDER BY outbox.id"),
      taken(source, "SELECT * FROM outbox ORDER BY id"), 1};
  work.transactions = work.outbox.count;
  if (work.ledger.count != work.outbox.count || work.overlay.count != work.outbox.count) exit(5);
  return work;
}

static work appended(sqlite3 *source) {
  work work = {taken(source, "SELECT * FROM ledger ORDER BY sequence"), {0}, {0}, 100};
  work.transactions = work.ledger.count / work.each;
  return work;
}

typedef struct {
  double *each, cpu;
} times;

static times write_rows(sqlite3 *db, const work *work) {
  sqlite3_stmt *ledger =
      insertion(db, "ledger", " ON CONFLICT (id) DO NOTHING", work->ledger.columns);
  sqlite3_stmt *overlay = NULL, *outbox = NULL, *tally = NULL;
  if (work->outbox.count) {
    overlay = insertion(db, "overlay", " ON CONFLICT (source, name) DO UPDATE SET"
                        " marks=excluded.marks, snoozed=excluded.snoozed, ends=excluded.ends",
                        work->overlay.columns);
    outbox = insertion(db, "outbox", " ON CONFLICT (key, provider) DO NOTHING",
                       work->outbox.columns);
    tally = cache_prepare(db, "INSERT INTO tally (provider, name, count)"
                          " VALUES ('braze', 'accepted', 1) ON CONFLICT (provider, name)"
                          " DO UPDATE SET count = count + excluded.count");
  }
  times times = {(double *)malloc(sizeof(double) * work->transactions)};
  cache_time start = cache_now();
  for (size_t t = 0; t < work->transactions; t++) {
    cache_time begin = cache_now();
    cache_run(db, "BEGIN IMMEDIATE");
    for (size_t i = t * work->each; i < (t + 1) * work->each; i++) {
      put(db, ledger, work->ledger.rows[i], &work->ledger);
      if (!tally) continue;
      put(db, overlay, work->overlay.rows[i], &work->overlay);
      put(db, outbox, work->outbox.rows[i], &work->outbox);
      cache_must(db, sqlite3_step(tally));
      sqlite3_reset(tally);
    }
    cache_run(db, "COMMIT");
    times.each[t] = cache_since(begin).wall;
  }
  times.cpu = cache_since(start).cpu;
  sqlite3_finalize(ledger);
  sqlite3_finalize(overlay);
  sqlite3_finalize(outbox);
  sqlite3_finalize(tally);
  return times;
}

static times write_bare(const char *path, const work *work, size_t *total) {
  cache_remove(path);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  times times = {(double *)malloc(sizeof(double) * work->transactions)};
  char *bytes = NULL;
  cache_time start = cache_now();
  for (size_t t = 0; t < work->transactions; t++) {
    size_t count = 0;
    for (size_t i = t * work->each; i < (t + 1) * work->each; i++) {
      count += size(work->ledger.rows[i], work->ledger.columns);
      if (work->overlay.count) count += size(work->overlay.rows[i], work->overlay.columns);
      if (work->outbox.count) count += size(work->outbox.rows[i], work->outbox.columns);
    }
    bytes = (char *)realloc(bytes, count);
    memset(bytes, (int)t, count);
    cache_time begin = cache_now();
    if (write(file, bytes, count) != (ssize_t)count || fdatasync(file)) exit(6);
    times.each[t] = cache_since(begin).wall;
    *total += count;
  }
  times.cpu = cache_since(start).cpu;
  free(bytes);
  close(file);
  return times;
}

static void report(const char *name, times times, size_t count) {
  qsort(times.each, count, sizeof(double), bench_order);
  printf("\"%s_ms\":%.5f,\"%s_cpu_ms\":%.5f,", name, times.each[count / 2], name,
         times.cpu / (double)count);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  int accepts = !strcmp(argv[1], "accept");
  sqlite3 *source = cache_open(argv[2], SQLITE_OPEN_READONLY);
  work work = accepts ? accepted(source) : appended(source);
  if (!work.transactions) return 7;
  sqlite3 *db = twin(source, argv[3]);
  sqlite3_close_v2(source);
  char name[4096];
  snprintf(name, sizeof name, "%s.bare", argv[3]);
  size_t bytes = 0;
  printf("{");
  report("rows", write_rows(db, &work), work.transactions);
  cache_close(db);
  report("bare", write_bare(name, &work, &bytes), work.transactions);
  printf("\"count\":%zu,\"bytes\":%zu,\"peak_kb\":%ld}\n", work.transactions,
         bytes / work.transactions, bench_peak_kb());
}
