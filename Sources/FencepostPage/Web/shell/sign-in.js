import { Problem, urlOf } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";

/** Shows the sign-in form. The token stays in the tab's session storage. */
export function showSignIn(container) {
  const problem = element("p.field-problem", { id: "token-problem", role: "alert" }, session.signOutReason);
  const input = element("input#token", {
    type: "password", name: "token", autocomplete: "current-password", required: true, spellcheck: "false",
    placeholder: "fp_…", "aria-describedby": "token-help token-problem",
  });
  const button = element("button.primary", { type: "submit" }, "Sign in");
  const form = element("form.sign-in-card", { onSubmit: (event) => {
    event.preventDefault();
    signIn(input, button, problem);
  } },
  element("p.brand.large", {},
    element("img", { src: "page/style/logo.svg", alt: "", width: 34, height: 34 }), "Fencepost"),
  element("p.intro", {}, "Geofence and visit events, live."),
  element("label", { for: "token" }, "Access token"),
  input, problem,
  element("p.hint", { id: "token-help" }, "The service prints a first token when it starts with an empty storage. ",
    "To create another one, run ", element("code", {}, "fencepost token create --name me --scope admin"),
    " in the folder of the service, or with its ", element("code", {}, "--storage"), ". The page keeps the token only ",
    "in this tab."),
  button);
  setChildren(container, form);
  input.focus();
}

async function signIn(input, button, problem) {
  const token = input.value.trim();
  if (!token) return;
  button.disabled = true;
  problem.textContent = "";
  try {
    const response = await fetch(new URL("?limit=1", urlOf("/v1/devices")), {
      headers: { Authorization: `Bearer ${token}` }, cache: "no-store",
    }).catch(() => {
      throw new Problem({ status: 0, detail: "The service does not answer. Is it running?" });
    });
    const { status } = response;
    if (status === 401) throw new Problem({ status, detail: "The token is unknown, expired or revoked." });
    if (status === 403) throw new Problem({ status, detail: "The token lacks the scope “read”." });
    if (!response.ok) throw new Problem({ status });
    session.signIn(token);
  } catch (error) {
    problem.textContent = error.message;
    input.setAttribute("aria-invalid", "true");
    input.select();
  } finally {
    button.disabled = false;
  }
}
