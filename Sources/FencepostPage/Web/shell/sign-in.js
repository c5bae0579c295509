import { post, Problem, request, urlOf } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";

/** Shows the sign-in form: for a user, or for a token while there are no users. */
export function showSignIn(container, usesToken = session.access.value.needsFirstUser) {
  const problem = element("p.field-problem", { id: "sign-in-problem", role: "alert" }, session.signOutReason);
  const fields = usesToken ? tokenFields() : userFields();
  const button = element("button.primary", { type: "submit" }, "Sign in");
  const form = element("form.sign-in-card", { onSubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    for (const input of fields.inputs) input.removeAttribute("aria-invalid");
    try {
      await fields.signIn();
    } catch (error) {
      problem.textContent = error.message;
      fields.inputs[0].setAttribute("aria-invalid", "true");
      (fields.inputs.at(usesToken ? 0 : -1)).select();
    } finally {
      button.disabled = false;
    }
  } },
  element("p.brand.large", {},
    element("img", { src: "page/style/logo.svg", alt: "", width: 34, height: 34 }), "Fencepost"),
  element("p.intro", {}, "Geofence and visit events, live."),
  fields.elements, problem, button,
  !session.access.value.needsFirstUser && element("button.quiet", {
    type: "button", onClick: () => showSignIn(container, !usesToken),
  }, usesToken ? "Sign in with a name and a password" : "Sign in with an access token"));
  setChildren(container, form);
  fields.inputs[0].focus();
}

function userFields() {
  const name = element("input#user-name", {
    name: "username", autocomplete: "username", autocapitalize: "none", required: true, spellcheck: "false",
    "aria-describedby": "sign-in-problem",
  });
  const password = element("input#user-password", {
    type: "password", name: "password", autocomplete: "current-password", required: true,
  });
  return {
    inputs: [name, password],
    elements: [element("label", { for: name.id }, "Name"), name, element("label", { for: password.id }, "Password"),
      password],
    async signIn() {
      await signInUser(name.value.trim(), password.value);
    },
  };
}

async function signInUser(name, password) {
  try {
    await request("POST", "/v1/sessions", { json: { user: name, password } });
  } catch (error) {
    if (error.status !== 429) throw error;
    throw new Problem({ status: 429, detail: `Too many attempts. Try again in ${error.retryAfter} s.` });
  }
  await session.signInByCookie();
}

function tokenFields() {
  const input = element("input#token", {
    type: "password", name: "token", autocomplete: "off", required: true, spellcheck: "false",
    placeholder: "fp_…", "aria-describedby": "token-help sign-in-problem",
  });
  const isFirst = session.access.value.needsFirstUser;
  const name = element("input#first-name", {
    name: "username", autocomplete: "username", autocapitalize: "none", maxlength: 64, spellcheck: "false",
  });
  const password = element("input#first-password", {
    type: "password", name: "password", autocomplete: "new-password", minlength: 8, maxlength: 256,
    "aria-describedby": "first-help",
  });
  return {
    inputs: [input],
    elements: [
      element("label", { for: "token" }, "Access token"), input,
      element("p.hint", { id: "token-help" }, "The service prints a first token when it starts with an empty storage. ",
        "To create another one, run ", element("code", {}, "fencepost token create --name me --scope admin"),
        " in the folder of the service, or with its ", element("code", {}, "--storage"), ". The page keeps the token ",
        "only in this tab."),
      isFirst && element("fieldset.form", {}, element("legend", {}, "First user"),
        element("p.hint", { id: "first-help" }, "Choose a name and a password of at least 8 characters, and you ",
          "do not need the token again. You can also leave them empty."),
        element("label", { for: name.id }, "Name"), name,
        element("label", { for: password.id }, "Password"), password),
    ],
    async signIn() {
      const token = input.value.trim();
      if (!token) return;
      if (!isFirst || !name.value.trim()) {
        await signInToken(token);
        return;
      }
      const user = { name: name.value.trim(), password: password.value, role: "admin" };
      await post("/v1/users", user, { headers: { Authorization: `Bearer ${token}` } });
      await signInUser(user.name, user.password);
    },
  };
}

async function signInToken(token) {
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
}
