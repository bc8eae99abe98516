#!/usr/bin/env bash
# Installs the servers that tests start as processes, and their dependencies, if they are missing:
#   kafka (Maven), redis (apt), mongo (SecantusDB, PyPI), toxiproxy (Go); chromium (apt), for the pages; and
#   runtimes (npm), for the JavaScript client.
# All but apt's packages go to $COUNTERSIGN_TEST_INFRA_DIR (default: ~/.cache/countersign-infra). It can be run
# repeatedly: parts in the right version are left alone. Packages come from the sources configured on the machine.
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly DIR=${COUNTERSIGN_TEST_INFRA_DIR:-$HOME/.cache/countersign-infra}
readonly SECANTUS=0.7.0b3 TOXIPROXY=2.5.0
# The oldest supported Node of the client, and Node-like runtimes.
readonly NODE=18.20.8 DENO=2.9.6 BUN=1.4.5
readonly COPY_DEPENDENCIES=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies

# A marker shows that a part is complete, and its source version.
complete() { [ "$(cat "$DIR/$1/.complete" 2>/dev/null)" = "$2" ]; }

# retry SECONDS COMMAND...: up to three times, each within its seconds.
retry() {
  local seconds=$1 n
  shift
  for n in 1 2 3; do
    timeout --kill-after=10 "$seconds" "$@" </dev/null && return 0
    echo "attempt $n of 3 failed: $*"
    [ "$n" -eq 3 ] || sleep $((n * 3))
  done
  return 1
}

# part NAME VERSION: runs install_NAME into an empty folder of its own unless it exists; prints the result in one line.
part() {
  local name=$1 version=$2 start=$SECONDS log="$DIR/$1.log"
  if complete "$name" "$version"; then
    echo "$name $version: already there"
    return 0
  fi
  rm -rf "${DIR:?}/$name"
  mkdir -p "$DIR/$name"
  if "install_$name" "$DIR/$name" >"$log" 2>&1; then
    echo "$version" >"$DIR/$name/.complete"
    echo "$name $version: installed in $((SECONDS - start)) s"
  else
    echo "$name $version: FAILED after $((SECONDS - start)) s"
    tail -n 25 "$log" | sed "s/^/  $name: /"
    return 1
  fi
}

install_kafka() {
  retry 240 mvn -q -B -f "$HERE/kafka/pom.xml" "$COPY_DEPENDENCIES" -DincludeScope=runtime "-DoutputDirectory=$1/libs" || return 1
  # Formatted once: a broker starts on a copy of it.
  cat >"$1/format.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:9093
listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093
controller.listener.names=CONTROLLER
log.dirs=$1/formatted
EOF
  local id
  id=$(java -cp "$1/libs/*" kafka.tools.StorageTool random-uuid 2>/dev/null) || return 1
  timeout 60 java -cp "$1/libs/*" kafka.tools.StorageTool format -t "$id" -c "$1/format.properties"
}

install_mongo() {
  python3 -m venv "$1" && retry 120 "$1/bin/pip" install -q --disable-pip-version-check --pre "SecantusDB==$SECANTUS" &&
    test -x "$1/bin/secantusd-py"
}

install_toxiproxy() {
  GOBIN=$1 retry 240 go install "github.com/Shopify/toxiproxy/v2/cmd/server@v$TOXIPROXY" && test -x "$1/server"
}

# Only the packages for this kind of machine contain the programs; no install scripts are run.
install_runtimes() {
  local node=x64 deno=x64 bun=x64
  [ "$(uname -m)" = aarch64 ] && node=arm64 deno=arm64 bun=aarch64
  echo '{"private":true}' >"$1/package.json"
  retry 120 npm install --prefix "$1" --ignore-scripts --no-audit --no-fund --no-package-lock \
    "node-linux-$node@$NODE" "@deno/linux-$deno-glibc@$DENO" "@oven/bun-linux-$bun@$BUN" || return 1
  mkdir "$1/bin"
  ln -s "../node_modules/node-linux-$node/bin/node" "../node_modules/@deno/linux-$deno-glibc/deno" \
    "../node_modules/@oven/bun-linux-$bun/bin/bun" "$1/bin"
  "$1/bin/node" --version && "$1/bin/deno" --version && "$1/bin/bun" --version
}

# from_apt PACKAGE...
from_apt() {
  local start=$SECONDS log="$DIR/apt.log" root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo -n)
  root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=60)
  if { retry 120 "${root[@]}" update && retry 300 "${root[@]}" install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
    echo "$*: installed by apt in $((SECONDS - start)) s"
  else
    echo "$*: FAILED by apt after $((SECONDS - start)) s"
    tail -n 25 "$log" | sed 's/^/  apt: /'
    return 1
  fi
}

mkdir -p "$DIR"
exec 9>"$DIR/.lock"
flock -w 500 9 || { echo "another installation holds $DIR/.lock"; exit 1; }

missing=()
command -v java >/dev/null || missing+=(openjdk-17-jre-headless)
command -v mvn >/dev/null || missing+=(maven)
command -v go >/dev/null || missing+=(golang-go)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
  from_apt "${missing[@]}" || exit 1
fi

running=()
# Sequentially: apt takes a lock. A browser is not available everywhere, and is not a server.
programs_of_apt() {
  local failed=0 program
  for program in redis-server chromium; do
    if command -v "$program" >/dev/null; then
      echo "$program: already there"
    elif ! from_apt "$program"; then
      [ "$program" = chromium ] && echo 'chromium: tests of pages skip themselves' || failed=1
    fi
  done
  return "$failed"
}
programs_of_apt &
running+=($!)
part kafka 4.3.1 &
running+=($!)
part mongo "SecantusDB-$SECANTUS" &
running+=($!)
part toxiproxy "$TOXIPROXY" &
running+=($!)
# Not available everywhere, either.
{ part runtimes "node-$NODE-deno-$DENO-bun-$BUN" || echo 'runtimes: tests in them skip themselves'; } &
running+=($!)
failed=0
for one in "${running[@]}"; do wait "$one" || failed=1; done
[ "$failed" -eq 0 ] && echo "the servers of the tests are in $DIR, after $SECONDS s"
exit "$failed"
