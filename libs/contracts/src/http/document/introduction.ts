/** Introduction of the document: the page at `/docs` begins with it. */
export const INFO = {
  title: 'Countersign',
  version: '1.0.0',
  summary: 'Decides before an AI agent acts, keeps the decision, and proves it.',
  description: `Ask before an agent acts: \`POST /v1/check\` answers whether the action is allowed, and the decision is durable
before it is returned. Later it is anchored on Solana, and a signed report lets anyone verify it.

**A first check.** In the folder in which \`npm start\` was run, whose \`data/bootstrap.json\` holds a key and an agent:

\`\`\`sh
value() { grep -o "\\"$1\\": *\\"[^\\"]*\\"" data/bootstrap.json | cut -d'"' -f4; }
curl -sS "$(value baseUrl)/v1/check" -H "x-service-key: $(value apiKey)" -H 'content-type: application/json' \\
  -d "{\\"agentId\\":\\"$(value agentId)\\",\\"action\\":{\\"type\\":\\"http_call\\",\\"url\\":\\"https://api.example.com/v1/orders\\"}}"
\`\`\`

It prints \`{"allowed":true}\`. A denial is status 200 as well: \`{"allowed":false,"reason":…}\`. **Any other status, and no
answer at all, means: do not act.** The clients for JavaScript and Python implement this: they wait, retry and fail closed.

**Three kinds of routes.** Agents send an API key. People, and programs that manage an account, send the token of
\`POST /v1/auth/login\`; an API key is 401 there. Public routes need no credentials. A request with both kinds of credentials is 401.

**Refusals.** Except for the answers of a check, a refusal is \`{"error":"…"}\`: a sentence that says what to change.
\`429\` and \`503\` have \`Retry-After\`, in seconds, if a later attempt may be accepted. Every answer has an \`x-request-id\`.

**Lists** are newest first unless they say otherwise, with \`limit\` (50, at most 1,000), \`offset\` and \`total\`. Times are ISO 8601
with a zone; in a range, \`from\` is inclusive and \`to\` exclusive. Amounts are US dollars.`,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-service-key',
    description:
      'An API key, `csn_live_…`: the first one is in `bootstrap.json`, others come from `POST /v1/api-keys`. It is valid for the agents that it was issued for, with the rights that it was given. If this header is sent, it takes precedence.',
  },
  apiKeyBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as `Authorization: Bearer`, for clients that cannot send other headers.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The `token` of `POST /v1/auth/login`, for 12 hours. Its rights depend on the user’s role: an auditor reads, a member changes agents, an admin also manages users and keys and erases content.',
  },
} as const;

/** In reading order. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Checks', description: 'Decisions before an agent acts. API key.' },
  { name: 'Tool protocol', description: 'Checks for models, and outcomes of actions. API key.' },
  {
    name: 'Hooks',
    description: 'Checks in the forms of coding agents, of LiteLLM and of Envoy. API key.',
  },
  { name: 'Agents', description: 'Agents, their profiles and registration. Session.' },
  {
    name: 'Approvals',
    description: 'Actions that wait for the decision of a person. Session; the state also with an API key.',
  },
  { name: 'Events', description: 'Recorded events: checks, outcomes and changes. Session.' },
  { name: 'Legal holds', description: 'Content that is not erased until its hold is released. Session.' },
  { name: 'Alerts', description: 'Violation inbox and notifications. Session.' },
  { name: 'Streams', description: 'Events sent to Splunk, Elastic and other products. Session.' },
  { name: 'Reports', description: 'Signed evidence packages and the compliance scope. Session.' },
  { name: 'Public', description: 'Public verification, rate-limited by address. No credentials.' },
  { name: 'Accounts', description: 'Sign-in, users, API keys and the plan. Session.' },
  { name: 'Operations', description: 'Health and metrics of a process, and this document. No credentials.' },
];

/** Descriptions of parameters that have the same meaning on every route. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'id as in the list',
  eventId: 'id as in the list of events, or in `x-event-id` of a check',
  approvalId: '`approval_id` of the denial',
  agentId: 'only of this agent',
  limit: 'maximum number of entries',
  offset: 'number of entries to skip',
  from: 'start of the range, inclusive',
  to: 'end of the range, exclusive',
  type: 'only of this type',
  outcome: 'only with this outcome',
  allowed: 'only allowed actions, or only denied ones',
  violation_type: 'only with this violation type',
  format: 'file format; required',
  keyId: 'id as in `GET /v1/keys`',
  sha256: 'SHA-256 of the PDF file, in lower-case hex',
  walletAddress: 'address of the wallet that will sign and pay; without it the answer has only the memo',
};
