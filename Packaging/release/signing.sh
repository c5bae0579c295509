# shellcheck shell=bash
# Sourced by repository.sh and sums.sh: signing with SIGNING_KEY, a key of gpg's keyring or a file with an exported secret key.

# Sets `signer` to the key's fingerprint, or to nothing when no key is given.
prepare_signing() {
  signer=
  [ -n "${SIGNING_KEY:-}" ] || return 0
  local key=$SIGNING_KEY
  if [ -f "$key" ]; then
    GNUPGHOME=$(mktemp -d)
    export GNUPGHOME
    trap 'gpgconf --kill all 2>/dev/null; rm -rf "$GNUPGHOME"' EXIT
    gpg --batch --quiet --import "$key" 2>/dev/null || true
    key=
  fi
  # An empty pattern is every key of the keyring, which has one.
  signer=$(gpg --batch --list-secret-keys --with-colons ${key:+"$key"} 2>/dev/null |
    awk -F: '$1 == "fpr" { print $10; exit }') || true
  [ -n "$signer" ] || {
    echo "SIGNING_KEY names no secret key: '$SIGNING_KEY' is neither in gpg's keyring nor a file with one." >&2
    exit 1
  }
}

sign() {
  gpg --batch --yes --quiet --local-user "$signer" --digest-algo SHA512 "$@"
}
