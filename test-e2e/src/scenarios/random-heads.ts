/** Valid parts of a head, so that it is processed far. */
export interface Known {
  readonly apiKey: string;
  readonly host: string;
  /** Of an allowed check. */
  readonly body: string;
}

type Random = (below: number) => number;

/** Pseudo-random numbers (a linear congruential generator). */
function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 2654435761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'];
const ODD_METHODS = ['get', 'G@T', '', 'PRI'];
const TARGETS = [
  '/v1/check',
  '/v1/mcp/check',
  '/v1/events',
  '/healthz',
  '/readyz',
  '/v1/keys',
  '/v1/inclusion/verify',
  '*',
  '/',
  '//',
  '/v1/events?limit=%zz',
  '/%00',
  '/v1/../v1/check',
  'http://a/v1/check',
  'a:1',
  '/v1/check#x',
  '/\u00ff',
  '',
  '/v1/keys/%2e%2e',
];
const ODD_VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 x', 'HTTP', ''];
const NAMES = [
  'Accept',
  'X-A',
  'x-service-key',
  'Authorization',
  'Idempotency-Key',
  'Content-Type',
  'Content-Encoding',
  'Cookie',
  '__proto__',
  'constructor',
  'X-Forwarded-For',
  'Trailer',
  'TE',
  'x-countersign-client-address',
];
const ODD_NAMES = ['Host ', 'a b', '', ':', 'X\u0000A'];
const VALUES = [
  '',
  'a',
  '*/*',
  'application/json',
  'gzip',
  'Bearer x',
  '\u00ff\u00fe',
  'x'.repeat(2000),
  ' \t',
  ', ,',
  '%',
  '"',
];
const ODD_VALUES = ['a\u0000b', 'a\rb', 'a\nb', '\u0007'];
const FRAMES = [
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: +5',
  'Content-Length: 1e3',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5, 5',
  'Content-Length: ',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, gzip',
  'Transfer-Encoding: \u000bchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: x',
  'Content-Length: 10000000',
];
const CONNECTIONS = [
  'Connection: close',
  'Connection: keep-alive',
  'Connection: upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Expect: x',
  'Connection: content-length, host',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=0',
];
const HOSTS = ['Host: a', 'Host:', 'Host: a b', 'Host: [::1', 'Host: a:99999999', 'host: a\u0000', 'Host: http://a'];
const ODD_ENDS = ['\n', '\r', '\r\n ', ''];

/** The bytes of one or several requests, likely malformed; deterministic by seed. */
export function randomHead(seed: number, known: Known): Uint8Array {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const often = (percent: number): boolean => random(100) < percent;
  const body = often(70) ? known.body : pick(['', '{', '[]', '{"a":1,"a":2}', '\ufeff{}', 'x'.repeat(3000)]);
  const odd = <T>(usual: T, others: readonly T[]): T => (often(6) ? pick(others) : usual);
  const method = often(50) ? 'POST' : odd(pick(METHODS), ODD_METHODS);
  const lines = [
    `${method}${odd(' ', ['  '])}${often(40) ? '/v1/check' : pick(TARGETS)} ${odd('HTTP/1.1', ODD_VERSIONS)}`,
  ];
  if (often(92)) lines.push(`Host: ${known.host}`);
  if (often(6)) lines.push(pick(HOSTS));
  if (often(70)) lines.push(`x-service-key: ${known.apiKey}`);
  if (often(85)) lines.push(`Content-Length: ${Buffer.byteLength(body) + (often(8) ? random(20) - 10 : 0)}`);
  if (often(12)) lines.push(pick(FRAMES));
  if (often(25)) lines.push(pick(CONNECTIONS));
  for (let n = random(6); n > 0; n -= 1)
    lines.push(`${odd(pick(NAMES), ODD_NAMES)}${odd(': ', ['', ' : '])}${odd(pick(VALUES), ODD_VALUES)}`);
  if (often(3)) lines.push(...Array.from({ length: 3000 }, () => 'a:'));
  if (often(3)) lines.push(`X: ${'y'.repeat(20_000)}`);
  const head = lines.map((line) => line + (often(98) ? '\r\n' : pick(ODD_ENDS))).join('');
  const content = often(6) ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
  const whole = Buffer.from(`${head}${often(90) ? '\r\n' : ''}${content}`, often(90) ? 'utf8' : 'latin1');
  const cut = often(10) ? whole.subarray(0, random(whole.length)) : whole;
  return often(10) ? Buffer.concat([cut, whole]) : cut;
}
