// Records, in order and with their bytes, the calls by which a process changes the files under one
// folder. Preloaded into the worker; the crash model builds from the record the possible states of
// a disk after a power failure at any moment.
//
// FAULT_FOLDER: the folder; FAULT_LOG: the file to append to. One record a call, after it returned:
// a header, then the path of an `open`, `unlink` or `rename`, or the bytes of a write.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define DESCRIPTORS 4096

struct record {
  char kind;  // O made, W write, T size, S sync, D sync of a folder, U unlink, R rename, L line
  char pad[3];
  uint32_t length;
  uint64_t inode;
  uint64_t offset;
  uint64_t at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static int log_descriptor = -1;
// The inode behind a descriptor of ours; 1 in `is_folder` for the folder itself.
static uint64_t inodes[DESCRIPTORS];
static char is_folder[DESCRIPTORS];

static void put(const void *bytes, size_t length) {
  const char *next = bytes;
  while (length > 0) {
    long written = syscall(SYS_write, log_descriptor, next, length);
    if (written < 0) {
      if (errno == EINTR) continue;
      // A log with a gap would prove nothing.
      abort();
    }
    next += written;
    length -= written;
  }
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + time.tv_nsec;
}

// The caller holds the lock, so that the records have the order of the calls.
static void note(char kind, uint64_t inode, uint64_t offset, const void *bytes, size_t length) {
  struct record record = {kind, {0}, length, inode, offset, now()};
  int saved = errno;
  put(&record, sizeof record);
  if (bytes) put(bytes, length);
  errno = saved;
}

__attribute__((constructor)) static void start(void) {
  const char *place = getenv("FAULT_FOLDER"), *log = getenv("FAULT_LOG");
  if (!place || !log || !realpath(place, folder)) return;
  int descriptor = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  // A high descriptor, so that the process's own numbers stay the same.
  log_descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 900);
  syscall(SYS_close, descriptor);
}

static int is_ours(int descriptor) {
  return log_descriptor >= 0 && descriptor >= 0 && descriptor < DESCRIPTORS && inodes[descriptor];
}

// The path if it is the folder or below it; NULL otherwise.
static const char *inside(const char *path, char *resolved) {
  if (log_descriptor < 0 || !path) return NULL;
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (realpath(path, resolved)) {
  } else if (slash && slash != path) {
    size_t length = slash - path;
    if (length >= sizeof parent) return NULL;
    memcpy(parent, path, length);
    parent[length] = 0;
    if (!realpath(parent, resolved)) return NULL;
    strncat(resolved, slash, PATH_MAX - strlen(resolved) - 1);
  } else {
    return NULL;
  }
  size_t length = strlen(folder);
  return strncmp(resolved, folder, length) == 0 && (!resolved[length] || resolved[length] == '/')
             ? resolved
             : NULL;
}

// MARK: Opening

static int opened(int descriptor, const char *path, int flags, int was_there) {
  char resolved[PATH_MAX];
  struct stat status;
  if (descriptor < 0 || descriptor >= DESCRIPTORS || log_descriptor < 0) return descriptor;
  inodes[descriptor] = 0;
  is_folder[descriptor] = 0;
  int saved = errno;
  if (inside(path, resolved) && fstat(descriptor, &status) == 0) {
    inodes[descriptor] = status.st_ino;
    is_folder[descriptor] = S_ISDIR(status.st_mode);
    if (!was_there) note('O', status.st_ino, 0, resolved, strlen(resolved));
    if (was_there && (flags & O_TRUNC)) note('T', status.st_ino, 0, NULL, 0);
  }
  errno = saved;
  return descriptor;
}

static int open_any(const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&lock);
  struct stat status;
  int was_there = stat(path, &status) == 0;
  int descriptor = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  opened(descriptor, path, flags, was_there);
  pthread_mutex_unlock(&lock);
  return descriptor;
}

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    va_list rest;                                   \
    va_start(rest, flags);                          \
    mode_t mode = va_arg(rest, mode_t);             \
    va_end(rest);                                   \
    return open_any(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                      \
  int name(int base, const char *path, int flags, ...) {                  \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    mode_t mode = va_arg(rest, mode_t);                                   \
    va_end(rest);                                                         \
    if (base == AT_FDCWD || path[0] == '/') return open_any(path, flags, mode); \
    return syscall(SYS_openat, base, path, flags, mode);                  \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int descriptor) {
  pthread_mutex_lock(&lock);
  if (is_ours(descriptor)) inodes[descriptor] = 0;
  int result = syscall(SYS_close, descriptor);
  pthread_mutex_unlock(&lock);
  return result;
}

// MARK: Writing

static ssize_t write_at(int descriptor, const void *bytes, size_t length, off_t offset, int here) {
  int ours = is_ours(descriptor);
  // The worker's output lines are part of the order.
  int is_line = descriptor == 1 && log_descriptor >= 0;
  if (!ours && !is_line)
    return here ? syscall(SYS_write, descriptor, bytes, length)
                : syscall(SYS_pwrite64, descriptor, bytes, length, offset);
  pthread_mutex_lock(&lock);
  long written = here ? syscall(SYS_write, descriptor, bytes, length)
                      : syscall(SYS_pwrite64, descriptor, bytes, length, offset);
  if (written > 0) {
    // Behind the write: only then is the place known of a file that is appended to.
    if (here && ours) offset = lseek(descriptor, 0, SEEK_CUR) - written;
    if (ours) note('W', inodes[descriptor], offset, bytes, written);
    else note('L', 0, 0, bytes, written);
  }
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  return write_at(descriptor, bytes, length, 0, 1);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return write_at(descriptor, bytes, length, offset, 0);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  return write_at(descriptor, bytes, length, offset, 0);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!is_ours(descriptor)) return syscall(SYS_writev, descriptor, parts, count);
  ssize_t total = 0;
  for (int index = 0; index < count; index++) {
    ssize_t written = write_at(descriptor, parts[index].iov_base, parts[index].iov_len, 0, 1);
    if (written < 0) return total ? total : written;
    total += written;
    if ((size_t)written < parts[index].iov_len) break;
  }
  return total;
}

static int resize(int descriptor, off_t length) {
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_ftruncate, descriptor, length);
  if (result == 0 && is_ours(descriptor)) note('T', inodes[descriptor], length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate(int descriptor, off_t length) { return resize(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return resize(descriptor, length); }

// MARK: Syncing

static int synced(int descriptor, long call) {
  pthread_mutex_lock(&lock);
  int result = syscall(call, descriptor);
  if (result == 0 && is_ours(descriptor))
    note(is_folder[descriptor] ? 'D' : 'S', inodes[descriptor], 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

// MARK: Names

int unlink(const char *path) {
  char resolved[PATH_MAX];
  pthread_mutex_lock(&lock);
  const char *name = inside(path, resolved);
  int result = syscall(SYS_unlink, path);
  if (result == 0 && name) note('U', 0, 0, name, strlen(name));
  pthread_mutex_unlock(&lock);
  return result;
}

int rename(const char *from, const char *to) {
  char both[2 * PATH_MAX], resolved[PATH_MAX];
  pthread_mutex_lock(&lock);
  const char *name = inside(from, resolved);
  size_t length = 0;
  if (name) {
    length = strlen(name) + 1;
    memcpy(both, name, length);
    if (inside(to, resolved)) length += stpcpy(both + length, resolved) - (both + length);
  }
  int result = syscall(SYS_rename, from, to);
  if (result == 0 && name) note('R', 0, 0, both, length);
  pthread_mutex_unlock(&lock);
  return result;
}
