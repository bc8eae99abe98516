/*
 * What the three parts of the shim share. See README.md for the environment and the file formats.
 *
 * A file is tracked from the moment that it is opened below FAULT_DIR until its last descriptor is closed;
 * its lock is held over each write, truncation and sync, so that journal and file never disagree.
 */
#ifndef FAULT_H
#define FAULT_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracked {
  ino_t ino;
  dev_t dev;
  char *path;
  int refs;
  int journal;         /* descriptor of its undo records, or -1 while it has none */
  bool is_dir;
  bool is_scratch;     /* rebuilt after a crash (SQLite's -shm): not journalled */
  bool entry_unsynced; /* its name may not be durable yet */
  bool sync_failed;    /* an injected sync failure left lost records in the journal */
  pthread_mutex_t lock;
  struct tracked *next;
};

/* The libc function behind one that this library replaces. */
#define REAL(name)                                                  \
  __extension__({                                                   \
    static __typeof__(&name) real_;                                 \
    if (!real_) real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    real_;                                                          \
  })

enum op { OP_WRITE, OP_SYNC };

/* What to do to one call, as the control file says now. */
struct fault {
  int error;    /* errno to fail with, or 0 */
  bool shorten; /* write half of the bytes */
  bool kill_before;
  bool kill_after;
};

/* control.c: takes effect (delays) and counts the call. */
struct fault control_next(enum op op, const char *path);
void control_die(void);

/* journal.c: all but the last two expect the file's lock to be held. */
void journal_start(const char *directory);
void journal_write(struct tracked *file, int fd, uint64_t offset, uint64_t length);
void journal_truncate(struct tracked *file, int fd, uint64_t length);
void journal_synced(struct tracked *file);
void journal_sync_failed(struct tracked *file);
void journal_forget(struct tracked *file);
void journal_created(ino_t ino, const char *path);
/* Keeps what `path` names now, because it is about to be unlinked or replaced. */
ino_t journal_keep(const char *path);
void journal_unlinked(ino_t ino, const char *path);
void journal_renamed(ino_t replaced, const char *from, const char *to);

/* Ends the process: the run would show nothing. */
void fault_fatal(const char *what, const char *path);

#endif
