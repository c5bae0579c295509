import { Observable } from "./observable.js";

const key = "fencepost.token";

/** Who is at the page: a token that lives as long as the tab. */
class Session {
  /** `null` while nobody is signed in. */
  token = new Observable(sessionStorage.getItem(key));
  /** Why the last token is of no use any more; for the sign-in. */
  refusal = "";

  signIn(token) {
    this.refusal = "";
    sessionStorage.setItem(key, token);
    this.token.value = token;
  }

  signOut() {
    sessionStorage.removeItem(key);
    this.token.value = null;
  }

  /** The service does not know the token. */
  refuse() {
    if (!this.token.value) return;
    this.refusal = "This token is not known to the service, or it has expired or was revoked.";
    this.signOut();
  }
}

export const session = new Session();
