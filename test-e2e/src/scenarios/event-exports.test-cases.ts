import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countersign } from '../instance/command.js';
import type { Anchored } from './report-pdf.test-cases.js';

interface Listed {
  readonly eventId: string;
  readonly outcome: string | null;
}

interface Sample {
  readonly seed: string;
  readonly block: { readonly slot: number; readonly blockhash: string };
  readonly package: { readonly contentHash: string };
  readonly selected: readonly { readonly eventId: string; readonly draw: string }[];
}

const sha256 = (...parts: (string | Buffer)[]): Buffer =>
  parts.reduce<ReturnType<typeof createHash>>((made, part) => made.update(part), createHash('sha256')).digest();

/**
 * Exports of events, and an audit sample, from a running instance.
 * @returns declares the sample's tests: its block follows 32 slots after the report, so they should be the last
 */
export function eventExportCases(given: () => Anchored): () => void {
  const report = (): string => join(given().folder, 'to-sample.json');

  it('exports events as OCSF and CSV in the order of the list', async () => {
    const { instance, session, agentId, folder } = given();
    const list = async (): Promise<readonly Listed[]> => {
      const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&limit=1000`, { headers: session });
      return (json as { events: Listed[] }).events;
    };
    const ids = (await list()).map(({ eventId }) => eventId);
    const ocsf = await instance.request('GET', `/v1/events/export?format=ocsf&agentId=${agentId}`, {
      headers: session,
    });
    expect([ocsf.status, ocsf.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    const events = ocsf.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { metadata: { uid: string; version: string } });
    expect(events.map(({ metadata }) => metadata.uid)).toEqual(ids);
    const target = ['--base-url', instance.bootstrap.baseUrl, '--email', instance.bootstrap.email];
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, `${instance.bootstrap.password}\n`, { mode: 0o600 });
    const login = [...target, '--password-file', passwordFile, '--agent', agentId];
    const file = join(folder, 'events.csv');
    const ran = await countersign(['export', '--format', 'csv', '--out', file, ...login]);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const rows = readFileSync(file, 'utf8').trimEnd().split('\r\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual(['\u{feff}eventId', ...ids]);
    // Issued now, to be sampled once its block exists.
    const issued = await countersign(['export', '--out', report(), ...login]);
    expect([issued.code, issued.stderr]).toEqual([0, '']);
    expect(statSync(report()).mode & 0o777).toBe(0o600);
  });

  return () => {
    it('draws a sample by a later block, which anyone can draw again and cannot be exchanged', async () => {
      const { instance, folder, keyFile, authority } = given();
      const chain = ['--rpc', instance.bootstrap.solanaRpcUrl, '--authority', authority, '--key', keyFile];
      const file = join(folder, 'sample.json');
      const drawn = await countersign(['sample', report(), '--size', '5', '--out', file, '--wait', '100', ...chain]);
      expect([drawn.code, drawn.stderr]).toEqual([0, '']);
      const sample = JSON.parse(readFileSync(file, 'utf8')) as Sample;
      const { slot, blockhash } = sample.block;
      expect(drawn.stdout).toContain(`block ${slot}, ${blockhash}`);
      const seed = sha256(`countersign/sample/1 block=${blockhash} package=${sample.package.contentHash}`);
      const pkg = JSON.parse(readFileSync(report(), 'utf8')) as { events: { event: { eventId: string } }[] };
      const draws = pkg.events.map(({ event }) => sha256(seed, event.eventId).toString('hex')).sort();
      expect(sample.selected.map(({ draw }) => draw)).toEqual(draws.slice(0, 5));
      expect((await countersign(['sample', report(), '--check', file, ...chain])).code).toBe(0);
      writeFileSync(file, JSON.stringify({ ...sample, selected: sample.selected.slice(1) }));
      expect((await countersign(['sample', report(), '--check', file, ...chain])).code).toBe(1);
    }, 120_000);
  };
}
