#!/usr/bin/env bash
# What is shipped for containers, checked without a container engine or a cluster: the compose file, the chart, the edge
# proxy, the rules of Prometheus. Installs the tools that it needs beside those of the test servers.
#   .ci/check-deploy.sh [tools]     installs them and ends
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

TOOLS=${COUNTERSIGN_TEST_INFRA_DIR:-$HOME/.cache/countersign-infra}/tools
mkdir -p "$TOOLS"
export GOBIN=$TOOLS
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

have() { command -v "$1" >/dev/null || [ -x "$TOOLS/$1" ]; }
again() { "$@" || { sleep 5; "$@"; }; }

install_tools() {
  if ! command -v nginx >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    again apt-get update -q >/dev/null
    again apt-get install -q -y --no-install-recommends nginx-light >/dev/null
  fi
  # A binary that a module calls `cmd` is given its own name.
  have compose-go || { again go install github.com/compose-spec/compose-go/v2/cmd@v2.16.2 && mv "$TOOLS/cmd" "$TOOLS/compose-go"; }
  have helm || again go install helm.sh/helm/v3/cmd/helm@v3.22.0
  [ -x "$TOOLS/kubernetes/bin/kubernetes-validate" ] || {
    python3 -m venv "$TOOLS/kubernetes"
    again "$TOOLS/kubernetes/bin/pip" install -q kubernetes-validate==1.37.0 pyyaml==6.0.3
  }
}

check_compose() {
  "$TOOLS/compose-go" docker-compose.yml >"$WORK/compose.yml"
  "$TOOLS/kubernetes/bin/python" .ci/check-compose.py "$WORK/compose.yml"
}

check_chart() {
  helm lint --quiet deploy/helm/countersign -f deploy/helm/countersign/ci-values.yaml 2>/dev/null
  helm template ci deploy/helm/countersign --kube-version 1.30 -f deploy/helm/countersign/ci-values.yaml 2>/dev/null >"$WORK/chart.yaml"
  # The operator's kinds are none of Kubernetes' own.
  "$TOOLS/kubernetes/bin/python" - "$WORK/chart.yaml" "$WORK/core.yaml" <<'PYTHON'
import sys, yaml
documents = [d for d in yaml.safe_load_all(open(sys.argv[1])) if d]
kinds = [d["kind"] for d in documents]
for kind, least in {"Deployment": 8, "Service": 8, "PodDisruptionBudget": 8, "NetworkPolicy": 8,
                    "HorizontalPodAutoscaler": 4, "ServiceMonitor": 7, "Ingress": 1}.items():
    if kinds.count(kind) < least:
        sys.exit(f"the chart renders {kinds.count(kind)} of {kind}, not {least}")
for document in documents:
    if document["kind"] == "NetworkPolicy" and "Egress" not in document["spec"]["policyTypes"]:
        sys.exit(f"{document['metadata']['name']} limits no egress")
    if document["kind"] == "NetworkPolicy":
        names = {(port["port"], port["protocol"]) for port in document["spec"]["egress"][0]["ports"]}
        if names != {(port, protocol) for port in (53, 5353) for protocol in ("UDP", "TCP")}:
            sys.exit(f"{document['metadata']['name']} does not reach the DNS of Kubernetes (53) and OpenShift (5353)")
    if document["kind"] != "Deployment":
        continue
    component = document["metadata"]["labels"]["app.kubernetes.io/component"]
    # The Pod Security Standard `restricted`, which a namespace may enforce.
    pod = document["spec"]["template"]["spec"]
    if pod.keys() & {"hostNetwork", "hostPID", "hostIPC"} or pod["securityContext"]["runAsUser"] == 0:
        sys.exit(f"{component}: the pod shares what is the node's, or runs as root")
    for volume in pod["volumes"]:
        if volume.keys() - {"name", "configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"}:
            sys.exit(f"{component}: the volume {volume['name']} is of a kind that is not permitted")
    for container in pod["containers"] + pod.get("initContainers", []):
        context = container["securityContext"]
        if (context["allowPrivilegeEscalation"], context["runAsNonRoot"], context["capabilities"], context["seccompProfile"]) != (
                False, True, {"drop": ["ALL"]}, {"type": "RuntimeDefault"}):
            sys.exit(f"{component}: {container['name']} has rights that are not permitted")
        if any("hostPort" in port for port in container.get("ports", [])):
            sys.exit(f"{component}: {container['name']} takes a port of the node")
    mounts = {mount["name"] for c in document["spec"]["template"]["spec"]["containers"] for mount in c["volumeMounts"]}
    if ("instance" in mounts) != (component not in {"edge", "verification", "mcp", "console"}):
        sys.exit(f"{component}: the instance secret is mounted where sessions are judged, services called or approvals bound, nowhere else")
    if ("keys" in mounts) != (component in {"anchoring", "reporting"}):
        sys.exit(f"{component}: keys are mounted where they are used, nowhere else")
yaml.safe_dump_all([d for d in documents if d["kind"] != "ServiceMonitor"], open(sys.argv[2], "w"))
PYTHON
  "$TOOLS/kubernetes/bin/kubernetes-validate" --strict --quiet -k 1.30 "$WORK/core.yaml"
  chart_refuses 'name at least one'
  chart_refuses 'singleSignOn.accountId' -f deploy/helm/countersign/ci-values.yaml --set openRegistration=true,singleSignOn.accountId=
  chart_refuses 'must not cross a network in clear' -f deploy/helm/countersign/ci-values.yaml --set ingress.tlsSecretName=
}

# chart_refuses WORDS OPTIONS...: the chart must not render, and must say these words.
chart_refuses() {
  local words=$1
  shift
  if helm template ci deploy/helm/countersign --kube-version 1.30 "$@" >/dev/null 2>"$WORK/refusal"; then
    echo "the chart renders where it should say: $words" >&2
    return 1
  fi
  grep -q "$words" "$WORK/refusal"
}

PATH=$TOOLS:$PATH
install_tools
[ "${1-}" != tools ] || exit 0
check_compose
check_chart
node .ci/check-edge.mjs 2>/dev/null
echo 'deploy: compose file, chart and edge proxy are in order'
