import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Api, readActions, replay, replayTable, verifyFile } from '@countersign/cli';
import { text as verdictText } from '@countersign/cli/commands/verify';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';
import { startThrowAwayInstance, type ThrowAwayInstance } from './throw-away-instance.js';

const SAMPLE = fileURLToPath(new URL('../../sample/airline.json', import.meta.url));

/** The airline lets its agent look things up, change bookings, and spend up to 2,000 dollars a day. */
const PROFILE = {
  allowed_apis: [
    'get_*',
    'search_*',
    'book_reservation',
    'cancel_reservation',
    'update_reservation_*',
    'calculate',
    'send_certificate',
    'transfer_to_human_agents',
  ],
  off_limits_actions: ['send_certificate'],
  spending_limit: 2000,
};

/**
 * Runs from an action to a report that anyone can check, on an instance that is removed afterwards.
 * @param say takes each line of output
 * @throws CommandFailed 1 if a step does not give the expected result
 */
export async function demonstrate(say: (line: string) => void): Promise<void> {
  const started = performance.now();
  say('1. Start an instance of its own, with a local Solana network inside.');
  const instance = await startThrowAwayInstance();
  try {
    say(`   ready after ${(instance.readyMs / 1000).toFixed(1)} s at ${instance.bootstrap.baseUrl}`);
    await story(instance, say);
  } finally {
    await instance.stop();
  }
  say(`Done in ${((performance.now() - started) / 1000).toFixed(0)} s. The instance and its files are gone.`);
}

async function story({ bootstrap, folder }: ThrowAwayInstance, say: (line: string) => void): Promise<void> {
  const api = new Api(bootstrap.baseUrl);
  const session = await api.login(bootstrap.email, bootstrap.password);

  say('2. Create an airline agent, and say what it may do.');
  const agent = await api.json<{ id: string }>('POST', '/v1/agents', session, { name: 'Airline booking agent' });
  await api.json('PATCH', `/v1/agents/${agent.id}/profile`, session, PROFILE);
  say(
    `   spending limit ${PROFILE.spending_limit} dollars a day; off limits: ${PROFILE.off_limits_actions.join(', ')}`,
  );

  say('3. Let it act: every action of a recorded conversation is checked before it is done.');
  const actions = await readActions(SAMPLE);
  const target = { api, apiKey: bootstrap.apiKey, agentId: agent.id, concurrency: 4 };
  const result = await replay(actions, target, () => undefined);
  say(indent(replayTable(result)));
  expect(result.refused.length === 0, 'every action is decided');

  say('4. Wait until the decisions are anchored on the chain.');
  const seconds = await waitForAnchors(api, session, agent.id);
  say(`   all events are in finalized transactions after ${seconds.toFixed(1)} s`);

  say('5. Export a signed report, with the key and the anchoring authority from the public routes.');
  const report = join(folder, 'report.json');
  const issued = await exportReport(api, session, agent.id);
  await writeFile(report, issued);
  const keys = await api.json<Keys>('GET', '/v1/keys', {});
  const keyFile = join(folder, 'key.pem');
  await writeFile(keyFile, (await api.send('GET', `/v1/keys/${keys.activeKeyId}`, {})).text);
  say(`   ${issued.length} bytes, signed by ${keys.activeKeyId}`);

  say('6. Verify it with the file, the key and the chain alone.');
  const trust = {
    keys: [keyFile],
    rpcUrls: [bootstrap.solanaRpcUrl],
    authorities: keys.anchorAuthorities.map(({ address }) => address),
  };
  const good = await verifyFile({ file: report, ...trust });
  say(indent(verdictText('report.json', good)));
  expect(good.exitCode === EXIT.holds, 'the report verifies');

  say('7. Change one character in a copy: the refused booking of 5160 dollars becomes one of 1160. Verify that.');
  const forged = join(folder, 'forged.json');
  await writeFile(forged, issued.replace('"estimatedCost":5160', '"estimatedCost":1160'));
  const bad = await verifyFile({ file: forged, ...trust });
  say(indent(verdictText('forged.json', bad)));
  expect(bad.exitCode === EXIT.wrong, 'the changed report is refused');
  api.close();
}

interface Keys {
  readonly activeKeyId: string;
  readonly anchorAuthorities: readonly { readonly address: string }[];
}

async function exportReport(api: Api, session: Readonly<Record<string, string>>, agentId: string): Promise<string> {
  const answer = await api.send('POST', '/v1/events/export-signed', session, {
    agentIds: [agentId],
    format: 'json',
    frameworks: ['soc2', 'euaiact'],
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  });
  expect(answer.status === 200, `the export succeeds (${answer.status} ${answer.text.slice(0, 200)})`);
  return answer.text;
}

async function waitForAnchors(api: Api, session: Readonly<Record<string, string>>, agentId: string): Promise<number> {
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1000;
  while (elapsed() < 30) {
    const { events } = await api.json<{ events: { anchored: boolean }[] }>(
      'GET',
      `/v1/events?agentId=${agentId}&limit=1000`,
      session,
    );
    if (events.length > 0 && events.every((event) => event.anchored)) return elapsed();
    await sleep(200);
  }
  throw new CommandFailed(EXIT.wrong, 'the events were not anchored within 30 s');
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new CommandFailed(EXIT.wrong, `this did not come out: ${what}`);
}

function indent(block: string): string {
  return block
    .trimEnd()
    .split('\n')
    .map((line) => `   | ${line}`)
    .join('\n');
}
