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

// The text of the first column of a row's primary key; NULL for none.
static const char *key_of(sqlite3_changeset_iter *change, int operation) {
  unsigned char *is_key;
  int columns;
  if (sqlite3changeset_pk(change, &is_key, &columns) != SQLITE_OK) return NULL;
  for (int column = 0; column < columns; column++) {
    if (!is_key[column]) continue;
    sqlite3_value *value = NULL;
    int status = operation == SQLITE_INSERT ? sqlite3changeset_new(change, column, &value)
                                            : sqlite3changeset_old(change, column, &value);
    if (status != SQLITE_OK || !value || sqlite3_value_type(value) != SQLITE_TEXT) return NULL;
    return (const char *)sqlite3_value_text(value);
  }
  return NULL;
}

int fencepost_session_rows(int size, void *bytes, void *context,
                           void (*each)(void *context, const char *table, const char *key)) {
  sqlite3_changeset_iter *change = NULL;
  int status = sqlite3changeset_start(&change, size, bytes);
  if (status != SQLITE_OK) return status;
  while (sqlite3changeset_next(change) == SQLITE_ROW) {
    const char *table;
    int columns, operation, is_indirect;
    status = sqlite3changeset_op(change, &table, &columns, &operation, &is_indirect);
    if (status != SQLITE_OK) break;
    each(context, table, key_of(change, operation));
  }
  int end = sqlite3changeset_finalize(change);
  return status == SQLITE_OK ? end : status;
}
