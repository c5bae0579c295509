// Linux headers that Swift's Glibc module leaves out.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// Arms a timer of the wall clock that never expires and that setting the clock cancels (timerfd_create(2)).
static inline int fencepost_clock_watch_arm(int descriptor) {
    struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

// Returns a descriptor, or -1.
static inline int fencepost_clock_watch_open(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor >= 0 && fencepost_clock_watch_arm(descriptor) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// Whether the clock was set since the call before.
static inline int fencepost_clock_watch_was_set(int descriptor) {
    uint64_t expirations;
    if (read(descriptor, &expirations, sizeof expirations) >= 0 || errno != ECANCELED) return 0;
    fencepost_clock_watch_arm(descriptor);
    return 1;
}
