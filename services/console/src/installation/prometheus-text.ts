import type { Sample } from '@countersign/service-kit';

const NAME = /[A-Za-z_:][A-Za-z0-9_:]*/y;
const LABEL = /\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*"((?:[^"\\\n]|\\.)*)"\s*(,?)/y;
const VALUE = /^\s*([^\s]+)(?:\s+-?\d+)?\s*$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/**
 * Reads the Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). Comments are skipped; so are
 * lines of other names than these, unread.
 * @param names of metrics; `_bucket`, `_sum` and `_count` belong to the name before them
 * @throws SyntaxError for a line of these names that is not of the format; the text is not repeated
 */
export function readPrometheusText(text: string, names: readonly string[]): readonly Sample[] {
  const wanted = new Set(names.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]));
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trimStart();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    NAME.lastIndex = 0;
    const name = NAME.exec(trimmed)?.[0];
    if (name === undefined) throw malformed();
    if (wanted.has(name)) samples.push(readSample(name, trimmed.slice(name.length).trimStart()));
  }
  return samples;
}

/** @param rest what follows the name: labels, if there are any, value and time */
function readSample(name: string, rest: string): Sample {
  if (!rest.startsWith('{')) return { name, labels: {}, value: valueOf(rest) };
  const labels: [string, string][] = [];
  let at = 1;
  for (let more = true; more;) {
    LABEL.lastIndex = at;
    const found = LABEL.exec(rest);
    if (found === null) break;
    labels.push([found[1]!, unescape(found[2]!)]);
    at = LABEL.lastIndex;
    more = found[3] === ',';
  }
  const end = /\s*\}/y;
  end.lastIndex = at;
  if (!end.test(rest)) throw malformed();
  return { name, labels: Object.fromEntries(labels), value: valueOf(rest.slice(end.lastIndex)) };
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (whole, letter: string) => ESCAPES[letter] ?? whole);
}

function valueOf(text: string): number {
  const value = VALUE.exec(text)?.[1] ?? '';
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(value);
  if (word !== null) return /^n/i.test(word[2]!) ? Number.NaN : word[1] === '-' ? -Infinity : Infinity;
  if (!NUMBER.test(value)) throw malformed();
  return Number(value);
}

function malformed(): SyntaxError {
  return new SyntaxError('not in the Prometheus text format');
}
