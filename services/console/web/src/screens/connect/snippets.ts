/** Ways to ask before an action. */
export const SNIPPETS = ['curl', 'js', 'python', 'mcp', 'claude'] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/** Who asks, and where. */
export interface Caller {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly agentId: string;
  readonly apiKey: string;
}

/**
 * The address of this installation as programs reach it: a path that a proxy puts in front is kept, and a name below `localhost`,
 * which browsers alone take for this machine, is 127.0.0.1.
 * @param page of the console, `document.baseURI`
 */
export function baseUrlOf(page: string): string {
  const { protocol, hostname, port, pathname } = new URL('.', page);
  const host = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}${pathname}`.replace(/\/+$/, '');
}

/** A text to paste: into a terminal, or for `mcp` into the configuration of a client. */
export function snippetOf(name: SnippetName, caller: Caller): string {
  return TEXTS[name](caller);
}

const TEXTS: Readonly<Record<SnippetName, (caller: Caller) => string>> = {
  curl: ({ baseUrl, agentId, apiKey }) => {
    const body = { agentId, action: { type: 'http_call', url: 'https://api.example.com/v1/orders' } };
    return `curl -sS ${quoted(`${baseUrl}/v1/check`)} \\
  -H 'content-type: application/json' \\
  -H ${quoted(`x-service-key: ${apiKey}`)} \\
  -d ${quoted(JSON.stringify(body))}`;
  },
  js: (caller) => `${exported(caller)}
npm install "$(npm pack --silent /path/to/countersign/libs/client-js)"
cat > first-check.mjs <<'END'
import { Countersign } from '@countersign/client';

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const check = await countersign.check({ actionType: 'http_call', url: 'https://api.example.com/v1/orders' });
console.log(check.allowed ? 'allowed' : \`denied: \${check.reason}\`);
END
node first-check.mjs`,
  python: (caller) => `${exported(caller)}
pip install /path/to/countersign/libs/client-python
cat > first_check.py <<'END'
import os

from countersign import Countersign

countersign = Countersign(
    api_key=os.environ["COUNTERSIGN_API_KEY"],
    agent_id=os.environ["COUNTERSIGN_AGENT_ID"],
    base_url=os.environ["COUNTERSIGN_BASE_URL"],
)
check = countersign.check("http_call", url="https://api.example.com/v1/orders")
print("allowed" if check.allowed else f"denied: {check.reason}")
END
python3 first_check.py`,
  mcp: (caller) => {
    const args = ['mcp-proxy', '--', 'npx', '-y', '@modelcontextprotocol/server-filesystem', '.'];
    const env = Object.fromEntries(variables(caller));
    return JSON.stringify({ mcpServers: { files: { command: 'countersign', args, env } } }, null, 2);
  },
  claude: (caller) => `${exported(caller)}
countersign hook install claude-code`,
};

function variables({ baseUrl, agentId, apiKey }: Caller): readonly (readonly [string, string])[] {
  return [
    ['COUNTERSIGN_BASE_URL', baseUrl],
    ['COUNTERSIGN_AGENT_ID', agentId],
    ['COUNTERSIGN_API_KEY', apiKey],
  ];
}

function exported(caller: Caller): string {
  return variables(caller)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');
}

/** One word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
