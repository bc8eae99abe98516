import { readdirSync, readFileSync } from 'node:fs';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { redecideVectorFiles } from './redecide-cases.js';

const FOLDER = new URL('../../vectors/redecide/', import.meta.url);

describe('the vectors of re-decision', () => {
  it('are the files that the generator writes, byte for byte', () => {
    const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    const made = redecideVectorFiles(nodeCrypto.sha256, seededKey);
    expect(made.map(([name]) => name).sort()).toEqual(names.sort());
    for (const [name, content] of made)
      expect(content === readFileSync(new URL(name, FOLDER), 'utf8') ? name : `${name} differs`).toBe(name);
  });
});
