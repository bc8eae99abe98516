"""Callers and ids of a schemathesis run: requests without credentials, with an API key and with a session in rotation; ids
of existing objects in addition to generated ones. A request that ends a session, key, user or agent gets its own.
"""

import atexit
import json
import os
import re
import threading
import uuid
from collections import Counter

import requests
import schemathesis

with open(os.environ["COUNTERSIGN_BOOTSTRAP"], encoding="utf-8") as file:
    BOOTSTRAP = json.load(file)
BASE = BOOTSTRAP["baseUrl"]
API_KEY = BOOTSTRAP["apiKey"]
PASSWORD = "a password that is long enough"
# A login costs what argon2id costs, and of one address only so many may fail: all are made before the run.
THROW_AWAY_SESSIONS = 12
THROW_AWAY_USERS = 8


def log_in():
    answer = requests.post(
        f"{BASE}/v1/auth/login",
        json={"email": BOOTSTRAP["email"], "password": BOOTSTRAP["password"]},
        timeout=30,
    )
    answer.raise_for_status()
    return answer.json()["token"]


SESSION = log_in()


def ask_text(method, path, body=None):
    """Sends a request as the bootstrap account's admin."""
    answer = requests.request(
        method, BASE + path, json=body, headers={"authorization": f"Bearer {SESSION}"}, timeout=30
    )
    answer.raise_for_status()
    return answer.content


def ask(method, path, body=None):
    return json.loads(ask_text(method, path, body))


def new_agent():
    return ask("POST", "/v1/agents", {"name": "one of a run"})["id"]


def new_event():
    answer = requests.post(
        f"{BASE}/v1/check",
        json={"agentId": new_agent(), "action": {"type": "a", "payload": "content"}},
        headers={"x-service-key": API_KEY},
        timeout=30,
    )
    answer.raise_for_status()
    return answer.headers["x-event-id"]


def new_user():
    body = {"email": f"{uuid.uuid4()}@example.com", "role": "auditor", "password": PASSWORD}
    return ask("POST", "/v1/users", body)["id"]


def sessions_of_another(count):
    """Ids of open sessions of a user who is not the caller."""
    login = {"email": f"{uuid.uuid4()}@example.com", "password": PASSWORD}
    user = ask("POST", "/v1/users", {**login, "role": "auditor"})["id"]
    for _ in range(count):
        requests.post(f"{BASE}/v1/auth/login", json=login, timeout=30).raise_for_status()
    return [session["id"] for session in ask("GET", f"/v1/sessions?userId={user}")["sessions"]]


def password_token():
    """The token of a link that sets the password of a user."""
    link = ask("POST", f"/v1/users/{new_user()}/password-link")["link"]
    return link.split("/")[-1]


def sign_in_to_enrol():
    """The token of a sign-in whose account requires a second factor, for five minutes."""
    login = {"email": f"{uuid.uuid4()}@example.com", "password": PASSWORD}
    ask("POST", "/v1/users", {**login, "role": "auditor"})
    ask("PUT", "/v1/second-factor/requirement", {"required": True})
    answer = requests.post(f"{BASE}/v1/auth/login", json=login, timeout=30)
    ask("PUT", "/v1/second-factor/requirement", {"required": False})
    return answer.json()["secondFactor"]["token"]


def pending_approval():
    """The id of an approval that an action waits for."""
    agent = new_agent()
    rule = {"id": "ask", "tools": ["wire"], "effect": "approve", "reason": "A person approves."}
    ask("PATCH", f"/v1/agents/{agent}/profile", {"rules": [rule], "store_payload": True})
    answer = requests.post(
        f"{BASE}/v1/check",
        json={"agentId": agent, "action": {"type": "tool_use", "tool_name": "wire"}},
        headers={"x-service-key": API_KEY},
        timeout=30,
    )
    answer.raise_for_status()
    return answer.json()["approval_id"]


def access_submission():
    """The access request of an evaluation that waits for an approval."""
    agent = new_agent()
    ask("PATCH", f"/v1/agents/{agent}/profile", {"rules": [{"id": "ask", "effect": "approve"}]})
    parts = {
        "subject": {"type": "agent", "id": agent},
        "action": {"name": "read"},
        "resource": {"type": "data", "id": "orders"},
    }
    answer = requests.post(
        f"{BASE}/access/v1/evaluation", json=parts, headers={"x-service-key": API_KEY}, timeout=30
    )
    answer.raise_for_status()
    request = answer.json()["context"]["access_request"]
    return {**parts, "denial": {name: request[name] for name in ("expires_at", "binding_token")}}


def new_api_key():
    return ask("POST", "/v1/api-keys", {"name": "one of a run"})["id"]


def new_destination():
    return ask("POST", "/v1/alert-configs", WEBHOOK)["id"]


def new_stream():
    # An account has few streams, and requests that are refused leave them there.
    for stream in ask("GET", "/v1/streams")["streams"]:
        if stream["id"] != EVENT_STREAM:
            ask_text("DELETE", f"/v1/streams/{stream['id']}")
    return ask("POST", "/v1/streams", STREAM)["id"]


def new_agent_key():
    agent = new_agent()
    return {"id": agent, "keyId": ask("POST", f"/v1/agents/{agent}/signing-keys", AGENT_KEY)["id"]}


def new_trusted_issuer():
    # An account trusts few issuers.
    for one in ask("GET", "/v1/trusted-issuers")["trustedIssuers"]:
        ask_text("DELETE", f"/v1/trusted-issuers/{one['id']}")
    return ask("POST", "/v1/trusted-issuers", TRUSTED_ISSUER)["id"]


EXPORT = {
    "format": "json",
    "frameworks": ["soc2"],
    "from": "2020-01-01T00:00:00Z",
    "to": "2100-01-01T00:00:00Z",
    "agentIds": [],
}
EVENT_STREAM = None
# A closed port: nothing leaves the machine.
WEBHOOK = {"kind": "webhook", "destination": "https://127.0.0.1:9/alerts"}
# RFC 8037, appendix A.2.
AGENT_KEY = {"publicKey": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
TRUSTED_ISSUER = {
    "issuer": "https://login.example.com",
    "jwksUri": "https://login.example.com/jwks.json",
    "audience": "https://countersign.example.com",
}
SHARE = {"expiresIn": 3600}
STREAM = {"kind": "https", "url": "https://127.0.0.1:9/events", "format": "ocsf", "enabled": False}


def new_report():
    """Issues a public report and returns its list entry."""
    ask_text("POST", "/v1/events/export-signed", EXPORT)
    report = ask("GET", "/v1/reports")["reports"][0]
    return ask("PATCH", f"/v1/reports/{report['id']}", {"public": True})


def new_series():
    """Joins the report into a series and returns its list entry."""
    ask_text("POST", "/v1/report-series", {"reportIds": [REPORT["id"]]})
    return ask("GET", "/v1/report-series")["series"][0]


def new_report_job():
    """Starts a report job and returns its id."""
    # An account has few jobs that have not ended.
    for job in ask("GET", "/v1/report-jobs")["jobs"]:
        ask_text("DELETE", f"/v1/report-jobs/{job['id']}")
    return ask("POST", "/v1/report-jobs", EXPORT)["id"]


def new_share():
    """Makes a link to the report and returns it."""
    return ask("POST", f"/v1/reports/{REPORT['id']}/shares", SHARE)


AGENTS = [BOOTSTRAP["agentId"], *(new_agent() for _ in range(5))]
SESSIONS = [log_in() for _ in range(THROW_AWAY_SESSIONS)]
USERS = [new_user() for _ in range(THROW_AWAY_USERS)]
# Sessions of another user, whose ids answers show as well.
ENDABLE = sessions_of_another(THROW_AWAY_SESSIONS)
APPROVAL = pending_approval()
REPORT = new_report()
SERIES = new_series()
REPORT_JOB = new_report_job()
SHARED_TOKEN = new_share()["url"].split("/")[-1]
KEY = ask("GET", "/v1/keys")["activeKeyId"]
DESTINATION = new_destination()
EVENT_STREAM = new_stream()
UUID = re.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
made_up = lambda: str(uuid.uuid4())

# By operation that waits: the member of its query, its most and a short time, in seconds.
LONG_WAITS = {
    "GET /v1/events/stream": ("seconds", 86_400, 1),
    "GET /v1/approvals/{approvalId}": ("wait", 30, 0),
}
# By operation: an id that may be lost. All others of the path are looked up in SHARED.
THROW_AWAY = {
    "DELETE /v1/api-keys/{id}": new_api_key,
    "DELETE /v1/sessions/{id}": lambda: ENDABLE.pop() if ENDABLE else made_up(),
    "DELETE /v1/users/{id}": lambda: USERS.pop() if USERS else made_up(),
    "DELETE /v1/alert-configs/{id}": new_destination,
    "DELETE /v1/streams/{id}": new_stream,
    "DELETE /v1/report-jobs/{id}": new_report_job,
    "DELETE /v1/reports/{id}/shares/{shareId}": lambda: {"id": REPORT["id"], "shareId": new_share()["id"]},
    "DELETE /v1/trusted-issuers/{id}": new_trusted_issuer,
    "DELETE /v1/events/{eventId}/content": new_event,
    "POST /v1/agents/{id}/signing-keys": new_agent,
    "DELETE /v1/agents/{id}/signing-keys/{keyId}": new_agent_key,
    "PUT /v1/agents/{id}/signature-requirement": new_agent,
    "POST /v1/agents/{id}/deactivate": new_agent,
    "POST /v1/agents/{id}/freeze": new_agent,
}
SHARED = [
    ("/v1/agents/", lambda turn: AGENTS[turn % len(AGENTS)]),
    ("/v1/users/", lambda turn: USERS[turn % len(USERS)] if USERS else made_up()),
    ("/v1/approvals/", lambda turn: APPROVAL),
    ("/access/v1/requests/", lambda turn: "arq_" + APPROVAL.removeprefix("apr_")),
    ("/v1/reports/by-pdf-sha256/", lambda turn: REPORT["pdfSha256"] or "0" * 64),
    ("/v1/shared/", lambda turn: SHARED_TOKEN),
    ("/v1/reports/", lambda turn: REPORT["id"]),
    ("/v1/report-series/", lambda turn: SERIES["id"]),
    ("/v1/report-jobs/", lambda turn: REPORT_JOB),
    ("/v1/alert-configs/", lambda turn: DESTINATION),
    ("/v1/streams/", lambda turn: EVENT_STREAM),
    ("/v1/keys/", lambda turn: KEY),
]
# Bodies that are not generated by chance: one of them is sent every few requests.
WELL_FORMED = {
    "POST /v1/agents/{id}/signing-keys": AGENT_KEY,
    "POST /v1/auth/login": {"email": BOOTSTRAP["email"], "password": BOOTSTRAP["password"]},
    "POST /v1/auth/password/by-link": {"token": password_token(), "newPassword": PASSWORD},
    "POST /v1/auth/second-factor/enrolment": {"token": sign_in_to_enrol()},
    "POST /v1/second-factor/enrolment": {"password": BOOTSTRAP["password"]},
    "POST /v1/alert-configs": WEBHOOK,
    "POST /v1/alert-configs/test": WEBHOOK,
    "POST /v1/streams": STREAM,
    "POST /v1/events/export-signed": EXPORT,
    "POST /v1/report-series": {"reportIds": [REPORT["id"]]},
    "POST /v1/report-jobs": EXPORT,
    "POST /v1/reports/{id}/shares": SHARE,
    "POST /v1/agents/{id}/profile/dry-run": {
        "profile": {"spending_limit": 1},
        "from": EXPORT["from"],
        "to": EXPORT["to"],
    },
    "POST /v1/agents/{id}/apply-package": {"packageId": "spending-guard"},
    "POST /v1/agents/{id}/register-blockchain-self-custody": {
        "walletAddress": "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
        "transactionSignature": "5" * 88,
    },
    "POST /access/v1/requests": access_submission(),
    "POST /access/v1/evaluation": {
        "subject": {"type": "agent", "id": BOOTSTRAP["agentId"]},
        "action": {"name": "read"},
        "resource": {"type": "data", "id": "orders"},
    },
    "POST /v1/chain/verify": {"anchor_tx_signature": "5" * 88, "sha256": "0" * 64, "signature": "A" * 86 + "=="},
}
# Query parameters that name something by chance only: they are sent every few requests.
WELL_FORMED_QUERIES = {
    "GET /v1/coverage/events": {"framework": "soc2", "controlId": "CC7.2"},
}

turns = Counter()
answers = {}
lock = threading.Lock()


def credentials(operation, turn):
    """The headers of the caller whose turn it is: two of three times the one that the operation takes."""
    schemes = {name for choice in operation.definition.raw.get("security", []) for name in choice}
    own = "session" if "session" in schemes else "api key" if schemes else "none"
    caller = own if turn % 6 < 4 else ("none", "api key", "session")[turn // 6 % 3]
    if caller == "none":
        return {}
    if caller == "api key":
        return {"x-service-key": API_KEY} if turn % 2 else {"authorization": f"Bearer {API_KEY}"}
    if operation.path == "/v1/auth/logout" or (operation.path == "/v1/session" and operation.method.upper() == "DELETE"):
        return {"authorization": f"Bearer {SESSIONS.pop() if SESSIONS else made_up()}"}
    return {"authorization": f"Bearer {SESSION}"}


def path_id(label, path, turn):
    if label in THROW_AWAY:
        return THROW_AWAY[label]()
    return next((find(turn) for prefix, find in SHARED if path.startswith(prefix)), None)


def may_end_caller(case, label):
    """Reports whether an id that was drawn from answers may be that of the user or session of the caller."""
    ends = label in THROW_AWAY or "/v1/users/" in label
    return ends and any(UUID.fullmatch(str(value)) for value in case.path_parameters.values())


def name_agents(body, turn):
    """Where a body names an agent by a well-formed id, it is one of the account's."""
    agent = AGENTS[turn % len(AGENTS)]
    if isinstance(body.get("agentId"), str) and len(body["agentId"]) == 36:
        body["agentId"] = agent
    subject = body.get("subject")
    if isinstance(subject, dict) and isinstance(subject.get("id"), str):
        subject["id"] = agent
    if isinstance(body.get("agentIds"), list) and body["agentIds"]:
        body["agentIds"] = [agent]


def shorten(case, label):
    """Asks for waits of a second and none instead of those that are drawn by chance, where these are within the bounds."""
    name, most, short = LONG_WAITS[label]
    query = case.query if isinstance(case.query, dict) else {}
    drawn = str(query.get(name, most))
    if drawn.isdigit() and short < int(drawn) <= most:
        case.query = {**query, name: short}


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation
    label = f"{operation.method.upper()} {operation.path}"
    if label in LONG_WAITS:
        shorten(case, label)
    with lock:
        turn = turns[label]
        turns[label] += 1
        for name in [name for name in case.headers if name.lower() in ("authorization", "x-service-key")]:
            del case.headers[name]
        case.headers.update(credentials(operation, turn))
        if case.path_parameters and (turn % 3 or may_end_caller(case, label)):
            found = path_id(label, operation.path, turn)
            if found is not None:
                case.path_parameters = found if isinstance(found, dict) else {name: found for name in case.path_parameters}
        if label in WELL_FORMED and case.method.upper() == "POST" and turn % 8 == 1:
            case.body = WELL_FORMED[label]
            case.media_type = "application/json"
        elif label in WELL_FORMED_QUERIES and turn % 8 == 1:
            case.query = WELL_FORMED_QUERIES[label]
        elif isinstance(case.body, dict) and turn % 5:
            name_agents(case.body, turn)


@schemathesis.hook
def after_call(context, case, response):
    label = f"{case.operation.method.upper()} {case.operation.path}"
    with lock:
        answers.setdefault(label, Counter())[response.status_code] += 1


@atexit.register
def write_answers():
    """Writes the statuses that each operation answered: they show that a run got past the refusals."""
    with open(os.environ["COUNTERSIGN_ANSWERS"], "w", encoding="utf-8") as file:
        json.dump(answers, file)
