import { Observable } from "./observable.js";

const key = "fencepost.token";

/** The signed-in session: an access token in the tab's session storage. */
class Session {
  /** `null` while signed out. */
  token = new Observable(sessionStorage.getItem(key));
  /** Why the service refused the last token; the sign-in form shows it. */
  signOutReason = "";

  signIn(token) {
    this.signOutReason = "";
    sessionStorage.setItem(key, token);
    this.token.value = token;
  }

  signOut() {
    sessionStorage.removeItem(key);
    this.token.value = null;
  }

  /** Signs out because the service answered 401. */
  expire() {
    if (!this.token.value) return;
    this.signOutReason = "The token is unknown, expired or revoked.";
    this.signOut();
  }
}

export const session = new Session();
