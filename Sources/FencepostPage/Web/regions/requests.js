// Requests for regions. Entity tags prevent lost updates.

import { pathSegment, request } from "../core/api.js";

const type = "application/geo+json";
const path = (id) => `/v1/regions/${pathSegment(id)}`;

/** Loads a region and its entity tag. */
export async function loadRegion(id) {
  const { data, etag } = await request("GET", path(id), { accept: type });
  return { feature: data, etag };
}

/**
 * Saves a draft.
 * @param {import("./draft.js").Draft} draft
 * @param {{force?: boolean, repair?: boolean}} options `force` overwrites changes of other users; `repair`
 *   makes invalid polygons valid.
 * @throws {Problem} 412 if another user created or changed the region, 422 if it is invalid.
 */
export async function saveDraft(draft, { force = false, repair = false } = {}) {
  /** @type {Record<string, string>} */
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

export async function deleteRegion(id, etag) {
  await request("DELETE", path(id), { headers: etag ? { "If-Match": etag } : {} });
}

/** Creates a deleted region again. Devices inside enter it again. */
export async function restoreRegion(feature) {
  const { data } = await request("PUT", path(String(feature.id)), { json: feature, type, accept: type });
  return data;
}

/**
 * Imports regions atomically. The service recognises the format of a file, and of a text that is not JSON.
 * @param {string | File} content
 * @param {{repair?: boolean, idProperty?: string, radius?: string, dryRun?: boolean}} options with `dryRun` nothing is
 *   stored, and the answer has the regions.
 * @returns {Promise<import("../../Types/api").RegionImport>}
 */
export async function importRegions(content, { repair, idProperty, radius, dryRun }) {
  const { data, status } = await request("POST", "/v1/regions", {
    body: content, type: typeOf(content),
    query: { repair: repair || null, idProperty: idProperty || null, radius: radius || null, dryRun: dryRun || null },
  });
  return status === 201 ? { created: 1, replaced: 0 } : data;
}

/** The media type of a text, or of a file by its name. */
function typeOf(content) {
  if (typeof content === "string") return isOneDocument(content) ? type : "application/x-ndjson";
  return /\.(ndjson|geojsonl|geojsons)$/i.test(content.name) ? "application/x-ndjson" : "application/octet-stream";
}

/** Whether a text is one JSON document. Invalid JSON counts as one, so that the service reports the position. */
export function isOneDocument(text) {
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
