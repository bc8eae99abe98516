/** What the document says of the whole: the page at `/docs` begins with it. */
export const INFO = {
  title: 'Countersign',
  version: '1.0.0',
  summary: 'Decides before an AI agent acts, keeps the decision, and proves it.',
  description: `Ask before an agent acts: \`POST /v1/check\` answers whether the action is allowed, and the decision is durable
before it is answered. Later it is anchored on Solana, and a signed report lets anybody verify it.

**A first check.** In the folder in which \`npm start\` was run, whose \`data/bootstrap.json\` holds a key and an agent:

\`\`\`sh
value() { grep -o "\\"$1\\": *\\"[^\\"]*\\"" data/bootstrap.json | cut -d'"' -f4; }
curl -sS "$(value baseUrl)/v1/check" -H "x-service-key: $(value apiKey)" -H 'content-type: application/json' \\
  -d "{\\"agentId\\":\\"$(value agentId)\\",\\"action\\":{\\"type\\":\\"http_call\\",\\"url\\":\\"https://api.example.com/v1/orders\\"}}"
\`\`\`

It prints \`{"allowed":true}\`. A denial is status 200 as well: \`{"allowed":false,"reason":…}\`. **Any other status, and no
answer at all, means: do not act.** The clients for JavaScript and Python do all of this: they wait, try again and fail closed.

**Three kinds of routes.** Agents send an API key. People, and programs that manage an account, send the token of
\`POST /v1/auth/login\`; an API key is 401 there. Public routes want nothing. A request with both kinds of credentials is 401.

**Refusals.** But for the answers of a check, what is refused is \`{"error":"…"}\`: a sentence that says what to change.
\`429\` and \`503\` have \`Retry-After\`, in seconds, where a later try may be taken. Every answer has an \`x-request-id\`.

**Lists** are newest first unless they say otherwise, with \`limit\` (50, at most 1,000), \`offset\` and \`total\`. Times are ISO 8601
with a zone; a range holds its \`from\` and not its \`to\`. Money is US dollars.`,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-service-key',
    description:
      'An API key, `csn_live_…`: the first one is in `bootstrap.json`, others come from `POST /v1/api-keys`. It speaks for the agents that it was issued for, by the rights that it was given. Where this header is sent, it decides, whatever else is sent.',
  },
  apiKeyBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as `Authorization: Bearer`, for clients that can send nothing else.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The `token` of `POST /v1/auth/login`, for 12 hours. The user’s role says what it may do: an auditor reads, a member changes agents, an admin also people, keys and what is erased.',
  },
} as const;

/** In the order in which a reader meets them. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Checks', description: 'Before an agent acts. API key.' },
  { name: 'Tool protocol', description: 'The same for models, and what became of an action. API key.' },
  { name: 'Agents', description: 'Who acts, and what it may do. Session.' },
  { name: 'Events', description: 'What was asked and decided. Session.' },
  { name: 'Alerts', description: 'What was denied, and who is told. Session.' },
  { name: 'Reports', description: 'Signed evidence packages, and which frameworks they speak of. Session.' },
  { name: 'Public', description: 'Verification for anybody, limited by address. No credentials.' },
  { name: 'Accounts', description: 'Sign-in, people, API keys and the plan. Session.' },
  { name: 'Operations', description: 'How a process is, and this document. No credentials.' },
];

/** Of parameters that say the same on each route. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'as the list gives it',
  eventId: 'as the list of events, or the `x-event-id` of a check, gives it',
  agentId: 'of one agent alone',
  limit: 'how many at most',
  offset: 'how many to leave out first',
  from: 'this instant and later',
  to: 'before this instant',
  type: 'of one type alone',
  outcome: 'with this outcome alone',
  allowed: 'whether the action was allowed',
  violation_type: 'denied for this alone',
  format: 'of the file; it must be given',
  keyId: 'as `GET /v1/keys` gives it',
  sha256: 'of the PDF’s bytes, in lower-case hex',
  walletAddress: 'of the wallet that will sign and pay; without it the memo alone is given',
};
