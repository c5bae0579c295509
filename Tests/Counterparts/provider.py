"""Signs users in at providers of identities: oidc-provider-mock, and one that is made here with joserfc, which checks
what clients have to send, and sends each token that a client has to refuse."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import logging
import os
import subprocess
import threading
import time
import urllib.parse
import warnings

import requests
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

with warnings.catch_warnings(), open(os.devnull, "w", encoding="utf-8") as nowhere:
    # It warns of its own dependencies, whatever the filter is.
    with contextlib.redirect_stderr(nowhere):
        import oidc_provider_mock

CLIENT, SECRET = "fencepost", "a secret: with & signs/+"
RSA_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
LOGGED_OUT = "http://schemas.openid.net/event/backchannel-logout"


class Service:
    """Fencepost with a provider, on a storage of its own."""

    def __init__(self, program, folder, port, issuer, **settings):
        self.url, self.folder, self.program = f"http://127.0.0.1:{port}", folder, program
        self.browsers = 0
        folder.mkdir()
        (folder / "fencepost.json").write_text(json.dumps({
            "storage": {"path": "fencepost.sqlite"}, "server": {"host": "127.0.0.1", "port": port},
            "oidc": {"issuer": issuer, "clientId": CLIENT, "clientSecret": SECRET, "allowHTTP": True, **settings}}))

    def __enter__(self):
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen([self.program, "serve", "--config", "fencepost.json"], cwd=self.folder,
                                            stdout=log, stderr=subprocess.STDOUT)
        for _ in range(300):
            try:
                if requests.get(f"{self.url}/readyz", timeout=2).ok:
                    return self
            except requests.ConnectionError:
                pass
            time.sleep(0.1)
        raise SystemExit("The service did not start: " + self.log()[-500:])

    def __exit__(self, *details):
        self.process.terminate()
        self.process.wait(20)

    def log(self):
        return (self.folder / "log").read_text()

    def sign_in(self, at_provider, browser=None):
        """One sign-in, as a browser goes through it: the browser, and the parameters of the page or None."""
        browser = browser or requests.Session()
        browser.trust_env = False
        # Twenty failures make an address wait, as those with a password do.
        self.browsers += 1
        browser.headers["X-Forwarded-For"] = f"10.{self.browsers}.0.1"
        begun = browser.get(f"{self.url}/v1/oidc/login", allow_redirects=False)
        if begun.status_code != 303:
            raise SystemExit(f"login: {begun.status_code} {begun.text}")
        if begun.headers["Location"].startswith("../.."):
            return browser, parameters(begun.headers["Location"])
        back = at_provider(browser, begun.headers["Location"])
        ended = browser.get(back, allow_redirects=False)
        if ended.status_code == 303:
            return browser, parameters(ended.headers["Location"])
        if ended.status_code != 200 or 'content="0; url=../../"' not in ended.text:
            raise SystemExit(f"callback: {ended.status_code} {ended.text}")
        return browser, None

    def access(self, browser):
        return browser.get(f"{self.url}/v1/access").json()

    def password(self, name, password):
        return requests.post(f"{self.url}/v1/sessions", json={"user": name, "password": password}, timeout=30)


def parameters(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


def encoded(value):
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def expect(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"{what}: {wanted!r} was expected, and is {found!r}")


# MARK: A provider of PyPI

def as_user(subject):
    def sign_in(browser, address):
        form = {"sub": subject} if subject else {"action": "deny"}
        answer = browser.post(address, data=form, allow_redirects=False)
        return answer.headers["Location"]
    return sign_in


def check_mock(program, folder, port):
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    users = [oidc_provider_mock.User(sub=name, claims={"preferred_username": name, **claims}) for name, claims in (
        ("jane", {"groups": ["admins", "staff"]}), ("joe", {"groups": ["drivers"]}), ("eve", {}), ("ida", {}))]
    with oidc_provider_mock.run_server_in_thread(port=0, user_claims=users) as server:
        issuer = f"http://localhost:{server.server_port}"
        groups = [{"group": "admins", "role": "admin"}, {"group": "drivers", "role": "viewer", "tags": ["vans"]}]
        with Service(program, folder / "mock", port, issuer, groups=groups, firstSignIn="invited", name="House") as it:
            jane, problem = it.sign_in(as_user("jane"))
            expect(problem, None, "jane")
            access = it.access(jane)
            expect((access["user"]["name"], access["user"]["role"], access["user"]["signIn"]),
                   ("jane", "admin", "provider"), "jane's account")
            expect((access["signIn"], access["signOut"]),
                   ({"provider": "House", "passwords": "all"}, "v1/oidc/logout"), "what the page knows")
            joe, _ = it.sign_in(as_user("joe"))
            expect((it.access(joe)["user"]["role"], it.access(joe)["user"]["tags"]), ("viewer", ["vans"]), "joe")
            expect(it.sign_in(as_user("eve"))[1], {"signIn": "refused"}, "eve, whom nobody knows")
            invited = jane.post(f"{it.url}/v1/users", json={"name": "ida", "password": None, "role": "editor"})
            expect((invited.status_code, invited.json()["signIn"]), (201, "provider"), "an invitation")
            expect(it.password("ida", "").status_code, 401, "an invited user without a password")
            ida, problem = it.sign_in(as_user("ida"))
            expect((problem, it.access(ida)["user"]["id"]), (None, invited.json()["id"]), "ida, who was invited")
            expect(it.sign_in(as_user(None))[1], {"signIn": "denied"}, "a user who cancels")
            out = jane.get(f"{it.url}/{access['signOut']}", allow_redirects=False)
            expect(out.headers["Location"].split("?")[0], f"{issuer}/oauth2/end_session", "signing out")
            gone = parameters(out.headers["Location"])
            expect((gone["client_id"], gone["post_logout_redirect_uri"], gone["id_token_hint"].count(".")),
                   (CLIENT, f"{it.url}/", 2), "signing out")
            expect("user" in it.access(jane), False, "after signing out")
            expect(jane.get(out.headers["Location"]).ok, True, "the provider's page of signing out")
    print("oidc-provider-mock: members of groups and invited users sign in and out, and nobody else does.")


# MARK: A provider that sends wrong tokens

class Provider(http.server.ThreadingHTTPServer):
    """It checks what a client sends, and answers with the token that the test wants."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server_port}/realms/house"
        self.keys = {"rsa": RSAKey.generate_key(2048), "ec": ECKey.generate_key("P-256")}
        self.published, self.key_requests = ["rsa", "ec"], 0
        self.token, self.information, self.asked, self.document = None, None, None, {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def claims(self, **changes):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": "4711", "exp": now + 300, "iat": now,
                  "nonce": (self.asked or {}).get("nonce"), "preferred_username": "jane", "groups": ["admins"],
                  "sid": "s1", **changes}
        return {name: value for name, value in claims.items() if value is not None}

    def sign(self, claims, key="rsa", alg="RS256", **header):
        header = {"alg": alg, "kid": key, **header}
        header = {name: value for name, value in header.items() if value is not None}
        key = self.keys[key] if isinstance(key, str) else key
        text = f"{encoded(header)}.{encoded(claims)}"
        # The algorithm alone: joserfc itself makes no token that nobody may take.
        return f"{text}.{encoded(jws.JWSRegistry.algorithms[alg].sign(text.encode(), key))}"

    def public(self, name):
        return {**self.keys[name].as_dict(private=False), "kid": name, "use": "sig"}

    def sign_in(self, browser, address):
        """What the browser does at the provider, whose rules for the request are checked."""
        self.asked = parameters(address)
        expect({name: self.asked[name] for name in ("response_type", "client_id", "code_challenge_method")},
               {"response_type": "code", "client_id": CLIENT, "code_challenge_method": "S256"}, "the request")
        if "openid" not in self.asked["scope"].split() or min(len(self.asked[n]) for n in ("nonce", "state")) < 22:
            raise SystemExit(f"the request for a code: {self.asked}")
        return self.asked["redirect_uri"] + "?" + urllib.parse.urlencode(
            {"code": "a code/+", "state": self.asked["state"], "iss": self.issuer})


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *details):
        pass

    def answer(self, content, status=200):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        issuer = self.server.issuer
        if self.path == "/realms/house/.well-known/openid-configuration":
            self.answer({"issuer": issuer, "authorization_endpoint": f"{issuer}/auth?kind=web",
                         "token_endpoint": f"{issuer}/token", "jwks_uri": f"{issuer}/keys",
                         "userinfo_endpoint": f"{issuer}/me", **self.server.document})
        elif self.path == "/realms/house/keys":
            self.server.key_requests += 1
            self.answer({"keys": [self.server.public(name) for name in self.server.published]})
        elif self.path == "/realms/house/me" and self.headers["Authorization"] == "Bearer an access token":
            self.answer(self.server.information or {"sub": "4711"})
        else:
            self.answer({}, 404)

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        pair = base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode().split(":")
        asked = self.server.asked
        challenge = encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
        wanted = {"code": "a code/+", "redirect_uri": asked["redirect_uri"], "grant_type": "authorization_code"}
        if [urllib.parse.unquote_plus(part) for part in pair] != [CLIENT, SECRET] or \
                {name: form.get(name) for name in wanted} != wanted or \
                challenge != asked["code_challenge"] or len(form["code_verifier"]) < 43:
            return self.answer({"error": "invalid_grant", "error_description": "not what was asked for"}, 400)
        self.answer({"access_token": "an access token", "token_type": "Bearer", "id_token": self.server.token()})


def attacks(it):
    """Tokens that a client has to refuse, by the reason that it has to state."""
    now = int(time.time())
    stranger = RSAKey.generate_key(2048)
    modulus = it.keys["rsa"].as_pem(private=False)

    def cut(text):
        return text.rsplit(".", 1)[0] + "."

    def unsigned(algorithm):
        return f"{encoded({'alg': algorithm, 'kid': 'rsa'})}.{encoded(it.claims())}."

    # joserfc refuses to make such a token.
    def with_secret(secret, **header):
        text = f"{encoded({'alg': 'HS256', **header})}.{encoded(it.claims())}"
        return f"{text}.{encoded(hmac.digest(secret, text.encode(), 'sha256'))}"

    def changed():
        head, _, signature = it.sign(it.claims()).split(".")
        return f"{head}.{encoded(it.claims(groups=['admins', 'more']))}.{signature}"

    def relabelled(algorithm):
        _, body, signature = it.sign(it.claims()).split(".")
        return f"{encoded({'alg': algorithm, 'kid': 'rsa'})}.{body}.{signature}"

    for algorithm in ("none", "None", "NONE", "nOnE"):
        yield f"no signature, alg {algorithm}", "algorithm", lambda algorithm=algorithm: unsigned(algorithm)
    yield "HS256 with the public key as the secret", "algorithm", lambda: with_secret(modulus, kid="rsa")
    yield "HS256 with the client's secret", "algorithm", lambda: with_secret(SECRET.encode())
    yield "EdDSA, which no key of the set is for", "algorithm", lambda: relabelled("EdDSA")
    yield "PS256 over a signature of RS256", "signature", lambda: relabelled("PS256")
    yield "an EC algorithm with the id of an RSA key", "algorithm", lambda: it.sign(
        it.claims(), it.keys["ec"], "ES256", kid="rsa")
    yield "a key of somebody else with a known id", "signature", lambda: it.sign(it.claims(), stranger, kid="rsa")
    yield "a key of somebody else in the header", "signature", lambda: it.sign(
        it.claims(), stranger, kid="rsa", jwk=stranger.as_dict(private=False))
    yield "a key that is not in the set", "unknownKey", lambda: it.sign(it.claims(), stranger, kid="other")
    yield "a signature cut off", "signature", lambda: cut(it.sign(it.claims()))
    yield "claims changed after they were signed", "signature", changed
    yield "a critical header", "criticalHeader", lambda: it.sign(it.claims(), crit=["exp"], exp=1)
    yield "an RSA key of 1024 bits", "weakKey", lambda: it.sign(it.claims(), "weak")
    yield "another issuer", "issuer", lambda: it.sign(it.claims(iss=it.issuer + "/"))
    yield "no issuer", "malformed", lambda: it.sign(it.claims(iss=None))
    yield "another audience", "audience", lambda: it.sign(it.claims(aud="shop"))
    yield "an empty audience", "audience", lambda: it.sign(it.claims(aud=[]))
    yield "a part of the client's id as audience", "audience", lambda: it.sign(it.claims(aud=CLIENT[:-1]))
    yield "two audiences without azp", "authorizedParty", lambda: it.sign(it.claims(aud=[CLIENT, "shop"]))
    yield "azp of another client", "authorizedParty", lambda: it.sign(it.claims(azp="shop"))
    yield "expired 90 s ago", "expired", lambda: it.sign(it.claims(exp=now - 90))
    yield "no exp", "malformed", lambda: it.sign(it.claims(exp=None))
    yield "exp that is a text", "malformed", lambda: it.sign(it.claims(exp="2100-01-01"))
    yield "issued in 5 min", "issuedInFuture", lambda: it.sign(it.claims(iat=now + 300))
    yield "no iat", "malformed", lambda: it.sign(it.claims(iat=None))
    yield "valid from in 5 min", "notYetValid", lambda: it.sign(it.claims(nbf=now + 300))
    yield "another nonce", "nonce", lambda: it.sign(it.claims(nonce="x" * 44))
    yield "no nonce", "nonce", lambda: it.sign(it.claims(nonce=None))
    yield "no subject", "malformed", lambda: it.sign(it.claims(sub=None))
    yield "a token for signing out", "malformed", lambda: it.sign(it.claims(events={LOGGED_OUT: {}}))
    yield "claims that are no JSON", "malformed", lambda: it.sign(b"jane")
    yield "a text", "malformed", lambda: "jane"
    yield "encrypted, with five parts", "malformed", lambda: "e30.e30.e30.e30.e30"


def check_attacks(service, it):
    count = 0
    it.keys["weak"] = RSAKey.generate_key(1024)
    it.published = ["rsa", "ec", "weak"]
    for what, reason, token in attacks(it):
        it.token = token
        browser, problem = service.sign_in(it.sign_in)
        expect(problem, {"signIn": "invalid_token", "reason": reason}, what)
        expect("user" in service.access(browser), False, what)
        count += 1
    print(f"joserfc: {count} wrong tokens are refused, each with its reason.")


def check_right(service, it):
    """What differs between providers, and is right."""
    now = int(time.time())
    it.keys.update(p384=ECKey.generate_key("P-384"), p521=ECKey.generate_key("P-521"))
    it.published = ["rsa", "ec", "p384", "p521"]
    time.sleep(10.1)  # Keys are read again for an unknown id, at most each 10 s.
    cases = [(alg, lambda alg=alg: it.sign(it.claims(), alg=alg)) for alg in RSA_ALGORITHMS]
    cases += [(alg, lambda alg=alg, key=key: it.sign(it.claims(), key, alg)) for alg, key in
              (("ES256", "ec"), ("ES384", "p384"), ("ES512", "p521"))]
    cases += [
        ("no id of the key", lambda: it.sign(it.claims(), kid=None)),
        ("two audiences with azp", lambda: it.sign(it.claims(aud=["shop", CLIENT], azp=CLIENT))),
        ("expired 30 s ago", lambda: it.sign(it.claims(exp=now - 30))),
        ("issued in 30 s", lambda: it.sign(it.claims(iat=int(time.time()) + 30, nbf=int(time.time()) + 30))),
        ("one group as a text", lambda: it.sign(it.claims(groups="admins"))),
    ]
    for what, token in cases:
        it.token = token
        browser, problem = service.sign_in(it.sign_in)
        expect((problem, service.access(browser).get("user", {}).get("role")), (None, "admin"), what)
    # Groups that only the provider's information has, as with Authelia.
    it.token, it.information = lambda: it.sign(it.claims(groups=None)), {"sub": "4711", "groups": ["admins"]}
    expect(service.access(service.sign_in(it.sign_in)[0])["user"]["role"], "admin", "groups by userinfo")
    it.information = {"sub": "4712", "groups": ["admins"]}
    expect(service.sign_in(it.sign_in)[1], {"signIn": "invalid_token", "reason": "subject"}, "of somebody else")
    # Who has left the group has no rights of it any more, and an administrator is not let in as what he was.
    it.information = {"sub": "4711", "groups": []}
    expect(service.sign_in(it.sign_in)[1], {"signIn": "refused"}, "a former administrator")
    print(f"joserfc: {len(cases)} right tokens of other kinds are taken, and groups by userinfo.")


def check_browsers(service, it):
    """The answer belongs to the browser that has asked."""
    it.token = lambda: it.sign(it.claims())
    stolen = requests.get(f"{service.url}/v1/oidc/login", allow_redirects=False, timeout=30)
    back = it.sign_in(None, stolen.headers["Location"])
    victim = requests.Session()
    expect(parameters(victim.get(back, allow_redirects=False).headers["Location"]), {"signIn": "expired"},
           "another browser")
    browser, _ = service.sign_in(lambda browser, address: it.sign_in(browser, address).replace("state=", "state=x"))
    expect("user" in service.access(browser), False, "another state")
    own = urllib.parse.quote(it.issuer, "")
    _, problem = service.sign_in(
        lambda browser, address: it.sign_in(browser, address).replace(own, "https%3A%2F%2Fx"))
    expect(problem, {"signIn": "invalid_token", "reason": "answerIssuer"}, "an answer of another issuer")
    again, _ = service.sign_in(it.sign_in)
    cookie = again.cookies["fencepost_session"]
    service.sign_in(it.sign_in, again)
    expect(again.cookies["fencepost_session"] == cookie, False, "a new secret for each session")


def check_keys(service, it):
    """A provider has a new key from one minute to the next; keys of a stranger do not make it work."""
    it.keys["new"], it.published = RSAKey.generate_key(2048), ["new"]
    time.sleep(10.1)
    it.token = lambda: it.sign(it.claims(), "new")
    expect(service.sign_in(it.sign_in)[1], None, "a new key")
    before = it.key_requests
    it.token = lambda: it.sign(it.claims(), RSAKey.generate_key(2048), kid="other")
    for _ in range(3):
        expect(service.sign_in(it.sign_in)[1], {"signIn": "invalid_token", "reason": "unknownKey"}, "an unknown key")
    if it.key_requests > before + 1:
        raise SystemExit(f"three tokens of a stranger made {it.key_requests - before} requests for keys")
    it.keys["rsa"], it.published = it.keys["new"], ["rsa"]
    time.sleep(10.1)


def check_signed_out(service, it):
    def notice(claims, **header):
        form = {"logout_token": it.sign(claims, typ="logout+jwt", **header)}
        return requests.post(f"{service.url}/v1/oidc/backchannel-logout", data=form, timeout=30)

    now = int(time.time())
    right = {"iss": it.issuer, "aud": CLIENT, "iat": now, "exp": now + 120, "jti": "1", "events": {LOGGED_OUT: {}}}
    it.token = lambda: it.sign(it.claims(sid="s1"))
    one, _ = service.sign_in(it.sign_in)
    it.token = lambda: it.sign(it.claims(sid="s2"))
    two, _ = service.sign_in(it.sign_in)
    wrong = {
        "issuer": {**right, "sid": "s1", "iss": "https://x"}, "audience": {**right, "sid": "s1", "aud": "shop"},
        "expired": {**right, "sid": "s1", "exp": now - 90}, "malformed": right,
        "notForSigningOut": {**right, "sid": "s1", "events": {}}, "nonce": {**right, "sid": "s1", "nonce": "x"}}
    for reason, claims in wrong.items():
        answer = notice(claims)
        reason = "notForSigningOut" if reason == "nonce" else reason
        expect((answer.status_code, f"({reason})" in answer.json()["detail"]), (400, True), f"{reason}: {answer.text}")
    expect(notice({**right, "sid": "s1"}, key=RSAKey.generate_key(2048), kid="rsa").status_code, 400, "a stranger")
    expect(["user" in service.access(browser) for browser in (one, two)], [True, True], "after wrong notices")
    expect(notice({**right, "sid": "s1"}).status_code, 200, "the end of a session")
    expect(["user" in service.access(browser) for browser in (one, two)], [False, True], "after one has ended")
    expect(notice({**right, "sub": "4711", "iat": now - 300}).status_code, 200, "an old notice")
    expect("user" in service.access(two), True, "after an old notice, before which the session was not there")
    expect(notice({**right, "sub": "4711", "iat": int(time.time())}).status_code, 200, "the end of all sessions")
    expect("user" in service.access(two), False, "after all have ended")
    print(f"joserfc: the provider ends one session or all of a person, and {len(wrong) + 1} wrong notices end none.")


def check_passwords(program, folder, port, issuer):
    """Without its provider the service starts, says so, and lets an administrator in where that is allowed."""
    for passwords, admin, viewer in (("all", 201, 201), ("administrators", 201, 403), ("none", 403, 403)):
        place = folder / f"away-{passwords}"
        service = Service(program, place, port, issuer, passwords=passwords)
        for name, role in (("root", "admin"), ("vera", "viewer")):
            subprocess.run([program, "user", "add", name, "--role", role, "--storage", "fencepost.sqlite"],
                           cwd=place, input="correct horse battery\n", text=True, check=True, capture_output=True)
        with service as it:
            expect(it.sign_in(None)[1], {"signIn": "provider_away"}, "a provider that is away")
            expect("no connection; does the service run there?" in it.log(), True, it.log()[-300:])
            found = [it.password(name, "correct horse battery").status_code for name in ("root", "vera")]
            expect(found, [admin, viewer], f"passwords: {passwords}")
    print("A provider that is away: the service starts, says so, and takes passwords as it is configured.")


def check(program, folder, free_port):
    check_mock(program, folder, free_port())
    it = Provider()
    rules = {"groups": [{"group": "admins", "role": "admin"}]}
    with Service(program, folder / "made", free_port(), it.issuer, **rules) as service:
        check_attacks(service, it)
        check_right(service, it)
        check_browsers(service, it)
        check_keys(service, it)
        check_signed_out(service, it)
    it.shutdown()
    it.server_close()
    check_passwords(program, folder, free_port(), it.issuer)
