#include "CWorkJournal.h"

#include <signal.h>

enum { MAXIMUM_LISTS = 64 };

static struct {
  struct fencepost_mark *marks;
  size_t count;
} lists[MAXIMUM_LISTS];
static atomic_size_t list_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };
static struct sigaction former[SIGNAL_COUNT];

void fencepost_marks_fault(struct fencepost_mark *marks, size_t count) {
  uint64_t thread = (uint64_t)pthread_self();
  for (size_t index = 0; index < count; index++)
    if (marks[index].work != 0 && marks[index].thread == thread) marks[index].faulted = 1;
}

// Only stores, and calls that are safe in a handler.
static void note(int number, siginfo_t *info, void *context) {
  (void)context;
  size_t count = atomic_load(&list_count);
  for (size_t list = 0; list < count; list++) fencepost_marks_fault(lists[list].marks, lists[list].count);
  // The instruction runs again when this returns, and has the former handler then.
  for (size_t index = 0; index < SIGNAL_COUNT; index++)
    if (signals[index] == number) sigaction(number, &former[index], NULL);
  // A signal that was sent does not come again, and the instruction after a breakpoint is not the one that failed.
  if (info->si_code <= 0 || number == SIGTRAP) raise(number);
}

void fencepost_marks_watch(struct fencepost_mark *marks, size_t count) {
  pthread_mutex_lock(&adding);
  size_t next = atomic_load(&list_count);
  if (next < MAXIMUM_LISTS) {
    lists[next].marks = marks;
    lists[next].count = count;
    atomic_store(&list_count, next + 1);
  }
  if (next == 0)
    for (size_t index = 0; index < SIGNAL_COUNT; index++) {
      struct sigaction action = {0};
      action.sa_sigaction = note;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      sigaction(signals[index], &action, &former[index]);
    }
  pthread_mutex_unlock(&adding);
}
