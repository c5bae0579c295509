#include <mosquitto.h>

// Declared here, because Swift's module of glibc has no extensions of GNU.
int memfd_create(const char *name, unsigned int flags);
enum { closes_on_exec = 1 };
