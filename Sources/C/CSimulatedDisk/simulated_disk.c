// The VFS wraps the default one: locks and shared memory are those of the real files, everything else is asked for first.
#include "simulated_disk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

typedef struct {
  sqlite3_file base;
  // Valid until the file is closed, as SQLite promises; null for temporary files.
  const char *path;
  // Behind this structure, in the same allocation.
  sqlite3_file *real;
} disk_file;

static sqlite3_vfs *real_vfs;
static fencepost_disk_before ask;
static fencepost_disk_after report;
static _Atomic uint64_t random_state = 1;

static sqlite3_file *real_of(sqlite3_file *file) { return ((disk_file *)file)->real; }
static const char *path_of(sqlite3_file *file) { return ((disk_file *)file)->path; }

static int before(int operation, const char *path, int64_t offset, int64_t size) {
  return path ? ask(operation, path, offset, size) : SQLITE_OK;
}

static void after(int operation, const char *path, int64_t offset, int64_t size, const void *bytes) {
  if (path) report(operation, path, offset, size, bytes);
}

// MARK: Files

static int disk_close(sqlite3_file *file) {
  sqlite3_file *real = real_of(file);
  return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}

static int disk_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset) {
  int code = before(FENCEPOST_DISK_READ, path_of(file), offset, size);
  if (code) return code;
  return real_of(file)->pMethods->xRead(real_of(file), bytes, size, offset);
}

static int disk_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset) {
  int code = before(FENCEPOST_DISK_WRITE, path_of(file), offset, size);
  if (code) return code;
  code = real_of(file)->pMethods->xWrite(real_of(file), bytes, size, offset);
  if (code == SQLITE_OK) after(FENCEPOST_DISK_WRITE, path_of(file), offset, size, bytes);
  return code;
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = before(FENCEPOST_DISK_TRUNCATE, path_of(file), size, 0);
  if (code) return code;
  code = real_of(file)->pMethods->xTruncate(real_of(file), size);
  if (code == SQLITE_OK) after(FENCEPOST_DISK_TRUNCATE, path_of(file), size, 0, NULL);
  return code;
}

// The real files need no sync: what survives a power loss is computed from the reports.
static int disk_sync(sqlite3_file *file, int flags) {
  (void)flags;
  int code = before(FENCEPOST_DISK_SYNC, path_of(file), 0, 0);
  if (code) return code;
  after(FENCEPOST_DISK_SYNC, path_of(file), 0, 0, NULL);
  return SQLITE_OK;
}

static int disk_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int disk_lock(sqlite3_file *file, int level) { return real_of(file)->pMethods->xLock(real_of(file), level); }
static int disk_unlock(sqlite3_file *file, int level) {
  return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int disk_check_lock(sqlite3_file *file, int *result) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}
static int disk_control(sqlite3_file *file, int operation, void *argument) {
  return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}
static int disk_sector_size(sqlite3_file *file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
static int disk_characteristics(sqlite3_file *file) {
  return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
static int disk_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, memory);
}
static int disk_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
static void disk_shm_barrier(sqlite3_file *file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
static int disk_shm_unmap(sqlite3_file *file, int removes) {
  return real_of(file)->pMethods->xShmUnmap(real_of(file), removes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_check_lock,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector_size,
    .xDeviceCharacteristics = disk_characteristics,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

// MARK: The file system

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *actual) {
  (void)vfs;
  disk_file *opened = (disk_file *)file;
  memset(opened, 0, sizeof *opened);
  int code = before(FENCEPOST_DISK_OPEN, path, 0, flags);
  if (code) return code;
  opened->path = path;
  opened->real = (sqlite3_file *)(opened + 1);
  code = real_vfs->xOpen(real_vfs, path, opened->real, flags, actual);
  if (code == SQLITE_OK) {
    opened->base.pMethods = &methods;
    after(FENCEPOST_DISK_OPEN, path, 0, flags, NULL);
  }
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  int code = before(FENCEPOST_DISK_DELETE, path, 0, syncs);
  if (code) return code;
  code = real_vfs->xDelete(real_vfs, path, syncs);
  if (code == SQLITE_OK) after(FENCEPOST_DISK_DELETE, path, 0, syncs, NULL);
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs;
  return real_vfs->xAccess(real_vfs, path, flags, result);
}
static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  (void)vfs;
  return real_vfs->xFullPathname(real_vfs, path, size, full);
}
static int vfs_randomness(sqlite3_vfs *vfs, int size, char *bytes) {
  (void)vfs;
  for (int index = 0; index < size; index++) {
    uint64_t next = atomic_fetch_add(&random_state, 0x9e3779b97f4a7c15u);
    next = (next ^ (next >> 30)) * 0xbf58476d1ce4e5b9u;
    next = (next ^ (next >> 27)) * 0x94d049bb133111ebu;
    bytes[index] = (char)(next >> 56);
  }
  return size;
}
// Time is simulated: a busy handler counts its waits and gives up after the same number.
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}
static int vfs_last_error(sqlite3_vfs *vfs, int size, char *message) {
  (void)vfs;
  return real_vfs->xGetLastError ? real_vfs->xGetLastError(real_vfs, size, message) : 0;
}
static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  (void)vfs;
  return real_vfs->xCurrentTimeInt64(real_vfs, time);
}

static sqlite3_vfs simulated = {
    .iVersion = 2,
    .zName = "fencepost-simulated",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_time,
};

static int install_code;

static void install(void) {
  install_code = sqlite3_initialize();
  if (install_code) return;
  real_vfs = sqlite3_vfs_find(NULL);
  if (!real_vfs || real_vfs->iVersion < 2) {
    install_code = SQLITE_ERROR;
    return;
  }
  simulated.mxPathname = real_vfs->mxPathname;
  simulated.szOsFile = (int)sizeof(disk_file) + real_vfs->szOsFile;
  install_code = sqlite3_vfs_register(&simulated, 1);
}

int fencepost_disk_install(fencepost_disk_before before_operation, fencepost_disk_after after_operation) {
  // All callers give the same functions. A second installation would wrap the simulated disk in itself.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ask = before_operation;
  report = after_operation;
  pthread_once(&once, install);
  return install_code;
}

void fencepost_disk_seed(uint64_t seed) {
  atomic_store(&random_state, seed);
  // Asks xRandomness again.
  sqlite3_randomness(0, NULL);
}

// MARK: Memory

static sqlite3_mem_methods real_memory;
static _Atomic int64_t memory_count;
static _Atomic int64_t failing_number;
static _Atomic int fails_from_then_on;

static int fails_now(void) {
  int64_t count = atomic_fetch_add(&memory_count, 1) + 1;
  int64_t number = atomic_load(&failing_number);
  return number > 0 && (count == number || (count > number && atomic_load(&fails_from_then_on)));
}

static void *memory_allocate(int size) { return fails_now() ? NULL : real_memory.xMalloc(size); }
static void *memory_reallocate(void *memory, int size) {
  return fails_now() ? NULL : real_memory.xRealloc(memory, size);
}

// At the load of the program: SQLite takes other memory functions only before its first use.
__attribute__((constructor)) static void wrap_memory(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) != SQLITE_OK) return;
  sqlite3_mem_methods wrapped = real_memory;
  wrapped.xMalloc = memory_allocate;
  wrapped.xRealloc = memory_reallocate;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &wrapped);
}

void fencepost_memory_fail(int64_t number, int from_then_on) {
  atomic_store(&memory_count, 0);
  atomic_store(&fails_from_then_on, from_then_on);
  atomic_store(&failing_number, number);
}

int64_t fencepost_memory_count(void) { return atomic_load(&memory_count); }
