/*
 * Moves the wall clock of a process (LD_PRELOAD): CLOCK_OFFSET_FILE holds a signed 64-bit number of nanoseconds, in the
 * machine's byte order, that is added to the real time from the moment it is written. Monotonic clocks go on as they are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000 };

static const volatile int64_t *offset;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
  real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("CLOCK_OFFSET_FILE");
  if (!path || !*path) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *shared = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) {
    dprintf(2, "clock shim: cannot read %s\n", path);
    _exit(97);
  }
  close(file);
  offset = shared;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real_clock_gettime) start();
  int result = real_clock_gettime(clock, now);
  if (result != 0 || !offset || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t nanoseconds = (int64_t)now->tv_sec * SECOND + now->tv_nsec + *offset;
  now->tv_sec = nanoseconds / SECOND;
  now->tv_nsec = nanoseconds % SECOND;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
