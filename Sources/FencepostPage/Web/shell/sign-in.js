import { post, Problem, request, urlOf } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { keepView, signInParts } from "../core/provider.js";
import { session } from "../core/session.js";
import { text } from "../text/text.js";

/**
 * Shows the sign-in form: for a user, or for a token while there are no users. With a provider, the link that leads
 * there is first.
 * @param {HTMLElement} container
 * @param {boolean} [usesToken]
 * @param {boolean} [isChosen] whether the reader has asked for these fields.
 */
export function showSignIn(container, usesToken = session.prefersToken, isChosen = false) {
  const texts = text.shell.signIn;
  const parts = signInParts(session.access.value, usesToken);
  const link = parts.provider !== null && element("a.button.primary", {
    href: urlOf("/v1/oidc/login").href, "aria-describedby": "sign-in-reason", onClick: keepView,
  }, texts.provider(parts.provider));
  const reason = link && element("p.field-problem", { id: "sign-in-reason", role: "alert" }, session.signOutReason);
  const problem = element("p.field-problem", { id: "sign-in-problem", role: "alert" }, !link && session.signOutReason);
  const fields = parts.fields === "token" ? tokenFields(parts.hasFirstUser) : userFields();
  const button = element(link ? "button" : "button.primary", { type: "submit" }, texts.signIn);
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
    element("img", { src: "page/style/logo.svg", alt: "", width: 34, height: 34 }), text.common.brand),
  element("p.intro", {}, texts.intro),
  reason, link,
  parts.fields !== null && withFields(parts, isChosen, [fields.elements, problem, button]),
  parts.other !== null && element("button.quiet", {
    type: "button", onClick: () => showSignIn(container, !usesToken, true),
  }, otherLabel(parts.other)));
  setChildren(container, form);
  if (link && !isChosen) link.focus();
  else fields.inputs[0].focus();
}

/** The fields below the button of a provider, if there is one; folded where most people sign in there. */
function withFields({ provider, isFolded }, isOpen, content) {
  const texts = text.shell.signIn;
  if (isFolded) {
    return element("details", { open: isOpen }, element("summary", {}, texts.administrators),
      element("div.sign-in-fields", {}, content));
  }
  return [provider !== null && element("p.or", {}, texts.or), content];
}

function otherLabel(fields) {
  const texts = text.shell.signIn;
  if (fields === "token") return texts.useToken;
  return session.access.value.signIn?.passwords === "administrators" ? texts.administrators : texts.usePassword;
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
    elements: [element("label", { for: name.id }, text.shell.signIn.name), name,
      element("label", { for: password.id }, text.shell.signIn.password), password],
    async signIn() {
      await signInUser(name.value.trim(), password.value);
    },
  };
}

async function signInUser(name, password) {
  try {
    await request("POST", "/v1/sessions", { json: { user: name, password } });
  } catch (error) {
    if (error.code === "passwords_off") {
      const detail = text.shell.signIn.passwordsOff(session.access.value.signIn?.provider ?? text.common.brand);
      throw new Problem({ status: 403, detail });
    }
    if (error.status !== 429) throw error;
    throw new Problem({ status: 429, detail: text.shell.signIn.tooManyAttempts(error.retryAfter) });
  }
  await session.signInByCookie();
}

function tokenFields(hasFirstUser) {
  const texts = text.shell.signIn;
  const input = element("input#token", {
    type: "password", name: "token", autocomplete: "off", required: true, spellcheck: "false",
    placeholder: "fp_…", "aria-describedby": "token-help sign-in-problem",
  });
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
      element("label", { for: "token" }, texts.token), input,
      element("p.hint", { id: "token-help" }, texts.tokenHelp(
        element("code", {}, "fencepost token create --name me --scope admin"), element("code", {}, "--storage"))),
      hasFirstUser && element("fieldset.form", {}, element("legend", {}, texts.firstUser),
        element("p.hint", { id: "first-help" }, texts.firstUserHelp),
        element("label", { for: name.id }, texts.name), name,
        element("label", { for: password.id }, texts.password), password),
    ],
    async signIn() {
      const token = input.value.trim();
      if (!token) return;
      if (!hasFirstUser || !name.value.trim()) {
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
    throw new Problem({ status: 0, detail: text.shell.signIn.noAnswer });
  });
  const { status } = response;
  if (status === 401) throw new Problem({ status, detail: text.common.tokenRefused });
  if (status === 403) throw new Problem({ status, detail: text.shell.signIn.cannotRead });
  if (!response.ok) throw new Problem({ status });
  await session.signIn(token);
}
