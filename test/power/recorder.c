/*
 * Records what a process does to the files below POWER_FOLDER, for a simulation of power loss: loaded before libc (LD_PRELOAD), it
 * executes each operation and appends it to the file POWER_LOG, under one lock, so that the log has the order of execution.
 * A record is `struct record`, then its first text or data, then its second text. See log.ts, which reads them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, MAKE_FOLDER, RENAME, REMOVE, LINK, UNKNOWN };

struct record {
  uint32_t kind, first, second, unused;
  uint64_t inode, offset;
};

#define FILES 65536
/* The inode for which a descriptor was opened; 0 if it is not recorded. */
static uint64_t watched[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;
static char folder[PATH_MAX];
static size_t folder_length;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void append(uint32_t kind, uint64_t inode, uint64_t offset, const void *first, size_t n, const char *second) {
  struct record record = {kind, n, second ? strlen(second) : 0, 0, inode, offset};
  struct iovec parts[3] = {{&record, sizeof record}, {(void *)first, n}, {(void *)second, record.second}};
  ssize_t all = sizeof record + n + record.second;
  /* A log with a gap would prove nothing. */
  if (REAL(writev)(out, parts, 3) != all) abort();
}

__attribute__((constructor)) static void begin(void) {
  const char *log = getenv("POWER_LOG"), *below = getenv("POWER_FOLDER");
  if (!log || !below) return;
  strncpy(folder, below, sizeof folder - 1);
  folder_length = strlen(folder);
  out = REAL(open64)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* The path below the folder, or NULL if the file is elsewhere. SQLite's index of the log is excluded: it is rebuilt after a crash. */
static const char *inside(const char *path) {
  static __thread char whole[PATH_MAX * 2];
  size_t length;
  if (out < 0 || !path) return NULL;
  if (path[0] != '/') {
    if (!getcwd(whole, PATH_MAX)) return NULL;
    strcat(whole, "/");
    strncat(whole, path, PATH_MAX - 2);
    path = whole;
  }
  if (strncmp(path, folder, folder_length) != 0 || (path[folder_length] != '/' && path[folder_length] != 0)) return NULL;
  path += folder_length;
  length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return NULL;
  return path;
}

static struct stat64 state_of(int fd) {
  struct stat64 state = {0};
  fstat64(fd, &state);
  return state;
}
/* A descriptor that was closed without our notice may be a socket by now. */
static int is_watched(int fd) { return out >= 0 && fd >= 0 && fd < FILES && watched[fd] && watched[fd] == state_of(fd).st_ino; }

static int note_open(const char *path, int flags, mode_t mode) {
  const char *name = inside(path);
  char kept[PATH_MAX];
  struct stat64 state;
  int was, fd;
  if (!name) {
    fd = REAL(open64)(path, flags, mode);
    if (fd >= 0 && fd < FILES) watched[fd] = 0;
    return fd;
  }
  strncpy(kept, name, sizeof kept - 1);
  kept[sizeof kept - 1] = 0;
  pthread_mutex_lock(&lock);
  was = stat64(path, &state) == 0;
  fd = REAL(open64)(path, flags, mode);
  if (fd >= 0) {
    state = state_of(fd);
    if (fd < FILES) watched[fd] = state.st_ino;
    if (!was) append(CREATE, state.st_ino, 0, kept, strlen(kept), NULL);
    else if (flags & O_TRUNC) append(TRUNCATE, state.st_ino, 0, NULL, 0, NULL);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(name)                                   \
  int name(const char *path, int flags, ...) {       \
    mode_t mode = 0;                                 \
    if (flags & (O_CREAT | O_TMPFILE)) {             \
      va_list rest;                                  \
      va_start(rest, flags);                         \
      mode = va_arg(rest, mode_t);                   \
      va_end(rest);                                  \
    }                                                \
    return note_open(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (fd >= 0 && fd < FILES) watched[fd] = 0;
  return REAL(close)(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset) {
  ssize_t done;
  if (!is_watched(fd)) return REAL(pwrite64)(fd, data, count, offset);
  pthread_mutex_lock(&lock);
  done = REAL(pwrite64)(fd, data, count, offset);
  if (done > 0) append(WRITE, state_of(fd).st_ino, offset, data, done, NULL);
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t write(int fd, const void *data, size_t count) {
  ssize_t done;
  off64_t end;
  if (!is_watched(fd)) return REAL(write)(fd, data, count);
  pthread_mutex_lock(&lock);
  done = REAL(write)(fd, data, count);
  end = lseek64(fd, 0, SEEK_CUR);
  if (done > 0) append(WRITE, state_of(fd).st_ino, end - done, data, done, NULL);
  pthread_mutex_unlock(&lock);
  return done;
}

#define WHOLE_FILE(type, name, parameters, arguments, kind, offset) \
  type name parameters {                                            \
    type done;                                                      \
    if (!is_watched(fd)) return REAL(name) arguments;               \
    pthread_mutex_lock(&lock);                                      \
    done = REAL(name) arguments;                                    \
    if (done == 0) append(kind, state_of(fd).st_ino, offset, NULL, 0, NULL); \
    pthread_mutex_unlock(&lock);                                    \
    return done;                                                    \
  }
WHOLE_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size), TRUNCATE, size)
WHOLE_FILE(int, fsync, (int fd), (fd), SYNC, 0)
WHOLE_FILE(int, fdatasync, (int fd), (fd), SYNC, 0)

#define NAMES(name, parameters, arguments, path, kind, first_text, second_text) \
  int name parameters {                                                 \
    char kept[PATH_MAX] = "", other[PATH_MAX] = "";                     \
    const char *found = inside(path);                                   \
    struct stat64 state = {0};                                          \
    int done;                                                           \
    if (!found) return REAL(name) arguments;                            \
    strncpy(kept, found, sizeof kept - 1);                              \
    if ((found = inside(second_text))) strncpy(other, found, sizeof other - 1); \
    pthread_mutex_lock(&lock);                                          \
    done = REAL(name) arguments;                                        \
    if (done == 0 && kind == MAKE_FOLDER) stat64(path, &state);         \
    if (done == 0) append(kind, state.st_ino, 0, kept, strlen(kept), other[0] ? other : NULL); \
    pthread_mutex_unlock(&lock);                                        \
    return done;                                                        \
  }
NAMES(mkdir, (const char *path, mode_t mode), (path, mode), path, MAKE_FOLDER, path, NULL)
NAMES(unlink, (const char *path), (path), path, REMOVE, path, NULL)
NAMES(rmdir, (const char *path), (path), path, REMOVE, path, NULL)
NAMES(rename, (const char *from, const char *to), (from, to), from, RENAME, from, to)
NAMES(link, (const char *from, const char *to), (from, to), from, LINK, from, to)

/* Calls that change files and that nothing under test uses yet. They are recorded as unknown, which makes the log unusable. */
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
  if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && is_watched(fd)) append(UNKNOWN, 0, 0, "mmap", 4, NULL);
  return REAL(mmap64)(at, size, protection, flags, fd, offset);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  if (is_watched(to)) append(UNKNOWN, 0, 0, "sendfile", 8, NULL);
  return REAL(sendfile64)(to, from, offset, count);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (is_watched(fd)) append(UNKNOWN, 0, 0, "writev", 6, NULL);
  return REAL(writev)(fd, parts, count);
}
