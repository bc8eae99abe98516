/** Texts of the ways to connect an agent. */
export const connectWords = {
  title: 'Connect the agent',
  lead: 'A program asks before each action of the agent, and does what is allowed. Each of these sends a first check.',
  make: 'Make a key for this agent',
  makeHint: 'It may check actions, report outcomes and scan texts, of this agent alone. It is shown once.',
  made: 'The key is in the texts below. Store it now: only its hash is kept here.',
  copyKey: 'Copy the key',
  keyName: (agentId: string) => `connect ${agentId}`,
  noKey: 'YOUR_API_KEY',
  failed: 'No key was made',
  ways: 'Ways to connect',
  names: { curl: 'curl', js: 'JavaScript', python: 'Python', mcp: 'MCP', claude: 'Claude Code' },
  notes: {
    curl: 'For a terminal.',
    js: 'For a terminal, in the folder of your program. The client, also for TypeScript, is installed from a clone of the repository in which npm ci has run: replace /path/to.',
    python:
      'For a terminal, in the environment of your program. The client is installed from a clone of the repository: replace /path/to. On PyPI, this name is another project.',
    mcp: 'For the configuration of an MCP client. The proxy checks each tool call before the server after “--” receives it; replace that command by your server’s. It needs the command countersign on the PATH.',
    claude:
      'For a terminal. It shows the change to the settings of Claude Code, asks, and checks that a denial blocks. Start claude from the same terminal. It needs the command countersign on the PATH.',
  },
  copy: (name: string) => `Copy the text for ${name}`,
  waiting: 'Waiting for the first check of this agent…',
  there: (outcome: string) => `There it is. Newest check: ${outcome},`,
  open: 'Open the event',
  inactive: 'The agent is deactivated: its checks are answered with 404.',
  frozen: 'The agent is frozen: its checks are refused until it is unfrozen.',
} as const;
