// An SQLite VFS that asks the caller before each operation on a file and reports what was written. For tests only.
#ifndef FENCEPOST_SIMULATED_DISK_H
#define FENCEPOST_SIMULATED_DISK_H

#include <stdint.h>

enum fencepost_disk_operation {
  FENCEPOST_DISK_OPEN = 0,
  FENCEPOST_DISK_READ = 1,
  FENCEPOST_DISK_WRITE = 2,
  FENCEPOST_DISK_SYNC = 3,
  FENCEPOST_DISK_TRUNCATE = 4,
  FENCEPOST_DISK_DELETE = 5,
};

// Called before an operation. Returns 0 to perform it, else the SQLite result code that the operation fails with.
typedef int (*fencepost_disk_before)(int operation, const char *path, int64_t offset, int64_t size);

// Called after an operation that succeeded, with the bytes of a write.
typedef void (*fencepost_disk_after)(int operation, const char *path, int64_t offset, int64_t size, const void *bytes);

// Makes the VFS the default one of this process, on top of the one that was. Later calls only replace the functions.
// Waits of busy handlers return at once, and random bytes follow from the seed. Returns an SQLite result code.
int fencepost_disk_install(fencepost_disk_before before, fencepost_disk_after after);

// Seeds the random bytes that SQLite asks the VFS for, and starts SQLite's own generator again.
void fencepost_disk_seed(uint64_t seed);

// Lets the allocation with this number fail, counted from 1 and from now; 0 for none. With `from_then_on`, all later ones
// too.
void fencepost_memory_fail(int64_t number, int from_then_on);

// Allocations since `fencepost_memory_fail` was called.
int64_t fencepost_memory_count(void);

#endif
