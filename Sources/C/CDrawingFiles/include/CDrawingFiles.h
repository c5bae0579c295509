#ifndef CDRAWINGFILES_H
#define CDRAWINGFILES_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file of the map page that reports of scenarios contain too, in static memory.
typedef struct {
    /// The path below `Web/`, such as `drawing/lanes.css`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} fencepost_drawing_file;

/// Returns the file at an index of the list, or `NULL` if the index is not in the list.
const fencepost_drawing_file *_Nullable fencepost_drawing_file_at(size_t index);

#pragma clang assume_nonnull end

#endif
