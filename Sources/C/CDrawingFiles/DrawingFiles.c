// The files of the map page that a report of scenarios contains. Reports need no other file of the page, so that programs
// with reports alone need none of its libraries.

#include "CDrawingFiles.h"

// #embed is part of C23; the package's other C files use an older standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style_tokens_css[] = {
#embed "../../FencepostPage/Web/style/tokens.css"
};
static const unsigned char drawing_state_colors_css[] = {
#embed "../../FencepostPage/Web/drawing/state-colors.css"
};
static const unsigned char drawing_lanes_css[] = {
#embed "../../FencepostPage/Web/drawing/lanes.css"
};
static const unsigned char drawing_linked_highlight_js[] = {
#embed "../../FencepostPage/Web/drawing/linked-highlight.js"
};
static const unsigned char drawing_outcomes_svg[] = {
#embed "../../FencepostPage/Web/drawing/outcomes.svg"
};

static const fencepost_drawing_file files[] = {
    {"style/tokens.css", style_tokens_css, sizeof style_tokens_css},
    {"drawing/state-colors.css", drawing_state_colors_css, sizeof drawing_state_colors_css},
    {"drawing/lanes.css", drawing_lanes_css, sizeof drawing_lanes_css},
    {"drawing/linked-highlight.js", drawing_linked_highlight_js, sizeof drawing_linked_highlight_js},
    {"drawing/outcomes.svg", drawing_outcomes_svg, sizeof drawing_outcomes_svg},
};

const fencepost_drawing_file *fencepost_drawing_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
