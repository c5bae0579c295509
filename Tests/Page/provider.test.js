import { visited } from "./browser.js";

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";

const web = "../../Sources/FencepostPage/Web/";
const { fragment, navigate } = await import(`${web}core/fragment.js`);
const {
  failureText, hasPassword, keepView, linkOf, returnFromProvider, signInParts,
} = await import(`${web}core/provider.js`);
const { session } = await import(`${web}core/session.js`);
const { languages } = await import(`${web}text/languages.js`);

const signIn = (passwords) => ({ provider: "Authelia", passwords });

describe("the sign-in form", () => {
  const parts = (access, usesToken = false) => signInParts({ signIn: null, needsFirstUser: false, ...access }, usesToken);

  it("has no provider where the service names none", () => {
    assert.deepEqual(parts({}),
      { provider: null, fields: "user", isFolded: false, hasFirstUser: false, other: "token" });
    assert.deepEqual(parts({}, true),
      { provider: null, fields: "token", isFolded: false, hasFirstUser: false, other: "user" });
    assert.deepEqual(parts({ needsFirstUser: true }, true),
      { provider: null, fields: "token", isFolded: false, hasFirstUser: true, other: null });
  });

  it("has the provider with the fields of those who have a password", () => {
    const shown = (passwords) => parts({ signIn: signIn(passwords) });
    assert.deepEqual(shown("all"),
      { provider: "Authelia", fields: "user", isFolded: false, hasFirstUser: false, other: "token" });
    assert.deepEqual(shown("administrators"),
      { provider: "Authelia", fields: "user", isFolded: true, hasFirstUser: false, other: "token" });
    assert.deepEqual(shown("none"),
      { provider: "Authelia", fields: null, isFolded: false, hasFirstUser: false, other: "token" });
  });

  it("has the provider next to the fields of a token, and leads back to passwords where there are some", () => {
    const shown = (passwords) => parts({ signIn: signIn(passwords) }, true);
    for (const passwords of ["all", "administrators"]) {
      assert.deepEqual(shown(passwords),
        { provider: "Authelia", fields: "token", isFolded: false, hasFirstUser: false, other: "user" });
    }
    assert.deepEqual(shown("none"),
      { provider: "Authelia", fields: "token", isFolded: false, hasFirstUser: false, other: null });
  });

  it("has the provider while there are no users, and adds the first one where a password would be of use", () => {
    const shown = (passwords) => parts({ signIn: signIn(passwords), needsFirstUser: true }, true);
    const expected = { provider: "Authelia", fields: "token", isFolded: false, other: null };
    assert.deepEqual(["all", "administrators", "none"].map(shown),
      [true, true, false].map((hasFirstUser) => ({ ...expected, hasFirstUser })));
  });
});

describe("users", () => {
  it("have a password to change unless they sign in at the provider alone", () => {
    const has = (role, passwords, more = {}) => hasPassword({ role, ...more }, passwords && signIn(passwords));
    assert.deepEqual([has("viewer", null), has("admin", null)], [true, true]);
    assert.deepEqual(["all", "administrators", "none"].map((passwords) => has("admin", passwords)), [true, true, false]);
    assert.deepEqual(["all", "administrators", "none"].map((passwords) => has("editor", passwords)), [true, false, false]);
    const invited = { signIn: "provider" };
    assert.deepEqual([has("admin", "all", invited), has("admin", null, invited)], [false, false]);
    assert.equal(has("viewer", "all", { provider: { issuer: "https://auth.example.org", subject: "1" } }), true);
  });

  it("are invited until they have signed in at the provider", () => {
    const provider = { issuer: "https://auth.example.org", subject: "1" };
    assert.deepEqual([{}, { signIn: "provider" }, { signIn: "provider", provider }, { provider }].map(linkOf),
      [null, "invited", "linked", "linked"]);
  });
});

describe("a sign-in that failed", () => {
  const codes = ["provider_away", "denied", "refused", "expired", "invalid_token", "name_taken"];

  it("has a sentence of its own for each code, in each language", () => {
    for (const [name, { shell }] of Object.entries(languages)) {
      assert.deepEqual(Object.keys(shell.signIn.failures).sort(), [...codes].sort(), name);
    }
    const sentences = codes.map((code) => failureText(code, signIn("all")));
    assert.equal(new Set(sentences).size, codes.length);
    assert.equal(sentences[1], "You cancelled the sign-in, or Authelia refused it.");
    for (const sentence of sentences) assert.match(sentence, /^[A-Z].*\.$/);
  });

  it("shows nothing that somebody may have written into the address", () => {
    const unknown = "The sign-in with Authelia failed. Try again.";
    for (const code of ["", "Call 0900", "constructor", "toString"]) {
      assert.equal(failureText(code, signIn("all")), unknown);
    }
  });

  it("has no sentence without a failure or without a provider", () => {
    assert.deepEqual([failureText(null, signIn("all")), failureText("denied", null)], ["", ""]);
  });
});

/** Opens an address, as the browser does after a navigation. */
function open(address) {
  const url = new URL(address);
  globalThis.location.href = url.href;
  globalThis.location.hash = url.hash;
  visited.length = 0;
}

describe("the way back from the provider", () => {
  beforeEach(() => navigate(Object.fromEntries(Object.keys(fragment.value).map((name) => [name, null]))));

  it("removes the parameter from the address, and nothing else", () => {
    open("https://example.org/fencepost/?a=1&signIn=denied#device=jane");
    assert.equal(returnFromProvider(), "denied");
    assert.deepEqual(visited, [["replaceState", "https://example.org/fencepost/?a=1#device=jane"]]);
    open("https://example.org/fencepost/?signIn=invalid_token&reason=audience");
    assert.equal(returnFromProvider(), "invalid_token");
    assert.deepEqual(visited, [["replaceState", "https://example.org/fencepost/"]]);
  });

  it("leaves another address as it is", () => {
    open("https://example.org/?a=1");
    assert.equal(returnFromProvider(), null);
    assert.deepEqual(visited, []);
  });

  it("shows the view that was left, once", () => {
    open("https://example.org/");
    navigate({ device: "jane/phone", tab: "history" });
    keepView();
    navigate({ device: null, tab: null });
    open("https://example.org/");
    returnFromProvider();
    assert.deepEqual(fragment.value, { device: "jane/phone", tab: "history" });
    assert.deepEqual(visited, [["replaceState", "#device=jane/phone&tab=history"]]);
    navigate({ device: null, tab: null });
    open("https://example.org/");
    returnFromProvider();
    assert.deepEqual([fragment.value, visited], [{}, []]);
  });

  it("keeps the view of an address that has one", () => {
    navigate({ device: "jane" });
    keepView();
    navigate({ device: "sam" });
    returnFromProvider();
    assert.deepEqual(fragment.value, { device: "sam" });
  });
});

describe("the session", () => {
  const requests = [];
  const assigned = [];
  let answer;
  const user = { name: "jane", role: "viewer" };

  beforeEach(() => {
    requests.length = assigned.length = 0;
    answer = { scopes: ["read"], isLimited: false, user, needsFirstUser: false, signIn: signIn("all") };
    globalThis.location.assign = (address) => assigned.push(address);
    globalThis.fetch = async (url, { method = "GET" }) => {
      requests.push(`${method} ${new URL(url).pathname.split("/FencepostPage/")[1]}`);
      return { ok: true, json: async () => answer };
    };
  });

  afterEach(() => {
    session.token.value = null;
    delete globalThis.fetch;
  });

  it("that began at the provider ends by a navigation, which may lead there", async () => {
    answer.signOut = "v1/oidc/logout";
    await session.restore();
    await session.signOut();
    assert.deepEqual(requests, ["GET v1/access"]);
    assert.equal(assigned.length, 1);
    assert.match(assigned[0], /^file:.*\/FencepostPage\/v1\/oidc\/logout$/);
  });

  it("that began with a password ends by a request", async () => {
    await session.restore();
    await session.signOut();
    assert.deepEqual([requests, assigned],
      [["GET v1/access", "DELETE v1/sessions/current", "GET v1/access"], []]);
    assert.equal(session.token.value, null);
  });

  it("of a token ends on the page, whatever the cookie is of", async () => {
    answer.signOut = "v1/oidc/logout";
    await session.signIn("fp_1");
    await session.signOut();
    assert.deepEqual([requests, assigned], [["GET v1/access", "GET v1/access"], []]);
  });

  it("keeps the name of the provider for the sign-in form after its end", async () => {
    answer.signOut = "v1/oidc/logout";
    await session.restore();
    session.expire();
    const { user: nobody, signIn: kept, signOut } = session.access.value;
    assert.deepEqual([nobody, kept, signOut], [null, signIn("all"), null]);
  });
});
