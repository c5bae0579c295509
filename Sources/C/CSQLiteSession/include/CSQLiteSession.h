// The session extension of SQLite, which records what a transaction changes. Connections and sessions are untyped, since
// the module of SQLite that the store uses is another one.
#ifndef FENCEPOST_SQLITE_SESSION_H
#define FENCEPOST_SQLITE_SESSION_H

// The table that no session records: each copy of a database has its own row in it.
#define FENCEPOST_SESSION_OMITTED "replica"

// Creates a session of the main database that records nothing yet. Returns an SQLite result code.
int fencepost_session_create(void *database, void **session);

// Records changes of all tables from now on. Returns an SQLite result code.
int fencepost_session_record(void *session);

// What was recorded, to be freed with fencepost_session_free. Returns an SQLite result code.
int fencepost_session_changes(void *session, int *size, void **bytes);

// Ends a session.
void fencepost_session_delete(void *session);

// Frees bytes of fencepost_session_changes.
void fencepost_session_free(void *bytes);

// Applies changes to the main database, in the transaction of the caller. A change that does not fit what is stored ends
// it with SQLITE_ABORT; `conflict` is its kind then, else 0. Returns an SQLite result code.
int fencepost_session_apply(void *database, int size, void *bytes, int *conflict);

// Calls `each` for every row that the changes insert, change or delete, with its table and the text of the first column of
// its primary key, NULL where that is no text. Returns an SQLite result code.
int fencepost_session_rows(int size, void *bytes, void *context,
                           void (*each)(void *context, const char *table, const char *key));

#endif
