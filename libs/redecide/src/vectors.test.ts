import { readdirSync, readFileSync } from 'node:fs';
import type { SignedPackage } from '@countersign/contracts';
import { publicKeyFromPem, verifyPackage } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { redecide } from './redecide.js';
import { redecisionCode } from './result.js';

interface Vector {
  readonly package: SignedPackage;
  readonly keys: readonly { readonly pem: string }[];
  readonly redecided: unknown;
}

const FOLDER = new URL('../../evidence/vectors/redecide/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const load = (name: string): Vector => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Vector;

describe('the vectors of re-decision', () => {
  it.each(names)('%s: the package verifies, and its verdicts are computed again as it says', (name) => {
    const { package: pkg, keys, redecided } = load(name);
    const trusted = keys.map(({ pem }) => ({ publicKey: publicKeyFromPem(pem)! }));
    const verified = verifyPackage(pkg, {
      crypto: nodeCrypto,
      keys: trusted.map((key) => ({ ...key, status: 'active' as const, validFrom: null, validTo: null })),
      chain: null,
    });
    expect(verified.problems).toEqual([]);
    const result = redecide(pkg, { sha256: nodeCrypto.sha256 });
    const stated = result.stated?.map(({ member }) => member);
    expect({
      ...(stated === undefined ? {} : { stated }),
      exitCode: redecisionCode(result),
      missing: result.totals.missing,
      breaks: result.agents.flatMap(({ breaks }) =>
        breaks.map(({ sequence, balance, recorded, least, most }) => [sequence, balance, recorded, least, most]),
      ),
      events: result.events.map(({ sequence, verdict, reason, differences }) => [
        ...[sequence, verdict, reason],
        ...(differences.length === 0 ? [] : [differences.map(({ member }) => member)]),
      ]),
    }).toEqual(redecided);
  });
});
