#pragma once
#include <sqlite3.h>

// A cast of a number to a function's address: Swift does not import such a macro.
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }

// As above.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

// A variadic function, which Swift cannot call. `now` is what the switch is afterwards.
static inline int csqlite_switch(sqlite3 *connection, int name, int on, int *now) {
  return sqlite3_db_config(connection, name, on, now);
}

// The bytes of the file itself, without a lock or a log, through the descriptor that SQLite has: a
// descriptor of our own would, when it is closed, take the locks of every other connection of the
// process with it. The functions sit in a table behind a pointer that SQLite hands out as `void *`.
static inline int csqlite_read_start(
    sqlite3 *connection, void *bytes, int count, sqlite3_int64 *size) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (file == 0 || file->pMethods == 0) return SQLITE_CANTOPEN;
  code = file->pMethods->xFileSize(file, size);
  if (code != SQLITE_OK) return code;
  code = file->pMethods->xRead(file, bytes, count, 0);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}
