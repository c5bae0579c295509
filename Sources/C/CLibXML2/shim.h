#include <libxml/xmlversion.h>
// Debian's libxml2 is built with ICU, whose headers collide with those of the ICU inside Foundation. Nothing that is
// used here has ICU's types in it: without this only a private struct of encoding.h looks shorter than it is.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
