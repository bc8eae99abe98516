import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection, Keypair, LAMPORTS_PER_SOL, Transaction } from '@solana/web3.js';
import { canonicalize } from 'json-canonicalize';
import { exportReport } from '../backup/reports.js';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually, type Answer } from '../instance/request.js';

const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The program of the README, saved as a file. */
function programOfReadme(): string {
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(HOUSE, 'services/policy/README.md'), 'utf8')) ?? [];
  if (program === undefined) throw new Error('the README of policy has no program');
  return program;
}

/** The 15 data characters of `evidence.md`, "Registration", implemented independently. */
function ssnData(registration: object): string {
  const hash = createHash('sha256').update(canonicalize(registration)).digest('hex');
  const bits = BigInt(`0x${hash}`) >> (256n - 75n);
  return Array.from({ length: 15 }, (_, i) => CROCKFORD[Number((bits >> BigInt(5 * (14 - i))) & 31n)]).join('');
}

interface AgentRecord {
  readonly blockchain_ssn: string | null;
  readonly wallet_address: string | null;
  readonly chain_tx_signature: string | null;
}

onEachProfile('registration by the user’s own wallet', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };
  let connection: Connection;
  let agentId: string;
  let registered: AgentRecord;
  let folder: string;
  const wallet = Keypair.generate();
  const walletAddress = wallet.publicKey.toBase58();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-wallet-'));
    instance = await start();
    session = await instance.session();
    agentId = await newAgent(instance, session);
    connection = new Connection(instance.bootstrap.solanaRpcUrl, 'confirmed');
    await connection.requestAirdrop(wallet.publicKey, LAMPORTS_PER_SOL);
    await eventually('the wallet can pay', 30, async () =>
      (await connection.getBalance(wallet.publicKey)) > 0 ? true : null,
    );
  }, 90_000);
  afterAll(async () => {
    await instance.discard();
    rmSync(folder, { recursive: true, force: true });
  });

  const of = (id: string, below: string): string => `/v1/agents/${id}${below}`;
  const bring = (id: string, transactionSignature: string): Promise<Answer> =>
    instance.request('POST', of(id, '/register-blockchain-self-custody'), {
      headers: session,
      body: { walletAddress, transactionSignature },
    });
  const record = async (id: string): Promise<AgentRecord> =>
    (await instance.request('GET', of(id, ''), { headers: session })).json as AgentRecord;

  it('is done by the program of the README, with the wallet’s file', async () => {
    const [program, walletFile] = [join(folder, 'register.mjs'), join(folder, 'wallet.json')];
    writeFileSync(program, programOfReadme());
    writeFileSync(walletFile, JSON.stringify([...wallet.secretKey]));
    symlinkSync(join(HOUSE, 'node_modules'), join(folder, 'node_modules'));
    const { stdout } = await promisify(execFile)(process.execPath, [program, agentId, walletFile], {
      env: {
        PATH: process.env['PATH'] ?? '',
        COUNTERSIGN_URL: instance.bootstrap.baseUrl,
        COUNTERSIGN_TOKEN: session.authorization.replace('Bearer ', ''),
        SOLANA_RPC_URL: instance.bootstrap.solanaRpcUrl,
      },
    });
    registered = await record(agentId);
    expect(stdout.trim()).toBe(registered.blockchain_ssn);
    expect(registered.wallet_address).toBe(walletAddress);
    const { chain_tx_signature: transactionSignature } = registered;
    const confirmed = await connection.getTransaction(transactionSignature!, { maxSupportedTransactionVersion: 0 });
    expect(confirmed?.transaction.message.staticAccountKeys[0]?.toBase58()).toBe(walletAddress);
    const characters = registered.blockchain_ssn!.replace(/^CSN|-/g, '');
    expect(characters.slice(0, 15)).toBe(ssnData({ agentId, transactionSignature, walletAddress }));
  }, 60_000);

  it('is an event, and is contained in the packages of the agent', async () => {
    await eventually('the event is listed', 30, async () => {
      const { text } = await instance.request('GET', `/v1/events?agentId=${agentId}`, { headers: session });
      return text.includes('agent.registered') ? true : null;
    });
    const { text } = await exportReport(instance, session, agentId);
    const pkg = JSON.parse(text) as {
      agents: AgentRecord[];
      events: { event: { type: string }; opened: { action?: { value: unknown } } }[];
    };
    const { blockchain_ssn, wallet_address, chain_tx_signature } = registered;
    expect(pkg.agents).toMatchObject([{ id: agentId, blockchain_ssn, wallet_address, chain_tx_signature }]);
    const event = pkg.events.find((one) => one.event.type === 'agent.registered');
    expect(event?.opened.action?.value).toEqual({
      walletAddress,
      transactionSignature: chain_tx_signature,
      by: { kind: 'user', id: expect.any(String) },
    });
  }, 60_000);

  it('refuses another registration, the same transaction for another agent, and one of another agent', async () => {
    const signature = registered.chain_tx_signature!;
    const other = await newAgent(instance, session);
    expect(await bring(agentId, signature)).toMatchObject({ status: 409, text: expect.stringContaining('already') });
    expect(await bring(other, signature)).toMatchObject({
      status: 409,
      text: expect.stringContaining('another agent'),
    });
    const third = await newAgent(instance, session);
    const draft = await instance.request('GET', of(third, `/registration-tx?walletAddress=${walletAddress}`), {
      headers: session,
    });
    const { transaction } = draft.json as { transaction: string };
    const theirs = await connection.sendTransaction(Transaction.from(Buffer.from(transaction, 'base64')), [wallet]);
    await eventually('the transaction is final', 30, async () => {
      const { value } = await connection.getSignatureStatus(theirs);
      return value?.confirmationStatus === 'finalized' ? true : null;
    });
    expect(await bring(other, theirs)).toMatchObject({ status: 400, text: expect.stringContaining('names another') });
    expect(await record(other)).toMatchObject({ blockchain_ssn: null, wallet_address: null, chain_tx_signature: null });
    expect(await bring(third, theirs)).toMatchObject({ status: 200, json: { chain_tx_signature: theirs } });
  }, 60_000);

  it('is found by anyone by its number, whatever the state of the agent, without data of its account', async () => {
    const ssn = registered.blockchain_ssn!;
    const seen = (status: string, count: number): Promise<Answer> =>
      eventually(`${ssn} is ${status} with ${count}`, 30, async () => {
        const answer = await instance.request('GET', `/v1/verify/${ssn.toLowerCase()}`);
        const found = answer.json as { readonly status?: string; readonly action_count?: number };
        return found.status === status && found.action_count === count ? answer : null;
      });
    expect((await instance.check({ type: 'a' }, { agentId })).status).toBe(200);
    const active = await seen('Active', 1);
    expect([active.status, active.json]).toEqual([
      200,
      {
        verified: true,
        agent_type: null,
        registered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        action_count: 1,
        status: 'Active',
        owner_wallet: walletAddress,
      },
    ]);
    const tag = { 'if-none-match': String(active.headers['etag']) };
    expect((await instance.request('GET', `/v1/verify/${ssn}`, { headers: tag })).status).toBe(304);
    for (const [change, status] of [
      ['/freeze', 'Frozen'],
      ['/deactivate', 'Inactive'],
    ] as const) {
      await instance.request('POST', of(agentId, change), { headers: session, body: {} });
      await seen(status, 1);
    }
  }, 90_000);
});
