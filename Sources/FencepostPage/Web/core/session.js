import { text } from "../text/text.js";
import { Observable } from "./observable.js";

const key = "fencepost.token";

/** The base URL of the service. */
const base = new URL("../../", import.meta.url);

const nobody = {
  scopes: [], isLimited: true, user: null, needsFirstUser: false, timeZone: null, signIn: null, signOut: null,
};

/** The signed-in session: the cookie of a user, or an access token in the tab's session storage. */
class Session {
  /** `null` while signed out; empty while the cookie identifies the user. */
  token = new Observable(sessionStorage.getItem(key));
  /**
   * What the caller may do, and the zone of the service: `{scopes, isLimited, user, needsFirstUser, timeZone}`. With a
   * provider of sign-ins `signIn: {provider, passwords}`, and for a session that began there `signOut`, a path.
   */
  access = new Observable(nobody);
  /** Why the service refused the last token, session or sign-in at the provider; the sign-in form shows it. */
  signOutReason = "";
  /** The zone of the user, or of the service; null for that of the browser. */
  timeZone = null;
  /** Whether the sign-in form asks for a token first: while there are no users, and after a session with a token. */
  prefersToken = false;

  constructor() {
    this.access.watch((access) => {
      if (access.needsFirstUser) this.prefersToken = true;
      document.documentElement.dataset.lacks = lacking(access).join(" ");
    });
  }

  /** Signs in by the token of the tab or by the cookie of the browser, if there is one. */
  async restore() {
    await this.#readAccess(this.token.value);
    if (this.token.value === null && this.access.value.user) this.token.value = "";
  }

  /** Signs in with a token. */
  async signIn(token) {
    this.signOutReason = "";
    this.prefersToken = true;
    sessionStorage.setItem(key, token);
    // Before anything is shown: it has the time zone. Who watches it needs the token.
    const access = await this.#fetchAccess(token);
    if (access) this.timeZone = zoneOf(access);
    this.token.value = token;
    if (access) this.access.value = access;
  }

  /** Signs in with the cookie that the service has set. */
  async signInByCookie() {
    this.signOutReason = "";
    this.prefersToken = false;
    sessionStorage.removeItem(key);
    await this.#readAccess(null);
    this.token.value = "";
  }

  async signOut() {
    const isUser = this.token.value === "";
    sessionStorage.removeItem(key);
    const { signOut } = this.access.value;
    if (isUser && signOut) {
      // The service ends the session and may lead to the provider. A browser that goes back afterwards may have kept
      // the page as it was.
      addEventListener("pageshow", (event) => event.persisted && location.reload());
      location.assign(new URL(signOut, base).href);
      return;
    }
    if (isUser) {
      await fetch(new URL("v1/sessions/current", base), { method: "DELETE", cache: "no-store" }).catch(() => null);
    }
    await this.#readAccess(null);
    this.token.value = null;
  }

  /** Signs out because the service answered 401. */
  expire() {
    if (this.token.value === null) return;
    this.signOutReason = this.token.value ? text.common.tokenRefused : text.common.sessionEnded;
    sessionStorage.removeItem(key);
    const { needsFirstUser, signIn } = this.access.value;
    this.access.value = { ...nobody, needsFirstUser, signIn };
    this.token.value = null;
  }

  /** Whether the caller has a scope for all devices; `share` is the scope to make share links. */
  can(scope) {
    return !lacking(this.access.value).includes(scope);
  }

  async #readAccess(token) {
    const access = await this.#fetchAccess(token);
    if (!access) return;
    this.timeZone = zoneOf(access);
    this.access.value = access;
  }

  /** What a caller may do; null where the service does not answer, as the next request shows. */
  async #fetchAccess(token) {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    try {
      const response = await fetch(new URL("v1/access", base), { headers, cache: "no-store" });
      return response.ok ? { ...nobody, ...await response.json() } : null;
    } catch {
      return null;
    }
  }
}

const zoneOf = ({ user, timeZone }) => user?.timeZone ?? timeZone ?? null;

/** The names of what the caller cannot use; elements with one of them in `data-needs` are hidden. */
function lacking({ scopes, isLimited }) {
  const has = (scope) => scopes.includes(scope) || scopes.includes("admin");
  const names = ["ingest"].filter((scope) => !has(scope));
  if (!has("write")) names.push("share");
  if (!has("write") || isLimited) names.push("write");
  if (!has("admin") || isLimited) names.push("admin");
  if (isLimited) names.push("all");
  return names;
}

export const session = new Session();
