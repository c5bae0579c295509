#ifndef CPAGEFILES_H
#define CPAGEFILES_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file of the map page; it lives as long as the program.
typedef struct {
    /// Folder and name: `shell/main.js`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} fencepost_page_file;

/// The file at a place in the list, `NULL` behind its end.
const fencepost_page_file *_Nullable fencepost_page_file_at(size_t place);

#pragma clang assume_nonnull end

#endif
