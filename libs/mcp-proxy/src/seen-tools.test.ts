import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeenTools } from './seen-tools.js';

const folder = mkdtempSync(join(tmpdir(), 'seen-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = (type: string) => ({ type: 'object', properties: { a: { type } } });
const held = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('the schemas of tools that servers list', () => {
  it('are written with those of the file, the newer ones replacing the older', async () => {
    const file = join(folder, 'tools.json');
    const notes: string[] = [];
    const seen = new SeenTools(file, (line) => notes.push(line));
    seen.add({ tools: [{ name: 'one', description: 'd', inputSchema: schema('string') }, { name: 5 }, null] });
    seen.add({ tools: [{ name: 'two', inputSchema: schema('number') }] });
    await seen.written();
    const one = { name: 'one', inputSchema: schema('string') };
    const two = { name: 'two', inputSchema: schema('number') };
    expect(held(file)).toEqual({ tools: [one, two] });
    const again = new SeenTools(file, (line) => notes.push(line));
    again.add({ tools: [{ name: 'two', inputSchema: schema('boolean') }] });
    await again.written();
    expect(held(file)).toEqual({ tools: [{ ...two, inputSchema: schema('boolean') }, one] });
    expect(notes).toEqual([]);
  });

  it.each(['no JSON', '{"profile":{}}'])('do not replace a file that is something else: %s', async (text) => {
    const file = join(folder, 'other.json');
    writeFileSync(file, text);
    const notes: string[] = [];
    const seen = new SeenTools(file, (line) => notes.push(line));
    seen.add({ tools: [{ name: 'one', inputSchema: schema('string') }] });
    await seen.written();
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(notes).toHaveLength(1);
  });

  it('are nothing where a server lists none', async () => {
    const file = join(folder, 'none.json');
    const seen = new SeenTools(file, () => undefined);
    for (const result of [undefined, [], { tools: 5 }, { tools: [] }]) seen.add(result);
    await seen.written();
    expect(() => held(file)).toThrow(/ENOENT/);
  });
});
