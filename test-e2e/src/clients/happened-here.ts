import { readFileSync } from 'node:fs';
import { happens, toldOf, type ClientCase } from './client-case.js';

/** A case, and the server that plays it. */
export interface PlacedCase {
  readonly one: ClientCase;
  readonly address: string;
}

/** The place that every played server is. */
export const PLACE = { apiKey: 'csn_live_key', agentId: '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77' } as const;

/** What came of each case in the runtime that executes this. */
async function happenedHere(cases: readonly PlacedCase[]): Promise<readonly object[]> {
  const told = [];
  for (const { one, address } of cases) {
    told.push(toldOf(one, await happens(one, { ...PLACE, baseUrl: address })));
  }
  return told;
}

// As a program: the argument is a file with the cases; what is told comes as one line of JSON.
const [, program, file] = process.argv;
if (file !== undefined && program?.includes('happened-here') === true) {
  const told = await happenedHere(JSON.parse(readFileSync(file, 'utf8')) as PlacedCase[]);
  const platform = ['Deno', 'Bun'].find((name) => name in globalThis) ?? `Node ${parseInt(process.versions.node)}`;
  console.log(JSON.stringify({ platform, told }));
  process.exit();
}
