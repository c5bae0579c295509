#ifndef CPAGEFILES_H
#define CPAGEFILES_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// An embedded file of the map page, in static memory.
typedef struct {
    /// The path below `Web/`, such as `shell/main.js`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} fencepost_page_file;

/// Returns the file at an index of the list, or `NULL` if the index is not in the list.
const fencepost_page_file *_Nullable fencepost_page_file_at(size_t index);

#pragma clang assume_nonnull end

#endif
