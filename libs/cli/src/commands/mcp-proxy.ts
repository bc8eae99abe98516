import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { messageOf } from '@countersign/async';
import { InvalidArgumentError, type Command } from 'commander';
import { Countersign, DEFAULT_BASE_URL } from '@countersign/client';
import { environmentOfChild } from '@countersign/process/child-environment';
import { clientEnvironment } from '@countersign/process/client-environment';
import {
  namesUser,
  readHeaders,
  readServerAddress,
  runProxy,
  startChild,
  ToolGuard,
  ToolRules,
} from '@countersign/mcp-proxy';
import type { McpServer, ServerEvents } from '@countersign/mcp-proxy';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface Options {
  readonly url?: string;
  readonly header?: readonly string[];
  readonly agent?: string;
  readonly baseUrl?: string;
  readonly dataDir?: string;
  readonly toolsFile?: string;
  readonly timeoutMs: number;
}

interface Asked {
  readonly apiKey: string;
  readonly agentId: string;
  readonly baseUrl: string;
}

const LONGEST_TRY_MS = 2_000;

const HELP = `
Put it before the command of a server in the configuration of an MCP client:

  {
    "mcpServers": {
      "files": {
        "command": "countersign",
        "args": ["mcp-proxy", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."],
        "env": { "COUNTERSIGN_API_KEY": "csn_live_…", "COUNTERSIGN_AGENT_ID": "…" }
      }
    }
  }

or, for a server at an address, "args": ["mcp-proxy", "--url", "https://mcp.example.com/mcp"].

Environment: COUNTERSIGN_API_KEY, COUNTERSIGN_AGENT_ID, COUNTERSIGN_BASE_URL. The server gets all of it but the key.
Ends with the server's code where that ends first (127: not found), 0 where the client does or asks for it; 64: usage.`;

/** `countersign mcp-proxy`: checks every tool call of an MCP client before it reaches a server. */
export function register(program: Command): void {
  program
    .command('mcp-proxy')
    .description(
      'proxy between an MCP client and an MCP server: check each tool call, scan its result, report its outcome',
    )
    .argument('[command...]', 'command that starts the server, after --')
    .option('--url <url>', 'address of the server (Streamable HTTP)')
    .option(
      '--header <line>',
      'header for the server at --url, "Name: value", repeatable; ${NAME} is taken from the environment',
      (line: string, before: readonly string[] = []) => [...before, line],
    )
    .option('--agent <id>', 'agent that acts; default: COUNTERSIGN_AGENT_ID')
    .option('--base-url <url>', `address of the service; default: COUNTERSIGN_BASE_URL, or ${DEFAULT_BASE_URL}`)
    .option('--data-dir <folder>', 'take what the environment does not set from bootstrap.json of this folder')
    .option('--tools-file <file>', 'add the input schemas of the tools to this file, for policy lint --tools')
    .option(
      '--timeout-ms <n>',
      'for one check with all its attempts; the call is refused once it has passed',
      milliseconds,
      5000,
    )
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], options: Options) => {
      const connect = connector(command, options);
      const asked = await whoAsks(options);
      const stop = new AbortController();
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
      const code = await runProxy({
        guard: guardOf(asked, options.timeoutMs),
        baseUrl: asked.baseUrl,
        ...(options.toolsFile === undefined ? {} : { toolsFile: options.toolsFile }),
        connect,
        input: process.stdin,
        output: process.stdout,
        errors: process.stderr,
        signal: stop.signal,
      });
      // Idle connections that are kept for the next check would keep the process running.
      process.stdout.write('', () => process.exit(code));
    });
}

/** @throws CommandFailed 64 */
function connector(
  command: readonly string[],
  { url, header = [] }: Options,
): (on: ServerEvents) => Promise<McpServer> {
  const environment = environmentOfChild();
  const [program, ...args] = command;
  if ((program === undefined) === (url === undefined)) {
    throw new CommandFailed(EXIT.usage, 'name the server: its command after --, or its address by --url');
  }
  if (url === undefined) {
    if (header.length > 0) throw new CommandFailed(EXIT.usage, '--header is for a server at --url');
    return async (on) => startChild([program ?? '', ...args], environment, on);
  }
  const headers = readHeaders(header, environment);
  if (typeof headers === 'string') throw new CommandFailed(EXIT.usage, headers);
  const address = readServerAddress(url, headers);
  if (typeof address === 'string') throw new CommandFailed(EXIT.usage, address);
  return async (on) => {
    const { connectHttp } = await import('@countersign/mcp-proxy/http-server');
    return connectHttp(address, on);
  };
}

/** @throws CommandFailed 64 naming the missing setting */
async function whoAsks({ agent, baseUrl, dataDir }: Options): Promise<Asked> {
  const given = clientEnvironment();
  // Never a folder that was not named: a client may start the proxy in any working directory, also in another person's project.
  const known = dataDir === undefined ? null : await bootstrapOf(dataDir);
  const apiKey = given.apiKey ?? known?.apiKey;
  const agentId = agent ?? given.agentId ?? known?.agentId;
  if (apiKey === undefined)
    throw new CommandFailed(EXIT.usage, 'COUNTERSIGN_API_KEY is not set, and no --data-dir is named');
  if (agentId === undefined) throw new CommandFailed(EXIT.usage, 'name the agent: COUNTERSIGN_AGENT_ID, or --agent');
  const url = baseUrl ?? given.baseUrl ?? known?.baseUrl ?? DEFAULT_BASE_URL;
  // The model is shown this address when the service does not answer.
  if (namesUser(url)) throw new CommandFailed(EXIT.usage, 'the address of the service takes no user name or password');
  return { apiKey, agentId, baseUrl: url.replace(/\/+$/u, '').replace(/\/v1$/u, '') };
}

async function bootstrapOf(dataDir: string): Promise<Asked> {
  const { readBootstrap } = await import('../api-client/api.js');
  return readBootstrap(resolve(dataDir));
}

/** @throws CommandFailed 64 if key, agent or address are invalid */
function guardOf(asked: Asked, timeoutMs: number): (note: (line: string) => void) => ToolGuard {
  try {
    const attemptTimeoutMs = Math.min(LONGEST_TRY_MS, timeoutMs);
    const client = new Countersign({ ...asked, timeoutMs, attemptTimeoutMs, failMode: 'closed' });
    const rules = new ToolRules(asked.baseUrl, asked.apiKey, asked.agentId, attemptTimeoutMs);
    // A proxy serves one client from its start to its end: that is a session of the protocol.
    const session = randomUUID();
    return (note) => new ToolGuard(client, rules, note, session);
  } catch (error) {
    throw new CommandFailed(EXIT.usage, messageOf(error));
  }
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 600_000)
    throw new InvalidArgumentError('a number from 1 to 600000');
  return value;
}
