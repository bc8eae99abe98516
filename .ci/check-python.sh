#!/usr/bin/env bash
# libs/client-python: ruff, mypy, its tests against a running service and the verifier of libs/evidence, and its wheel, of a
# bounded size, installed into an empty environment and imported from there. Needs a build.
#   .ci/check-python.sh [ARGUMENT...]     arguments are pytest's
#   .ci/check-python.sh tools             installs what it needs and ends
# Installs its tools beside those of the test servers. They need Python 3.11; the package itself takes less (pyproject.toml).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "check-python.sh needs Python 3.11 or later, with venv, as the first python3 of PATH; that is $(python3 --version 2>&1 || echo none)" >&2
  exit 1
}

readonly PACKAGES=(
  cryptography==50.0.2
  rfc8785==0.1.4
  httpx==0.28.1
  anyio==4.16.0
  hatchling==1.33.0
  pytest==9.2.0
  mypy==2.4.1
  ruff==0.17.6
  langchain-core==1.7.2
  langgraph==1.2.22
  openai-agents==0.24.0
  opentelemetry-sdk==1.45.2
  pydantic-ai-slim==2.68.0
  agent-framework-core==1.23.0
  mcp==2.3.0
)
# Its wheels carry the program that it drives, 165 MB: without it, it is built from its sources.
readonly WITHOUT_PROGRAM=claude-agent-sdk==0.2.184
# Frameworks whose dependencies exclude those of the ones above: in an environment of their own, in which their tests run.
readonly OTHERS=(
  strands-agents==1.62.0
  google-adk==2.13.0
  cryptography==50.0.2
  httpx==0.28.1
  pytest==9.2.0
  rfc8785==0.1.4
)
readonly TESTS_OF_OTHERS=(
  tests/test_strands_adapter.py
  tests/test_google_adk_adapter.py
  tests/test_interrupts_of_others.py
  tests/test_examples.py::test_the_example_of_strands
  tests/test_examples.py::test_the_example_of_google_adk
)
# CrewAI depends on 1 GB of packages: without those that tool calls do not load, with all versions in a file.
readonly TESTS_OF_CREWAI=(
  tests/test_crewai_adapter.py
  tests/test_examples.py::test_the_example_of_crewai
)
readonly PACKAGES_OF_CREWAI=$PWD/.ci/python-crewai.txt
# What those depend on, for one set of versions on every machine.
readonly CONSTRAINTS=$PWD/.ci/python-constraints.txt
readonly CONSTRAINTS_OF_OTHERS=$PWD/.ci/python-constraints-others.txt
VERSIONS=$(
  python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])'
  printf '%s\n' "${PACKAGES[@]}" "$WITHOUT_PROGRAM" "${OTHERS[@]}"
  cat "$CONSTRAINTS" "$CONSTRAINTS_OF_OTHERS" "$PACKAGES_OF_CREWAI"
)
readonly VERSIONS
TOOLS=${COUNTERSIGN_TEST_INFRA_DIR:-$HOME/.cache/countersign-infra}/tools/python-$(sha256sum <<<"$VERSIONS" | cut -c 1-12)
readonly TOOLS
readonly BIN=$TOOLS/own/bin
WORK=$(mktemp -d)
readonly WORK
trap 'rm -rf "$WORK"' EXIT

pip_install() {
  timeout "$1" "$BIN/pip" install -q --disable-pip-version-check -c "$CONSTRAINTS" "${@:2}"
}

# The frameworks that exclude versions which the others need.
install_others() {
  python3 -m venv "$TOOLS/others" &&
    timeout 240 "$TOOLS/others/bin/pip" install -q --disable-pip-version-check -c "$CONSTRAINTS_OF_OTHERS" "${OTHERS[@]}"
}

install_crewai() {
  python3 -m venv "$TOOLS/crewai" &&
    timeout 240 "$TOOLS/crewai/bin/pip" install -q --disable-pip-version-check --no-deps -r "$PACKAGES_OF_CREWAI"
}

install_own() {
  python3 -m venv "$TOOLS/own" && pip_install 150 "${PACKAGES[@]}" &&
    pip_install 60 --no-deps --no-build-isolation --no-binary claude-agent-sdk "$WITHOUT_PROGRAM"
}

# ensure NAME: an incomplete folder has no marker, and is built again.
ensure() {
  [ ! -e "$TOOLS/$1.whole" ] || return 0
  local try
  for try in 1 2 3; do
    rm -rf "${TOOLS:?}/$1"
    if "install_$1"; then
      touch "$TOOLS/$1.whole"
      return 0
    fi
    sleep $((try * 3))
  done
  rm -rf "${TOOLS:?}/$1"
  echo 'the tools for Python cannot be installed' >&2
  return 1
}

readonly MOST_WHEEL_BYTES=262144

# Its build tools and dependencies are taken from the tools: no registry is used.
check_installed() {
  local folder=$PWD
  mkdir "$WORK/folder"
  python3 -m venv "$WORK/empty"
  "$BIN/python" -c 'import site; print(site.getsitepackages()[0])' \
    >"$("$WORK/empty/bin/python" -c 'import site; print(site.getsitepackages()[0])')/tools.pth"
  (
    cd "$WORK/folder"
    "$WORK/empty/bin/pip" wheel -q --disable-pip-version-check --no-index --no-deps --no-build-isolation -w wheel "$folder"
    local wheel bytes
    wheel=$(echo wheel/*.whl)
    bytes=$(wc -c <"$wheel")
    echo "$wheel: $bytes bytes"
    [ "$bytes" -le "$MOST_WHEEL_BYTES" ] || { echo "the wheel may have $MOST_WHEEL_BYTES bytes" >&2; exit 1; }
    "$WORK/empty/bin/pip" install -q --disable-pip-version-check --no-index --no-deps "$wheel"
    "$WORK/empty/bin/python" -I - <<'PYTHON'
import pathlib, sys
import countersign, countersign.verify
place = pathlib.Path(countersign.__file__).parent
assert str(place).startswith(sys.prefix), place
assert (place / "py.typed").exists(), "py.typed is missing"
import countersign.adapters.claude_agent_sdk, countersign.adapters.langchain, countersign.adapters.openai_agents
import countersign.adapters.google_adk, countersign.adapters.pydantic_ai, countersign.adapters.strands
import countersign.adapters.agent_framework, countersign.adapters.crewai
names = ("agent_framework", "agents", "claude_agent_sdk", "crewai", "google", "langchain_core", "mcp", "pydantic_ai", "strands")
frameworks = set(names) & set(sys.modules)
assert not frameworks, f"the adapters import {frameworks} before they are used"
print(f"imported {len(countersign.__all__)} and {len(countersign.verify.__all__)} names of what was installed")
PYTHON
    "$WORK/empty/bin/python" -I -m countersign verify --help >/dev/null
  )
}

ensure own
ensure others
ensure crewai
[ "${1-}" != tools ] || exit 0
export PYTHONDONTWRITEBYTECODE=1
cd libs/client-python
"$BIN/ruff" check --no-cache --quiet .
"$BIN/ruff" format --no-cache --check --quiet .
"$BIN/mypy" --cache-dir="$TOOLS/mypy" >"$WORK/mypy" 2>&1 &
types=$!
tested=0
"$BIN/python" -m pytest "$@" || tested=$?
[ "$#" -gt 0 ] || "$TOOLS/others/bin/python" -m pytest "${TESTS_OF_OTHERS[@]}" || tested=$?
[ "$#" -gt 0 ] || "$TOOLS/crewai/bin/python" -m pytest "${TESTS_OF_CREWAI[@]}" || tested=$?
wait "$types" || { cat "$WORK/mypy"; exit 1; }
[ "$tested" -eq 0 ] || exit "$tested"
check_installed
