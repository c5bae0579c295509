#!/usr/bin/env bash
# Runs every lint but the one of Swift's format: Tests/Lint/run.sh [LINT ...]
# Those that are scripts of this folder need Python 3.9 alone. The others come from PyPI and are skipped, aloud, where they
# cannot be installed; with FENCEPOST_LINT_ALL=1, as CI sets it, that fails.
set -u
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1

here=Tests/Lint
tools=.build/lint-tools
status=0

# Installs the tools once for each version of their list.
install_tools() {
  cmp -s $here/requirements.txt $tools/requirements.txt && return 0
  rm -rf $tools
  mkdir -p .build
  python3 -m venv $tools &&
    $tools/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $here/requirements.txt &&
    cp $here/requirements.txt $tools/
}

have_tools=
need_tools() {
  if [ -z "$have_tools" ]; then
    if install_tools >&2; then have_tools=yes; else have_tools=no; fi
  fi
  [ $have_tools = yes ] && return 0
  echo "Skipped: the lint of $1. Its tools cannot be installed from PyPI; they need python3-venv and the network." >&2
  [ -z "${FENCEPOST_LINT_ALL:-}" ] || status=1
  return 1
}

# A linter that finds nothing in a bad sample is not at work: selftest NAME FILE-NAME CONTENT COMMAND...
selftest() {
  local name=$1 file=$2 content=$3
  shift 3
  local folder
  folder=$(mktemp -d)
  mkdir -p "$folder/$(dirname "$file")"
  printf '%s\n' "$content" >"$folder/$file"
  if "$@" "$folder/$file" >/dev/null 2>&1; then
    echo "The lint of $name fails its self-test: it passes a bad sample." >&2
    status=1
  fi
  rm -rf "$folder"
}

javascript() {
  need_tools JavaScript || return
  local oxlint="$tools/bin/oxlint --config $here/oxlint.json --format unix"
  selftest JavaScript a.js 'const a = ;' $oxlint
  selftest JavaScript a.js 'import { a } from "./b.js"; export const c = 1;' $oxlint
  # oxlint ends with 1 when it finds an error; nothing is printed else.
  $oxlint Sources/FencepostPage/Web || status=1
}

python() {
  need_tools Python || return
  local ruff="$tools/bin/ruff check --quiet --no-cache --output-format concise --config $here/ruff.toml"
  selftest Python a.py 'import os' $ruff
  $ruff Packaging Regions Sources Tests docs || status=1
  $tools/bin/ruff format --quiet --no-cache --config $here/ruff.toml --check $here docs/api || status=1
}

workflows() {
  need_tools 'the workflows' || return
  local schema="$tools/bin/check-jsonschema --builtin-schema vendor.github-workflows"
  local zizmor="$tools/bin/zizmor --offline --quiet --no-progress --config $here/zizmor.yml"
  selftest 'the workflows' w.yml 'on: push' $schema
  selftest 'the workflows' .github/workflows/w.yml $'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.event.issue.title }}' $zizmor
  $schema --quiet .github/workflows/*.yml || status=1
  $tools/bin/check-jsonschema --builtin-schema vendor.github-actions --quiet .github/actions/*/action.yml || status=1
  local output
  output=$($zizmor .github/workflows .github/actions/*/action.yml 2>&1) || {
    echo "$output"
    status=1
  }
}

for lint in ${@:-words references architecture functions totality switches clocks page_files metrics javascript python workflows}; do
  case $lint in
    words | references | architecture | functions | totality | switches | clocks | page_files | metrics) python3 $here/$lint.py || status=1 ;;
    javascript | python | workflows) $lint ;;
    *)
      echo "There is no lint $lint." >&2
      exit 64
      ;;
  esac
done
exit $status
