/* Undo records: what each file below FAULT_DIR was before the writes that no sync has made durable yet. */
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Little-endian, followed by `length` bytes. Read by drop-unsynced.ts. */
struct record {
  uint32_t magic;
  uint32_t kind;
  uint64_t offset;
  uint64_t previous_size;
  uint64_t span;   /* bytes that the write covers */
  uint64_t length; /* previous bytes that follow: less than `span` where the file ended */
};
enum { MAGIC = 0x4f444e55 }; /* "UNDO" */
enum { KIND_WRITE = 1, KIND_TRUNCATE = 2, KIND_SYNC_FAILED = 3, KIND_SYNCED = 4 };

static char folder[PATH_MAX];
static int names = -1;

static int open_for_append(const char *path) {
  int fd = REAL(open64)(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) fault_fatal("cannot open the journal", path);
  return fd;
}

void journal_start(const char *directory) {
  snprintf(folder, sizeof folder, "%s", directory);
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/names", folder);
  names = open_for_append(path);
}

static void append(struct tracked *file, const struct record *head, const void *bytes) {
  struct iovec parts[2] = {{(void *)head, sizeof *head}, {(void *)bytes, head->length}};
  ssize_t want = (ssize_t)(sizeof *head + head->length);
  if (REAL(writev)(file->journal, parts, head->length ? 2 : 1) != want) fault_fatal("cannot write the journal of", file->path);
}

/* Whether an earlier opener of this file, maybe a process that is gone, left lost records. */
static bool holds_failed_sync(int journal) {
  struct record head;
  for (off_t at = 0; pread(journal, &head, sizeof head, at) == (ssize_t)sizeof head && head.magic == MAGIC;) {
    if (head.kind == KIND_SYNC_FAILED) return true;
    at += (off_t)(sizeof head + head.length);
  }
  return false;
}

static bool is_journalled(struct tracked *file) {
  if (names < 0 || file->is_scratch || file->is_dir) return false;
  if (file->journal < 0) {
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/file-%lu", folder, (unsigned long)file->ino);
    file->journal = open_for_append(path);
    file->sync_failed = holds_failed_sync(file->journal);
  }
  return true;
}

/* Appends what lies at [offset, offset + span) now. */
static void remember(struct tracked *file, int fd, uint32_t kind, uint64_t offset, uint64_t span) {
  struct stat now;
  if (fstat(fd, &now) != 0) fault_fatal("cannot stat", file->path);
  uint64_t size = (uint64_t)now.st_size;
  uint64_t length = offset >= size ? 0 : (span < size - offset ? span : size - offset);
  char *bytes = length ? malloc(length) : NULL;
  for (uint64_t done = 0; done < length;) {
    ssize_t got = pread(fd, bytes + done, length - done, (off_t)(offset + done));
    if (got <= 0) fault_fatal("cannot read before writing", file->path);
    done += (uint64_t)got;
  }
  struct record head = {MAGIC, kind, offset, size, span, length};
  append(file, &head, bytes);
  free(bytes);
}

void journal_write(struct tracked *file, int fd, uint64_t offset, uint64_t length) {
  if (is_journalled(file)) remember(file, fd, KIND_WRITE, offset, length);
}

void journal_truncate(struct tracked *file, int fd, uint64_t length) {
  if (!is_journalled(file)) return;
  struct stat now;
  if (fstat(fd, &now) != 0) fault_fatal("cannot stat", file->path);
  uint64_t size = (uint64_t)now.st_size;
  remember(file, fd, KIND_TRUNCATE, length, size > length ? size - length : 0);
}

static void note(const char *line, size_t length) {
  if (REAL(write)(names, line, length) != (ssize_t)length) fault_fatal("cannot write the journal", folder);
}

#define NOTE(...)                                                 \
  do {                                                            \
    char line_[2 * PATH_MAX + 64];                                \
    note(line_, (size_t)snprintf(line_, sizeof line_, __VA_ARGS__)); \
  } while (0)

void journal_synced(struct tracked *file) {
  if (names < 0 || file->is_scratch) return;
  if (file->is_dir) {
    NOTE("D %s\n", file->path);
    return;
  }
  if (file->entry_unsynced) {
    NOTE("S %lu\n", (unsigned long)file->ino);
    file->entry_unsynced = false;
  }
  if (!is_journalled(file)) return;
  if (file->sync_failed) {
    struct record head = {MAGIC, KIND_SYNCED, 0, 0, 0, 0};
    append(file, &head, NULL);
  } else if (REAL(ftruncate64)(file->journal, 0) != 0) {
    fault_fatal("cannot clear the journal of", file->path);
  }
}

void journal_sync_failed(struct tracked *file) {
  if (!is_journalled(file)) return;
  struct record head = {MAGIC, KIND_SYNC_FAILED, 0, 0, 0, 0};
  append(file, &head, NULL);
  file->sync_failed = true;
}

void journal_forget(struct tracked *file) {
  if (file->journal >= 0) REAL(close)(file->journal);
}

void journal_created(ino_t ino, const char *path) {
  if (names < 0) return;
  /* Records of an earlier file with this number, deleted while the shim was not loaded. */
  char stale[PATH_MAX + 32];
  snprintf(stale, sizeof stale, "%s/file-%lu", folder, (unsigned long)ino);
  REAL(unlink)(stale);
  NOTE("C %lu %s\n", (unsigned long)ino, path);
}

ino_t journal_keep(const char *path) {
  struct stat now;
  if (names < 0 || lstat(path, &now) != 0 || !S_ISREG(now.st_mode)) return 0;
  char kept[PATH_MAX + 32];
  snprintf(kept, sizeof kept, "%s/kept-%lu", folder, (unsigned long)now.st_ino);
  if (link(path, kept) != 0 && errno != EEXIST) fault_fatal("cannot keep (is FAULT_JOURNAL on the same disk?)", path);
  return now.st_ino;
}

void journal_unlinked(ino_t ino, const char *path) {
  if (ino != 0) NOTE("U %lu %s\n", (unsigned long)ino, path);
}

void journal_renamed(ino_t replaced, const char *from, const char *to) {
  if (names >= 0) NOTE("R %lu %s\t%s\n", (unsigned long)replaced, from, to);
}
