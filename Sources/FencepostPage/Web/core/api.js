// Requests to the service that served the page, and to nobody else.

import { session } from "./session.js";

/** The folder that the service is mounted at: a proxy may have put it below a path. */
const base = new URL("../../", import.meta.url);

/** What the service said instead of what was asked for (RFC 9457), or that it said nothing: then `status` is 0. */
export class Problem extends Error {
  constructor({ status, code, detail, title, errors, retryAfter }) {
    super(detail || title || `The service answered ${status}.`);
    this.status = status;
    this.code = code ?? "";
    /** `{pointer, code, detail}`: what is wrong, and where in the body. */
    this.faults = errors ?? [];
    this.retryAfter = retryAfter;
  }

  get isOffline() {
    return this.status === 0;
  }
}

/**
 * Sends one request.
 * @param {object} [options] `query` (null is left out), `json` or `body` with `type`, `headers`, `accept`, `signal`.
 * @returns {Promise<{status: number, data: any, etag: string|null, headers: Headers}>}
 * @throws {Problem}
 */
export async function request(method, path, options = {}) {
  const url = new URL(path.replace(/^\//, ""), base);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
  }
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
    throw new Problem({ status: 0, detail: "The service does not answer." });
  }
  const text = await response.text();
  const isJSON = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
  const data = text && isJSON ? JSON.parse(text) : text;
  if (!response.ok) {
    if (response.status === 401) session.refuse();
    const told = isJSON ? data : {};
    throw new Problem({ ...told, status: response.status, retryAfter: response.headers.get("Retry-After") });
  }
  return { status: response.status, data, etag: response.headers.get("ETag"), headers: response.headers };
}

/** What is at a path. */
export const get = async (path, query, options) => (await request("GET", path, { ...options, query })).data;

/** Sends JSON, and gives what was answered. */
export const post = async (path, json, options) => (await request("POST", path, { ...options, json })).data;

/**
 * The elements of a list, page by page.
 * @param {object} [options] `limit` elements in all, `pageSize`, `signal`, `accept`.
 * @yields {object[]} a page.
 */
export async function* pages(path, query = {}, options = {}) {
  let cursor = null;
  let left = options.limit ?? Infinity;
  do {
    const limit = Math.min(options.pageSize ?? 500, left);
    const page = await get(path, { ...query, limit, cursor }, options);
    const elements = page.data ?? page.features;
    left -= elements.length;
    cursor = page.nextCursor;
    yield elements;
  } while (cursor && left > 0);
}

/** All elements of a list, up to a limit. */
export async function all(path, query, options) {
  const elements = [];
  for await (const page of pages(path, query, options)) elements.push(...page);
  return elements;
}

/** An id as a part of a path: a slash in it is %2F. */
export const part = (id) => encodeURIComponent(id);

/** The whole address of a path, for streams. */
export const address = (path) => new URL(path.replace(/^\//, ""), base);
