// A connection to Redis: hiredis writes and reads the protocol, and this file does the input and output, since hiredis 0.14 has no
// TLS. The library is loaded at the first use.
#ifndef FENCEPOST_HIREDIS_H
#define FENCEPOST_HIREDIS_H

#include <stddef.h>

// The Debian package of the library.
extern const char *const redis_link_package;

// Loads the library. Returns NULL, or the text of the loader.
const char *redis_link_load(void);

enum redis_link_status {
  redis_link_ok,
  // The server has answered with an error; the text is its own.
  redis_link_error,
  redis_link_connect,
  redis_link_tls,
  redis_link_timeout,
  redis_link_lost
};

struct redis_link;

// Connects to an IP address. `tls_name` is the name in the certificate, or NULL for no TLS; `authorities` is a PEM file that is
// trusted besides the system's, or NULL. The text says what failed.
enum redis_link_status redis_link_open(struct redis_link **link, const char *address, int port, const char *tls_name,
                                       const char *authorities, int milliseconds, char *text, size_t size);

// Sends a command and waits for its answer, whose first 255 bytes are in the text.
enum redis_link_status redis_link_command(struct redis_link *link, int count, const char *const *words,
                                          const size_t *lengths, int milliseconds, char *text, size_t size);

// Closes the connection.
void redis_link_close(struct redis_link *link);

#endif
