// Regions to the service and back, guarded against changes in between.

import { part, request } from "../core/api.js";

const type = "application/geo+json";
const path = (id) => `/v1/regions/${part(id)}`;

/** The region as the service has it now, with its version. */
export async function load(id) {
  const { data, etag } = await request("GET", path(id), { accept: type });
  return { feature: data, etag };
}

/**
 * Saves a draft.
 * @param {object} [options] `force` overwrites what somebody else saved; `repair` makes invalid polygons valid.
 * @throws {Problem} 412 when it was changed or made in between, 422 with faults.
 */
export async function save(draft, { force = false, repair = false } = {}) {
  const headers = {};
  if (!force) {
    if (draft.isNew) headers["If-None-Match"] = "*";
    else if (draft.etag) headers["If-Match"] = draft.etag;
  }
  const { data, etag } = await request("PUT", path(draft.state.id), {
    json: draft.feature, type, accept: type, headers, query: { repair: repair || null },
  });
  return { feature: data, etag };
}

export async function remove(id, etag) {
  await request("DELETE", path(id), { headers: etag ? { "If-Match": etag } : {} });
}

/** Puts back what was removed; it is new again for whoever is inside. */
export async function restore(feature) {
  const { data } = await request("PUT", path(String(feature.id)), { json: feature, type, accept: type });
  return data;
}

/** Adds and replaces regions in one step. @returns {Promise<{created, replaced, warnings?}>} */
export async function importText(text, repair) {
  const isLines = !isOneDocument(text);
  const { data, status } = await request("POST", "/v1/regions", {
    body: text, type: isLines ? "application/x-ndjson" : type, query: { repair: repair || null },
  });
  return status === 201 ? { created: 1, replaced: 0 } : data;
}

/** Lines of features are one document each; what is broken goes as one, so that the service says where. */
function isOneDocument(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    const [first, second] = text.split("\n").filter((line) => line.trim());
    try {
      JSON.parse(first);
      return second === undefined;
    } catch {
      return true;
    }
  }
}
