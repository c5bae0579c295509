#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include "CSQLiteSession.h"

#include <sqlite3.h>
#include <string.h>

static int is_recorded(void *context, const char *table) {
  (void)context;
  return strcmp(table, FENCEPOST_SESSION_OMITTED) != 0;
}

int fencepost_session_create(void *database, void **session) {
  return sqlite3session_create((sqlite3 *)database, "main", (sqlite3_session **)session);
}

int fencepost_session_record(void *session) {
  sqlite3session_table_filter((sqlite3_session *)session, is_recorded, NULL);
  return sqlite3session_attach((sqlite3_session *)session, NULL);
}

int fencepost_session_changes(void *session, int *size, void **bytes) {
  return sqlite3session_patchset((sqlite3_session *)session, size, bytes);
}

void fencepost_session_delete(void *session) { sqlite3session_delete((sqlite3_session *)session); }

void fencepost_session_free(void *bytes) { sqlite3_free(bytes); }

static int on_conflict(void *context, int kind, sqlite3_changeset_iter *change) {
  (void)change;
  *(int *)context = kind;
  return SQLITE_CHANGESET_ABORT;
}

int fencepost_session_apply(void *database, int size, void *bytes, int *conflict) {
  *conflict = 0;
  return sqlite3changeset_apply((sqlite3 *)database, size, bytes, NULL, on_conflict, conflict);
}
