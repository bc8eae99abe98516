import { readFileSync } from 'node:fs';
import { happens, resultOf, type ClientCase } from './client-case.js';

/** A case, and the server that plays it. */
export interface PlacedCase {
  readonly one: ClientCase;
  readonly address: string;
}

/** Key and agent of every played server. */
export const PLACE = { apiKey: 'csn_live_key', agentId: '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77' } as const;

/** Results of the cases in the current runtime. */
async function happenedHere(cases: readonly PlacedCase[]): Promise<readonly object[]> {
  const results = [];
  for (const { one, address } of cases) {
    results.push(resultOf(one, await happens(one, { ...PLACE, baseUrl: address })));
  }
  return results;
}

// As a program: the argument is a file with the cases; the results are printed as one line of JSON.
const [, program, file] = process.argv;
if (file !== undefined && program?.includes('happened-here') === true) {
  const results = await happenedHere(JSON.parse(readFileSync(file, 'utf8')) as PlacedCase[]);
  const platform = ['Deno', 'Bun'].find((name) => name in globalThis) ?? `Node ${parseInt(process.versions.node)}`;
  console.log(JSON.stringify({ platform, results }));
  process.exit();
}
