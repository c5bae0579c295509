// What people call endpoints: their description, or else the kind and the server, since an id is not for people.

import { getAll } from "../core/api.js";
import { session } from "../core/session.js";
import { text } from "../text/text.js";
import { kinds } from "./endpoint-kinds.js";

/** @type {Map<string, string>} */
const names = new Map();
/** The read that runs or has ended, so that a list of messages reads the endpoints once. */
let reading = null;

session.token.subscribe((token) => {
  if (token !== null) return;
  names.clear();
  reading = null;
});

/**
 * The title of an endpoint.
 * @param {{description?: string, kind: string, url: string}} endpoint
 */
export function titleOf({ description, kind, url }) {
  if (description) return description;
  const host = url.replace(/^[a-z]+:\/\//, "").split(/[/?]/)[0];
  return text.webhooks.card.kindAndServer(kinds[kind]?.title ?? kind, host);
}

/** Takes the names of endpoints that were read. */
export function takeNames(endpoints) {
  for (const endpoint of endpoints) names.set(endpoint.id, titleOf(endpoint));
}

/** Reads the names of the endpoints, if nobody has. Without them the page has ids. */
export function readNames() {
  reading ??= getAll("/v1/endpoints", {}, { limit: 200 }).then(takeNames, () => {});
  return reading;
}

/** The name of an endpoint by its id; the id of one that was removed. */
export const endpointName = (id) => names.get(id) ?? id;
