/*
 * Replaces libc's file calls (LD_PRELOAD) for files below FAULT_DIR: keeps undo records of unsynced writes, injects
 * errors, delays and sudden death, and writes down when each write and sync began and ended.
 */
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 65536 };

static char root[PATH_MAX];
static size_t root_length; /* 0: the shim is idle */
static int stats = -1;
static struct tracked *by_descriptor[MOST_DESCRIPTORS];
static struct tracked *all;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

void fault_fatal(const char *what, const char *path) {
  dprintf(2, "fault shim: %s: %s (%s)\n", what, path, strerror(errno));
  _exit(97);
}

__attribute__((constructor)) static void start(void) {
  const char *directory = getenv("FAULT_DIR");
  if (!directory || !*directory) return;
  if (!realpath(directory, root)) fault_fatal("FAULT_DIR must exist", directory);
  const char *journal = getenv("FAULT_JOURNAL");
  if (journal && *journal) journal_start(journal);
  const char *counts = getenv("FAULT_STATS");
  if (counts && *counts) {
    stats = REAL(open64)(counts, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (stats < 0) fault_fatal("cannot open FAULT_STATS", counts);
  }
  root_length = strlen(root);
}

static bool is_below(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* The absolute path without links of what `path` names or will name; false when its folder does not exist. */
static bool locate(int dirfd, const char *path, char *out) {
  char full[PATH_MAX];
  if (dirfd == AT_FDCWD || path[0] == '/') snprintf(full, sizeof full, "%s", path);
  else snprintf(full, sizeof full, "/proc/self/fd/%d/%s", dirfd, path);
  if (realpath(full, out)) return true;
  char *slash = strrchr(full, '/');
  const char *name = slash ? slash + 1 : full;
  char parent[PATH_MAX];
  if (slash) *slash = 0;
  if (!realpath(slash ? (*full ? full : "/") : ".", parent)) return false;
  return snprintf(out, PATH_MAX, "%s/%s", parent, name) < PATH_MAX;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One line per call: operation, start and end in ns of the monotonic clock, bytes or 0, errno or 0, path. */
static void count(const char *op, uint64_t began, long result, const char *path) {
  if (stats < 0) return;
  int error = errno;
  char line[PATH_MAX + 128];
  int length = snprintf(line, sizeof line, "%s %lu %lu %ld %d %s\n", op, (unsigned long)began, (unsigned long)now_ns(),
                        result < 0 ? 0 : result, result < 0 ? error : 0, path);
  if (REAL(write)(stats, line, (size_t)length) != length) fault_fatal("cannot write FAULT_STATS", path);
  errno = error;
}

static void release(int fd, struct tracked *expected);

/* libuv closes by the bare system call: what a descriptor was tracked for may be closed, and the number used again. */
static struct tracked *of(int fd) {
  if (!root_length || fd < 0 || fd >= MOST_DESCRIPTORS) return NULL;
  struct tracked *file = __atomic_load_n(&by_descriptor[fd], __ATOMIC_ACQUIRE);
  if (!file) return NULL;
  int error = errno;
  struct stat now;
  if (fstat(fd, &now) == 0 && now.st_ino == file->ino && now.st_dev == file->dev) return file;
  release(fd, file);
  errno = error;
  return NULL;
}

/* Does nothing when the descriptor is tracked for something else by now. */
static void release(int fd, struct tracked *expected) {
  pthread_mutex_lock(&table);
  struct tracked *file = by_descriptor[fd] == expected ? expected : NULL;
  if (file) by_descriptor[fd] = NULL;
  if (file && --file->refs == 0) {
    for (struct tracked **at = &all; *at; at = &(*at)->next)
      if (*at == file) {
        *at = file->next;
        break;
      }
    journal_forget(file);
    free(file->path);
    free(file);
  }
  pthread_mutex_unlock(&table);
}

static struct tracked *track(int fd, const char *path) {
  struct stat now;
  if (fd >= MOST_DESCRIPTORS || fstat(fd, &now) != 0) fault_fatal("cannot track", path);
  if (!S_ISREG(now.st_mode) && !S_ISDIR(now.st_mode)) return NULL;
  struct tracked *earlier = of(fd);
  if (earlier) release(fd, earlier);
  pthread_mutex_lock(&table);
  struct tracked *file = all;
  while (file && file->ino != now.st_ino) file = file->next;
  if (!file) {
    file = calloc(1, sizeof *file);
    size_t length = strlen(path);
    file->ino = now.st_ino;
    file->dev = now.st_dev;
    file->path = strdup(path);
    file->journal = -1;
    file->is_dir = S_ISDIR(now.st_mode);
    file->is_scratch = length > 4 && !strcmp(path + length - 4, "-shm");
    file->entry_unsynced = true;
    pthread_mutex_init(&file->lock, NULL);
    file->next = all;
    all = file;
  }
  file->refs++;
  __atomic_store_n(&by_descriptor[fd], file, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&table);
  return file;
}

static int open_tracked(int dirfd, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  if (!root_length || (flags & O_PATH) || !locate(dirfd, name, path) || !is_below(path))
    return REAL(openat64)(dirfd, name, flags, mode);
  struct stat before;
  bool existed = stat(path, &before) == 0;
  /* The bytes before a write must be readable, and those before a truncation kept. */
  int asked = flags & ~O_TRUNC;
  if ((flags & O_ACCMODE) == O_WRONLY) asked = (asked & ~O_ACCMODE) | O_RDWR;
  int fd = REAL(openat64)(dirfd, name, asked, mode);
  if (fd < 0) return fd;
  struct tracked *file = track(fd, path);
  if (!file) return fd;
  if (!existed) journal_created(file->ino, path);
  if ((flags & O_TRUNC) && existed && before.st_size > 0) {
    pthread_mutex_lock(&file->lock);
    journal_truncate(file, fd, 0);
    int failed = REAL(ftruncate64)(fd, 0);
    pthread_mutex_unlock(&file->lock);
    if (failed) fault_fatal("cannot truncate", path);
  }
  return fd;
}

#define OPEN_MODE(flags, last)                   \
  __extension__({                                \
    mode_t mode_ = 0;                            \
    if ((flags) & (O_CREAT | O_TMPFILE)) {       \
      va_list rest_;                             \
      va_start(rest_, last);                     \
      mode_ = (mode_t)va_arg(rest_, int);        \
      va_end(rest_);                             \
    }                                            \
    mode_;                                       \
  })

int open(const char *name, int flags, ...) { return open_tracked(AT_FDCWD, name, flags, OPEN_MODE(flags, flags)); }
int open64(const char *name, int flags, ...) { return open_tracked(AT_FDCWD, name, flags, OPEN_MODE(flags, flags)); }
int openat(int dirfd, const char *name, int flags, ...) { return open_tracked(dirfd, name, flags, OPEN_MODE(flags, flags)); }
int openat64(int dirfd, const char *name, int flags, ...) { return open_tracked(dirfd, name, flags, OPEN_MODE(flags, flags)); }
int creat(const char *name, mode_t mode) { return open_tracked(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

int close(int fd) {
  struct tracked *file = of(fd);
  if (file) release(fd, file);
  return REAL(close)(fd);
}

/* `offset` < 0: at the descriptor's own position. */
static ssize_t write_tracked(struct tracked *file, int fd, const struct iovec *parts, int n, off64_t offset) {
  struct iovec half;
  size_t total = 0;
  for (int i = 0; i < n; i++) total += parts[i].iov_len;
  pthread_mutex_lock(&file->lock);
  uint64_t began = now_ns();
  struct fault fault = control_next(OP_WRITE, file->path);
  ssize_t result = -1;
  if (fault.kill_before) control_die();
  if (fault.error) {
    errno = fault.error;
  } else {
    if (fault.shorten && n > 0 && parts[0].iov_len > 1) {
      half = (struct iovec){parts[0].iov_base, parts[0].iov_len / 2};
      parts = &half;
      n = 1;
      total = half.iov_len;
    }
    int flags = fcntl(fd, F_GETFL);
    if (!(flags & O_DSYNC)) {
      struct stat now;
      off64_t at = offset;
      if (flags & O_APPEND) at = fstat(fd, &now) == 0 ? now.st_size : 0;
      else if (offset < 0) at = lseek64(fd, 0, SEEK_CUR);
      journal_write(file, fd, (uint64_t)at, total);
    }
    result = offset < 0 ? REAL(writev)(fd, parts, n) : REAL(pwritev64)(fd, parts, n, offset);
  }
  count("write", began, result, file->path);
  if (fault.kill_after) control_die();
  pthread_mutex_unlock(&file->lock);
  return result;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct tracked *file = of(fd);
  if (!file) return REAL(write)(fd, bytes, length);
  struct iovec part = {(void *)bytes, length};
  return write_tracked(file, fd, &part, 1, -1);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
  struct tracked *file = of(fd);
  return file ? write_tracked(file, fd, parts, n, -1) : REAL(writev)(fd, parts, n);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  struct tracked *file = of(fd);
  if (!file) return REAL(pwrite64)(fd, bytes, length, offset);
  struct iovec part = {(void *)bytes, length};
  return write_tracked(file, fd, &part, 1, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t pwritev64(int fd, const struct iovec *parts, int n, off64_t offset) {
  struct tracked *file = of(fd);
  return file ? write_tracked(file, fd, parts, n, offset) : REAL(pwritev64)(fd, parts, n, offset);
}
ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t offset) { return pwritev64(fd, parts, n, offset); }

int ftruncate64(int fd, off64_t length) {
  struct tracked *file = of(fd);
  if (!file) return REAL(ftruncate64)(fd, length);
  pthread_mutex_lock(&file->lock);
  journal_truncate(file, fd, (uint64_t)length);
  int result = REAL(ftruncate64)(fd, length);
  pthread_mutex_unlock(&file->lock);
  return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int sync_tracked(struct tracked *file, int fd, int (*real)(int)) {
  pthread_mutex_lock(&file->lock);
  uint64_t began = now_ns();
  struct fault fault = control_next(OP_SYNC, file->path);
  int result = -1;
  if (fault.kill_before) control_die();
  if (fault.error) {
    journal_sync_failed(file);
    errno = fault.error;
  } else {
    result = real(fd);
    if (result == 0) journal_synced(file);
  }
  count("fsync", began, result, file->path);
  if (fault.kill_after) control_die();
  pthread_mutex_unlock(&file->lock);
  return result;
}

int fsync(int fd) {
  struct tracked *file = of(fd);
  return file ? sync_tracked(file, fd, REAL(fsync)) : REAL(fsync)(fd);
}
int fdatasync(int fd) {
  struct tracked *file = of(fd);
  return file ? sync_tracked(file, fd, REAL(fdatasync)) : REAL(fdatasync)(fd);
}

int unlink(const char *name) {
  char path[PATH_MAX];
  if (!root_length || !locate(AT_FDCWD, name, path) || !is_below(path)) return REAL(unlink)(name);
  ino_t kept = journal_keep(path);
  int result = REAL(unlink)(name);
  if (result == 0) journal_unlinked(kept, path);
  return result;
}

int rename(const char *from, const char *to) {
  char source[PATH_MAX], target[PATH_MAX];
  if (!root_length || !locate(AT_FDCWD, from, source) || !locate(AT_FDCWD, to, target) || !is_below(target))
    return REAL(rename)(from, to);
  ino_t replaced = journal_keep(target);
  int result = REAL(rename)(from, to);
  if (result == 0) journal_renamed(replaced, source, target);
  return result;
}
