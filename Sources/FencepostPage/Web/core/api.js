// Requests to the service that served the page.

import { text } from "../text/text.js";
import { session } from "./session.js";

/** The base URL of the service; a reverse proxy may serve it under a path. */
const base = new URL("../../", import.meta.url);

/** An error answer of the service (RFC 9457). `status` is 0 when the service did not answer. */
export class Problem extends Error {
  /** @param {{status: number} & Partial<import("../../Types/api").Problem> & {retryAfter?: string | null}} members */
  constructor({ status, code, detail, title, errors, retryAfter }) {
    super(detail || title || text.common.answered(status));
    this.status = status;
    this.code = code ?? "";
    /** The invalid parts of the request body: `{pointer, code, detail}`, with a JSON Pointer. */
    this.errors = errors ?? [];
    this.retryAfter = retryAfter;
  }

  get isOffline() {
    return this.status === 0;
  }
}

/**
 * Options of a request. `query`: empty values are omitted. `json`: the body as a value. `isBinary`: the body of the
 * answer is no text, and `data` is a Blob.
 * @typedef {object} Options
 * @property {string | Blob | File} [body]
 * @property {string} [type] the media type of `body` or `json`.
 * @property {Record<string, string>} [headers]
 * @property {string} [accept]
 * @property {AbortSignal} [signal]
 * @property {boolean} [isBinary]
 */

/** The changes under way, and how many have begun or ended. */
const changes = { pending: new Set(), count: 0 };

/**
 * Sends one request.
 * @param {string} method
 * @param {string} path
 * @param {Options & {query?: object, json?: any}} [options]
 * @returns {Promise<{status: number, data: any, etag?: string|null, headers: Headers}>}
 * @throws {Problem}
 */
export async function request(method, path, options = {}) {
  if (method === "GET") return send(method, path, options);
  const change = send(method, path, options);
  changes.pending.add(change);
  changes.count += 1;
  try {
    return await change;
  } finally {
    changes.pending.delete(change);
    changes.count += 1;
  }
}

/**
 * What `read` answers, read again when this page changed something meanwhile: the answer may be from before the
 * change, and drawing it would undo the change before the user's eyes.
 * @template Value
 * @param {() => Promise<Value>} read
 * @returns {Promise<Value>}
 */
export async function readAfterChanges(read) {
  for (;;) {
    await Promise.allSettled(changes.pending);
    const { count } = changes;
    const value = await read();
    if (count === changes.count) return value;
  }
}

async function send(method, path, options) {
  const url = new URL(path.replace(/^\//, ""), base);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
  }
  /** @type {Record<string, string>} */
  const headers = { Accept: options.accept ?? "application/json", ...options.headers };
  if (session.token.value) headers.Authorization = `Bearer ${session.token.value}`;
  let body = options.body;
  if (options.json !== undefined) body = JSON.stringify(options.json);
  if (body !== undefined) headers["Content-Type"] = options.type ?? "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers, body, signal: options.signal, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0, detail: text.common.noAnswer });
  }
  const { status } = response;
  if (response.ok && options.isBinary) return { status, data: await response.blob(), headers: response.headers };
  const content = await response.text();
  const isJSON = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
  const data = content && isJSON ? JSON.parse(content) : content;
  if (!response.ok) {
    if (status === 401) session.expire();
    const members = isJSON ? data : {};
    throw new Problem({ ...members, status, retryAfter: response.headers.get("Retry-After") });
  }
  return { status, data, etag: response.headers.get("ETag"), headers: response.headers };
}

/**
 * Sends a GET request; returns the body.
 * @template {string} Path
 * @param {Path} path
 * @param {object} [query]
 * @param {Options} [options]
 * @returns {Promise<import("../../Types/api").Get<Path>>}
 */
export const get = async (path, query, options) => (await request("GET", path, { ...options, query })).data;

/**
 * Sends a POST request with a JSON body; returns the body of the answer.
 * @template {string} Path
 * @param {Path} path
 * @param {any} [json]
 * @param {Options} [options]
 * @returns {Promise<import("../../Types/api").Post<Path>>}
 */
export const post = async (path, json, options) => (await request("POST", path, { ...options, json })).data;

/**
 * Reads a list page by page.
 * @template {string} Path
 * @param {Path} path
 * @param {object} [query]
 * @param {Options & {limit?: number, pageSize?: number}} [options] `limit` is that of all pages together.
 * @returns {AsyncGenerator<import("../../Types/page").Row<Path>[], void>} the elements of a page.
 */
export async function* getPages(path, query = {}, options = {}) {
  let cursor = null;
  let left = options.limit ?? Infinity;
  do {
    const limit = Math.min(options.pageSize ?? 500, left);
    /** @type {any} */
    const page = await get(path, { ...query, limit, cursor }, options);
    const elements = page.data ?? page.features;
    left -= elements.length;
    cursor = page.nextCursor;
    yield elements;
  } while (cursor && left > 0);
}

/**
 * Reads all elements of a list, up to a limit.
 * @template {string} Path
 * @param {Path} path
 * @param {object} [query]
 * @param {Options & {limit?: number, pageSize?: number}} [options]
 * @returns {Promise<import("../../Types/page").Row<Path>[]>}
 */
export async function getAll(path, query, options) {
  const elements = [];
  for await (const page of getPages(path, query, options)) elements.push(...page);
  return elements;
}

/** An id as a path segment: a slash in it becomes %2F. */
export const pathSegment = (id) => encodeURIComponent(id);

/**
 * The last elements of a list that the service sorts from the oldest to the newest.
 * @returns {Promise<{elements: object[], isTruncated: boolean}>} the newest `kept` of the first `limit` elements, the
 *   newest first, and whether the service has more than `limit`.
 */
export async function getLast(path, query, { limit, kept }) {
  let elements = [];
  let cursor = null;
  for (let count = 0; count < limit; count += 500) {
    const page = await get(path, { ...query, limit: 500, cursor });
    elements = elements.concat(page.data).slice(-kept);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  return { elements: elements.reverse(), isTruncated: cursor !== null && cursor !== undefined };
}

/** The absolute URL of a path, for streams. */
export const urlOf = (path) => new URL(path.replace(/^\//, ""), base);
