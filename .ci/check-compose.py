"""Finds in the compose file what docker compose reports only at `up`: undefined names, images without a version, secrets."""
import re
import sys
import yaml

compose = yaml.safe_load(open(sys.argv[1]))
services = compose["services"]
problems = []
for name, service in services.items():
    for needed in service.get("depends_on") or {}:
        if needed not in services:
            problems.append(f"{name} depends on {needed}, which is not there")
        elif "healthcheck" not in services[needed]:
            problems.append(f"{name} waits for the health of {needed}, which has no check")
    for network in service.get("networks") or {}:
        if network not in compose["networks"]:
            problems.append(f"{name} is in the network {network}, which is not there")
    if "build" not in service and not re.search(r":v?\d+\.\d+", service["image"]):
        problems.append(f"{name}: pin the image {service['image']} to a version")
    if "healthcheck" not in service:
        problems.append(f"{name} has no health check")
    for variable, value in (service.get("environment") or {}).items():
        if re.search(r"PASSWORD|SECRET|TOKEN|PRIVATE_KEY", variable) and value:
            problems.append(f"{name}: {variable} holds a secret")
    for port in service.get("ports") or []:
        if port.get("host_ip") != "127.0.0.1":
            problems.append(f"{name} publishes {port.get('target')} beyond this machine")

# They ask addresses that the operator or an account names: of webhooks, key sets and the provider of single sign-on.
for name in ["gateway", "identity", "alerts"]:
    service = services.get(name, {})
    if "COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS" not in (service.get("environment") or {}):
        problems.append(f"{name} is not given COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS")
    if "outside" not in (service.get("networks") or {}):
        problems.append(f"{name} is not in the network outside")

# Which services may see which keys.
secrets = {"instance": {"gateway", "identity", "policy", "audit-log", "alerts", "anchoring", "reporting", "admin"},
           "authority": {"anchoring", "admin"}, "signing": {"reporting", "admin"}}
for volume, holders in secrets.items():
    mounted = {name for name, service in services.items()
               if any(mount.get("source") == volume for mount in service.get("volumes") or [])}
    # Services of a profile that is not enabled are missing in the rendered file.
    if mounted | {"admin"} != holders | {"admin"}:
        problems.append(f"the volume {volume} is mounted in {sorted(mounted)}, not in {sorted(holders)}")
expected = {"gateway", "identity", "policy", "audit-log", "alerts", "anchoring", "reporting", "verification", "mcp", "console", "edge", "kafka",
            "mongodb", "redis", "localnet", "prometheus", "grafana"}
problems += [f"{name} is missing" for name in sorted(expected - services.keys())]
for problem in problems:
    print(f"  docker-compose.yml: {problem}", file=sys.stderr)
sys.exit(1 if problems else 0)
