// Asks the processor to load the cache line with an address, which may be invalid. It changes no result.
static inline void fencepost_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }
