// Filled by the module's first type.
