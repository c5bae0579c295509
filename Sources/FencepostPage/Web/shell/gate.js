import { fill, h } from "../core/dom.js";
import { Problem, address } from "../core/api.js";
import { session } from "../core/session.js";

/** The sign-in: a token, kept for as long as the tab lives. */
export function showGate(gate) {
  const problem = h("p.field-problem", { id: "token-problem", role: "alert" }, session.refusal);
  const input = h("input#token", {
    type: "password", name: "token", autocomplete: "current-password", required: true, spellcheck: "false",
    placeholder: "fp_…", "aria-describedby": "token-help token-problem",
  });
  const button = h("button.primary", { type: "submit" }, "Sign in");
  const form = h("form.gate-card", { onSubmit: (event) => {
    event.preventDefault();
    signIn(input, button, problem);
  } },
  h("p.brand.large", {}, h("img", { src: "page/style/mark.svg", alt: "", width: 34, height: 34 }), "Fencepost"),
  h("p.lede", {}, "Who entered, left and stayed where, as it happens."),
  h("label", { for: "token" }, "Access token"),
  input, problem,
  h("p.hint", { id: "token-help" }, "The service printed a first token when it was started on an empty storage, on a ",
    "line of its own. While it is stopped, ", h("code", {}, "fencepost token create"), " makes another one. The token ",
    "is kept in this tab alone."),
  button);
  fill(gate, form);
  input.focus();
}

async function signIn(input, button, problem) {
  const token = input.value.trim();
  if (!token) return;
  button.disabled = true;
  problem.textContent = "";
  try {
    const response = await fetch(new URL("?limit=1", address("/v1/devices")), {
      headers: { Authorization: `Bearer ${token}` }, cache: "no-store",
    }).catch(() => {
      throw new Problem({ status: 0, detail: "The service does not answer. Is it running?" });
    });
    if (response.status === 401) throw new Problem({ status: 401, detail: "The service does not know this token." });
    if (response.status === 403) throw new Problem({ status: 403, detail: "This token lacks the scope “read”." });
    if (!response.ok) throw new Problem({ status: response.status });
    session.signIn(token);
  } catch (error) {
    problem.textContent = error.message;
    input.setAttribute("aria-invalid", "true");
    input.select();
  } finally {
    button.disabled = false;
  }
}
