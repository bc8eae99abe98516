/* The control file: which calls fail, are cut short, are delayed, or are the process's last. */
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_COUNT = -1, FILL_UP = -2 };

static struct {
  char match[256];
  int write_error; /* errno, SHORT_COUNT, FILL_UP, or 0 */
  int sync_error;
  long write_delay_ms;
  long sync_delay_ms;
  long skip;
  long times; /* -1: without end */
  char kill[32];
} orders;

static struct stat last_seen;
static bool was_there;
static long seen_calls[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int error_of(const char *name) {
  if (!strcmp(name, "EIO")) return EIO;
  if (!strcmp(name, "ENOSPC")) return ENOSPC;
  if (!strcmp(name, "EDQUOT")) return EDQUOT;
  if (!strcmp(name, "EROFS")) return EROFS;
  if (!strcmp(name, "short")) return SHORT_COUNT;
  if (!strcmp(name, "fill")) return FILL_UP;
  fault_fatal("unknown fault in the control file", name);
  return 0;
}

static void obey(char *line) {
  char *value = strchr(line, '=');
  if (!value) fault_fatal("a control line without '='", line);
  *value++ = 0;
  if (!strcmp(line, "match")) snprintf(orders.match, sizeof orders.match, "%s", value);
  else if (!strcmp(line, "write")) orders.write_error = error_of(value);
  else if (!strcmp(line, "fsync")) orders.sync_error = error_of(value);
  else if (!strcmp(line, "delay_write_ms")) orders.write_delay_ms = atol(value);
  else if (!strcmp(line, "delay_fsync_ms")) orders.sync_delay_ms = atol(value);
  else if (!strcmp(line, "skip")) orders.skip = atol(value);
  else if (!strcmp(line, "times")) orders.times = atol(value);
  else if (!strcmp(line, "kill")) snprintf(orders.kill, sizeof orders.kill, "%s", value);
  else fault_fatal("unknown key in the control file", line);
}

/* Reads the control file again when it is another one than last time. */
static void refresh(const char *path) {
  struct stat now;
  bool is_there = stat(path, &now) == 0;
  if (is_there == was_there &&
      (!is_there || (now.st_ino == last_seen.st_ino && now.st_size == last_seen.st_size &&
                     now.st_mtim.tv_sec == last_seen.st_mtim.tv_sec &&
                     now.st_mtim.tv_nsec == last_seen.st_mtim.tv_nsec)))
    return;
  was_there = is_there;
  memset(&orders, 0, sizeof orders);
  orders.times = -1;
  seen_calls[OP_WRITE] = seen_calls[OP_SYNC] = 0;
  if (!is_there) return;
  last_seen = now;
  char text[2048];
  int fd = REAL(open64)(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fault_fatal("cannot read the control file", path);
  ssize_t size = read(fd, text, sizeof text - 1);
  REAL(close)(fd);
  text[size > 0 ? size : 0] = 0;
  char *rest = text;
  for (char *line; (line = strsep(&rest, "\n"));)
    if (*line) obey(line);
}

static void sleep_ms(long ms) {
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000};
  while (ms > 0 && nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

void control_die(void) { kill(getpid(), SIGKILL), pause(); }

/* Part of the path, or, with a `$` behind it, its end. */
static bool matches(const char *path, const char *match) {
  size_t length = strlen(match), whole = strlen(path);
  if (length == 0) return true;
  if (match[length - 1] != '$') return strstr(path, match) != NULL;
  length -= 1;
  return whole >= length && strncmp(path + whole - length, match, length) == 0;
}

struct fault control_next(enum op op, const char *path) {
  struct fault fault = {0};
  const char *control = getenv("FAULT_CONTROL");
  if (!control) return fault;
  pthread_mutex_lock(&lock);
  refresh(control);
  bool concerns = matches(path, orders.match);
  long delay = 0;
  if (concerns) {
    long nth = seen_calls[op]++ - orders.skip;
    bool due = nth >= 0 && (orders.times < 0 || nth < orders.times);
    int error = op == OP_WRITE ? orders.write_error : orders.sync_error;
    delay = op == OP_WRITE ? orders.write_delay_ms : orders.sync_delay_ms;
    if (due) {
      if (error == FILL_UP) error = nth == 0 ? SHORT_COUNT : ENOSPC;
      fault.shorten = error == SHORT_COUNT;
      fault.error = error > 0 ? error : 0;
      fault.kill_before = !strcmp(orders.kill, op == OP_WRITE ? "before-write" : "before-fsync");
      fault.kill_after = !strcmp(orders.kill, op == OP_WRITE ? "after-write" : "after-fsync");
    }
  }
  pthread_mutex_unlock(&lock);
  sleep_ms(delay);
  return fault;
}
