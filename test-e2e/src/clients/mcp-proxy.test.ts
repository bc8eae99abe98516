import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { PROGRAM } from '../instance/program.js';

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}
interface Event {
  readonly eventId: string;
  readonly refersTo: string;
  readonly outcome: string;
  readonly action: { readonly tool_name: string };
}

/** The program of an official server. */
function serverOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: Readonly<Record<string, string>> };
  return join(dirname(manifest), Object.values(bin)[0]!);
}

describe('countersign mcp-proxy, between the official client and official servers', () => {
  let instance: Instance;
  let session: Record<string, string>;
  let agentId: string;
  let folder: string;
  let files: Client;
  let memory: Client;
  beforeAll(async () => {
    instance = await Instance.start();
    session = await instance.session();
    agentId = await newAgent(instance, session, {
      off_limits_actions: ['write_file', 'delete_*'],
      output_rules: { blocked_pii: ['email'], block_secrets: false, blocked_topics: [], max_length: null },
    });
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-proxy-')));
    writeFileSync(join(folder, 'plain.txt'), 'hello');
    writeFileSync(join(folder, 'private.txt'), 'write to someone@shop.example please');
    writeFileSync(join(folder, 'long.txt'), 'a line of text\n'.repeat(100_000));
    files = await connect('server-filesystem');
    memory = await connect('server-memory', { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') });
  }, 120_000);
  afterAll(async () => {
    await files?.close();
    await memory?.close();
    await instance?.discard();
    rmSync(folder, { recursive: true, force: true });
  });

  const connect = async (server: string, environment: Record<string, string> = {}): Promise<Client> => {
    const { apiKey, baseUrl } = instance.bootstrap;
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: { listChanged: true } } });
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file://${folder}` }] }));
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, 'mcp-proxy', '--agent', agentId, '--', process.execPath, serverOf(server)],
        env: { COUNTERSIGN_API_KEY: apiKey, COUNTERSIGN_BASE_URL: baseUrl, ...environment },
        stderr: 'ignore',
      }),
    );
    return client;
  };
  const call = async (client: Client, name: string, given: Record<string, unknown>): Promise<Result> =>
    (await client.callTool({ name, arguments: given })) as unknown as Result;
  const events = async (type: string): Promise<readonly Event[]> => {
    const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&type=${type}&limit=100`, {
      headers: session,
    });
    return (json as { readonly events: readonly Event[] }).events;
  };

  it('lists the permitted tools, and forwards requests of the server to the client', async () => {
    const names = (await files.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('read_text_file');
    expect(names).not.toContain('write_file');
    expect((await memory.listTools()).tools.map(({ name }) => name).sort()).toEqual([
      'add_observations',
      'create_entities',
      'create_relations',
      'open_nodes',
      'read_graph',
      'search_nodes',
    ]);
    expect(await events('action.checked')).toEqual([]);
    // The folder that the client named in its answer to the server's request for roots.
    while (!(await call(files, 'list_allowed_directories', {})).content[0]!.text.includes(folder)) await sleep(20);
  }, 30_000);

  it('forwards allowed calls, two concurrent and a long one', async () => {
    const [plain, long] = await Promise.all([
      call(files, 'read_text_file', { path: join(folder, 'plain.txt') }),
      call(files, 'read_text_file', { path: join(folder, 'long.txt') }),
    ]);
    expect([plain.isError ?? false, plain.content[0]!.text]).toEqual([false, 'hello']);
    expect(long.content[0]!.text).toHaveLength(1_500_000);
    const missing = await call(files, 'read_text_file', { path: join(folder, 'missing.txt') });
    expect([missing.isError, missing.content[0]!.text]).toEqual([true, expect.stringContaining('ENOENT')]);
  }, 30_000);

  it('refuses off-limits calls, with the reason, before they reach the server', async () => {
    const path = join(folder, 'new.txt');
    const denied = await call(files, 'write_file', { path, content: 'x' });
    expect([denied.isError, denied.content[0]!.text]).toEqual([
      true,
      expect.stringMatching(/"write_file" was not called.*off_limits_actions/u),
    ]);
    expect(existsSync(path)).toBe(false);
    const inside = await call(memory, 'create_entities', {
      entities: [{ name: 'shop', entityType: 'shop', observations: ['someone@shop.example'] }],
    });
    expect([inside.isError, inside.content[0]!.text]).toEqual([true, expect.stringContaining('was not called')]);
  });

  it('withholds a result that the output rules refuse', async () => {
    const withheld = await call(files, 'read_text_file', { path: join(folder, 'private.txt') });
    expect(withheld.isError).toBe(true);
    expect(JSON.stringify(withheld)).toMatch(/was called.*withheld.*output_rules/u);
    expect(JSON.stringify(withheld)).not.toContain('someone');
  });

  it('records the outcome of every call', async () => {
    const entities = [{ name: 'shop', entityType: 'shop', observations: ['sells apples'] }];
    expect((await call(memory, 'create_entities', { entities })).isError ?? false).toBe(false);
    expect(JSON.stringify(await call(memory, 'read_graph', {}))).toContain('sells apples');
    const reads = async (): Promise<string[]> => {
      const of = new Map((await events('action.outcome')).map(({ refersTo, outcome }) => [refersTo, outcome]));
      const checked = await events('action.checked');
      return checked.map(({ eventId, action }) => `${action.tool_name} ${of.get(eventId) ?? 'unknown'}`).toReversed();
    };
    const isComplete = (lines: readonly string[]): boolean =>
      lines.filter((line) => line.endsWith('unknown')).length === 2;
    let recorded = await reads();
    while (recorded.length < 8 || !isComplete(recorded)) {
      await sleep(50);
      recorded = await reads();
    }
    expect([...new Set(recorded)].sort()).toEqual([
      'create_entities succeeded',
      'create_entities unknown',
      'list_allowed_directories succeeded',
      'read_graph succeeded',
      'read_text_file failed',
      'read_text_file succeeded',
      'write_file unknown',
    ]);
  }, 60_000);

  it('forwards errors of the server for unknown tools', async () => {
    await expect(files.request({ method: 'vendor/own' }, ListRootsRequestSchema)).rejects.toMatchObject({
      code: -32_601,
    });
  });
});
