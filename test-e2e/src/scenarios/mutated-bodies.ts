type Random = (below: number) => number;
type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Pseudo-random numbers below 2^32 (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Valid bodies. */
const wholes = (agentId: string): Json[] => [
  { agentId, action: { type: 'llm_response', payload: 'Order 48213 was shipped.' } },
  {
    agentId,
    action: {
      type: 'http_call',
      url: 'https://api.example.com:8443/v1/users/../orders?id=1#top',
      estimatedCost: 1.5,
      metadata: { tags: [1, null, 'ü', { deep: [true] }] },
      payload: { to: 'a@example.com', card: '4111 1111 1111 1111', b: '\u{1F600}' },
    },
  },
  { agentId, action: { type: 'tool_use', tool_name: 'crm.lookup', toolName: 'crm.delete', dataScope: 'pii.email' } },
  { agentId: agentId.toUpperCase(), action: { type: 'x', estimatedCost: 0, payload: [[], {}, '', 0, -1.25e-7] } },
];

const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);

/** JSON and similar text, to replace a value. */
const TOKENS: readonly string[] = [
  ...['null', 'true', '[]', '{}', '""', '0', '-0', '-1', '1e308', '1e-400', '9007199254740993', '0.1e1', '"\\u0000"'],
  ...['1e999', '-1e999', 'NaN', 'Infinity', '01', '+1', '.5', '1.', '0x10', 'undefined', "'a'", '"\\x41"', '"\t"', ''],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\uFFFE"', '"\ufeff"', '"\u202e\u200b"', '"\u0301\u0301"'],
  ...['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"__proto__":{"type":"y"}}', '{"constructor":{"prototype":1}}'],
  ...['{"toString":1,"valueOf":2}', '{"":{"":[]}}', '{"length":-1}', '[1,]', '{"a":}', '[,1]', '{a:1}', '/**/1'],
  ...[
    '"http://[::1]:99999/"',
    '"javascript:alert(1)"',
    '"https://\u0430pi.example.com"',
    '"//"',
    '"file:///etc/passwd"',
  ],
  ...['9'.repeat(400), `0.${'0'.repeat(400)}1`, `1e${'9'.repeat(30)}`, `"${'ﷺ'.repeat(40)}"`, `"${'a'.repeat(3000)}"`],
  ...[nested(28, '[', ']'), nested(33, '[', ']'), nested(40, '{"a":[', ']}'), nested(500, '[', '')],
];

/** Expensive ones are rare. */
const LARGE: readonly (() => string)[] = [
  () => `"${'x'.repeat(262_144)}"`,
  () => `"${'x'.repeat(262_145)}"`,
  () => nested(100_000, '[', ']'),
  () => `[${'0,'.repeat(50_000)}0]`,
  () => `{${Array.from({ length: 10_001 }, (_, i) => `"k${i}":1`).join(',')}}`,
  () => `"${'x'.repeat(1_048_576)}"`,
];

const MEMBERS: readonly string[] = [
  ...['"agentId":"x"', '"action":{}', '"type":"y"', '"actionType":"y"', '"payload":1', '"__proto__":null', '"":0'],
  ...[
    '"constructor":[]',
    '"toJSON":1',
    '"url":5',
    '"metadata":[]',
    '"estimatedCost":"1"',
    '"tool_name":{}',
    '"a\\u0000b":1',
  ],
];

const BYTES: readonly (readonly number[])[] = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0x00],
  [0xef, 0xbb, 0xbf],
  [0x22],
  [0x5c],
  [0x7b],
];

const HOLE = '@hole@';

/** Replaces a value somewhere in it by a hole, or, with `member`, adds a member with one. */
function punch(whole: Json, random: Random, member: boolean): string {
  const value = structuredClone(whole) as { [member: string]: Json };
  const holes: (() => void)[] = [];
  const visit = (at: Json): void => {
    if (typeof at !== 'object' || at === null) return;
    const box = at as { [member: string]: Json };
    if (member && !Array.isArray(at)) holes.push(() => void (box[HOLE] = 0));
    for (const name of Object.keys(box)) {
      if (!member) holes.push(() => void (box[name] = HOLE));
      visit(box[name]!);
    }
  };
  visit(value);
  holes[random(holes.length)]!();
  return JSON.stringify(value);
}

function changedText(whole: Json, random: Random): string {
  const kind = random(400);
  if (kind < 40) return JSON.stringify(whole);
  if (kind < 160) {
    return punch(whole, random, true).replace(`"${HOLE}":0`, () => MEMBERS[random(MEMBERS.length)]!);
  }
  const token = kind === 399 ? LARGE[random(LARGE.length)]!() : TOKENS[random(TOKENS.length)]!;
  return punch(whole, random, false).replace(`"${HOLE}"`, () => token);
}

function changedBytes(bytes: Buffer, random: Random): Buffer {
  const at = random(bytes.length);
  switch (random(5)) {
    case 0:
      bytes[at]! ^= 1 << random(8);
      return bytes;
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(BYTES[random(BYTES.length)]!), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 1 - random(40)))]);
    default:
      bytes[at] = random(256);
      return bytes;
  }
}

/** Pseudo-random bodies of checks: valid ones, ones with a changed value or member, and ones with changed bytes. */
export function* mutatedBodies(agentId: string, seed: number): Generator<Buffer, never> {
  const random = randomOf(seed);
  const sources = wholes(agentId);
  for (;;) {
    let bytes: Buffer = Buffer.from(changedText(sources[random(sources.length)]!, random));
    if (random(3) === 0)
      for (let i = random(3); i >= 0 && bytes.length > 0; i -= 1) bytes = changedBytes(bytes, random);
    yield bytes;
  }
}
