// Signing in at a provider of OpenID Connect. `/v1/access` has it as `signIn: {provider, passwords}`, or has none.

import { text } from "../text/text.js";
import { fragment, navigate } from "./fragment.js";

const viewKey = "fencepost.view";

/** Keeps the view of the page while the browser is at the provider, which leads back without it. */
export function keepView() {
  sessionStorage.setItem(viewKey, JSON.stringify(fragment.value));
}

/**
 * Shows the view again that `keepView` has kept, and removes the parameters of a sign-in that failed from the address.
 * @returns {string | null} the parameter `signIn`, which is there after such a sign-in.
 */
export function returnFromProvider() {
  const url = new URL(location.href);
  const code = url.searchParams.get("signIn");
  if (code !== null) {
    url.searchParams.delete("signIn");
    // What is wrong with a token, for those who help with the provider.
    url.searchParams.delete("reason");
    history.replaceState(null, "", url.href);
  }
  const view = sessionStorage.getItem(viewKey);
  sessionStorage.removeItem(viewKey);
  if (view !== null && Object.keys(fragment.value).length === 0) navigate(JSON.parse(view));
  return code;
}

/** Why a sign-in at the provider failed, as a sentence. Everybody can write a code into a link: none is shown. */
export function failureText(code, signIn) {
  if (code === null || !signIn) return "";
  const { failed, failures } = text.shell.signIn;
  return (Object.hasOwn(failures, code) ? failures[code] : failed)(signIn.provider);
}

/**
 * What the sign-in form has. `provider`: the name on its button. `fields`: "token", "user" or null. `isFolded`: whether
 * the fields are for few. `hasFirstUser`: whether the first user is added with the token. `other`: the other fields, to
 * which a button leads.
 */
export function signInParts({ signIn, needsFirstUser }, usesToken) {
  const passwords = signIn?.passwords ?? "all";
  const user = passwords === "none" ? null : "user";
  return {
    provider: signIn?.provider ?? null,
    fields: usesToken ? "token" : user,
    isFolded: !usesToken && passwords === "administrators",
    hasFirstUser: usesToken && needsFirstUser && user !== null,
    other: needsFirstUser ? null : usesToken ? user : "token",
  };
}

/** Whether a user can sign in with a password, and so change it. */
export function hasPassword(user, signIn) {
  if (user.signIn === "provider") return false;
  const passwords = signIn?.passwords ?? "all";
  return passwords === "all" || (passwords === "administrators" && user.role === "admin");
}

/** "linked" for a user who has signed in at the provider, "invited" for one who has not, null for a password alone. */
export function linkOf(user) {
  if (user.provider) return "linked";
  return user.signIn === "provider" ? "invited" : null;
}
