// Marks of the work that is under way, in memory that outlives the process.
#ifndef FENCEPOST_WORK_JOURNAL_H
#define FENCEPOST_WORK_JOURNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FENCEPOST_MARK_TEXT 1000

// One piece of work that is under way. Its size is 1024.
struct fencepost_mark {
  // The kind of work, or 0 for none.
  uint32_t work;
  // Whether a fault ended the process in the thread that did the work.
  uint32_t faulted;
  uint64_t thread;
  uint32_t length;
  uint32_t unused;
  char text[FENCEPOST_MARK_TEXT];
};

// Marks that work begins. The compiler must not move the stores behind the work, so there is a fence.
static inline void fencepost_mark_begin(struct fencepost_mark *mark, uint32_t work, const char *text, size_t length) {
  if (length > FENCEPOST_MARK_TEXT) length = FENCEPOST_MARK_TEXT;
  mark->work = 0;
  atomic_signal_fence(memory_order_seq_cst);
  mark->thread = (uint64_t)pthread_self();
  mark->faulted = 0;
  mark->length = (uint32_t)length;
  memcpy(mark->text, text, length);
  atomic_signal_fence(memory_order_seq_cst);
  mark->work = work;
  atomic_signal_fence(memory_order_seq_cst);
}

// Marks that work has ended.
static inline void fencepost_mark_end(struct fencepost_mark *mark) {
  atomic_signal_fence(memory_order_seq_cst);
  mark->work = 0;
  atomic_signal_fence(memory_order_seq_cst);
}

// Notes a fault of this thread in its marks.
void fencepost_marks_fault(struct fencepost_mark *marks, size_t count);

// Notes a fault of the process (a trap, an invalid access, an abort) in the mark of the thread that has it, and then does what
// was done with it before. At most 64 lists are watched, each as long as the process runs.
void fencepost_marks_watch(struct fencepost_mark *marks, size_t count);

#endif
