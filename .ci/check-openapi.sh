#!/usr/bin/env bash
# Sends a running instance requests that its OpenAPI document allows and forbids: no response is an undocumented 5xx, and
# every response has a status, a type, headers and a body that the document names.
#   .ci/check-openapi.sh [EXAMPLES [SEED]]     cases of each operation beside those of its edges
#   .ci/check-openapi.sh tools                 installs what it needs and ends
# Installs schemathesis beside the tools of the test servers. Needs a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly EXAMPLES=${1:-6} SEED=${2:-1}
readonly CHECKS=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
response_headers_conformance,unsupported_method,allow_header_conformance
readonly SCHEMATHESIS=4.32.5
readonly TOOLS=${COUNTERSIGN_TEST_INFRA_DIR:-$HOME/.cache/countersign-infra}/tools/schemathesis-$SCHEMATHESIS
WORK=$(mktemp -d)
readonly WORK
program=''

finish() {
  if [ -n "$program" ]; then
    kill -TERM "$program" 2>/dev/null && wait "$program" || true
  fi
  rm -rf "$WORK"
}
trap finish EXIT

install_schemathesis() {
  [ ! -x "$TOOLS/bin/schemathesis" ] || return 0
  local try
  for try in 1 2 3; do
    rm -rf "$TOOLS"
    if python3 -m venv "$TOOLS" && timeout 120 "$TOOLS/bin/pip" install -q --disable-pip-version-check "schemathesis==$SCHEMATHESIS"; then
      return 0
    fi
    rm -rf "$TOOLS"
    sleep $((try * 3))
  done
  echo 'schemathesis cannot be installed' >&2
  return 1
}

start_instance() {
  env COUNTERSIGN_PROFILE=embedded COUNTERSIGN_DATA_DIR="$WORK/data" COUNTERSIGN_PORT=0 \
    COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS=127.0.0.1:9 COUNTERSIGN_CHECK_DEADLINE_MS=10000 \
    node services/standalone/bin/countersign.js start >"$WORK/log" 2>&1 &
  program=$!
  for _ in $(seq 600); do
    [ ! -e "$WORK/data/bootstrap.json" ] || return 0
    kill -0 "$program" 2>/dev/null || break
    sleep 0.1
  done
  echo 'the instance does not become ready' >&2
  tail -n 25 "$WORK/log" >&2
  return 1
}

install_schemathesis
[ "${1-}" != tools ] || exit 0
start_instance
base=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).baseUrl' "$WORK/data/bootstrap.json")
# The tool's reports and caches are not kept: it runs in a folder that is removed.
hooks=$PWD/.ci/openapi-callers.py
status=0
(
  cd "$WORK"
  cp "$hooks" openapi_callers.py
  printf '[auth]\nauto-signup = false\n' >schemathesis.toml
  COUNTERSIGN_BOOTSTRAP=$WORK/data/bootstrap.json COUNTERSIGN_ANSWERS=$WORK/answers.json \
    PYTHONPATH=$WORK SCHEMATHESIS_HOOKS=openapi_callers \
    "$TOOLS/bin/schemathesis" run "$base/v1/openapi.json" --no-color --seed "$SEED" --max-examples "$EXAMPLES" \
    --phases examples,coverage,fuzzing --generation-database none --request-timeout 30 --warnings off --max-failures 50 \
    --checks "$CHECKS"
) || status=$?
if ! kill -0 "$program" 2>/dev/null; then
  ended=0
  wait "$program" || ended=$?
  program=''
  status=1
  echo "the instance ended during the run, with status $ended; its last lines:" >&2
  tail -n 10 "$WORK/log" | cut -c 1-1500 >&2
fi
if [ "$status" -ne 0 ]; then
  echo 'what the instance logged as errors:' >&2
  grep -E '"level":"(error|fatal)"' "$WORK/log" | tail -n 20 | cut -c 1-1500 >&2 || true
fi
# A run whose requests are all refused early tests nothing further. Some cannot succeed here: they need the code of a second
# factor, the token of an e-mail, a person's decision.
node - "$WORK/answers.json" <<'JAVASCRIPT' || status=1
const answers = Object.entries(JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8')));
const total = {};
for (const [, statuses] of answers) for (const [status, n] of Object.entries(statuses)) total[status] = (total[status] ?? 0) + n;
console.log(`answers by status: ${JSON.stringify(total)}`);
const refused = answers.filter(([, statuses]) => !Object.keys(statuses).some((status) => status < 300));
for (const [operation, statuses] of refused) console.log(`never a success: ${operation} ${JSON.stringify(statuses)}`);
process.exit(answers.length > 40 && refused.length <= answers.length / 7 ? 0 : 1);
JAVASCRIPT
exit "$status"
