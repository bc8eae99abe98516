import { parseDocument, stringify } from 'yaml';

/** YAML 1.2 without tags of its own, whatever version a text names: a date is a text, and `no` is one. */
const OPTIONS = { schema: 'core', merge: false, resolveKnownTags: false } as const;

/** The value of a text in YAML 1.2. @throws Error with the line of the first problem */
export function readYaml(text: string): unknown {
  const document = parseDocument(text, OPTIONS);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Error(problem.message.split('\n')[0]);
  const value: unknown = document.toJS();
  // As JSON they would be null, which unsets a field.
  JSON.stringify(value, (_name, one: unknown) => {
    if (typeof one === 'number' && !Number.isFinite(one)) throw new Error('A number has to be finite.');
    return one;
  });
  return value;
}

export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

/**
 * Where an element is written, or else the nearest one around it.
 * @param text YAML, or JSON, which is a subset
 * @returns its begin and end as offsets; `null`: there is none
 */
export function rangeIn(text: string, path: readonly (string | number)[]): readonly [number, number] | null {
  const document = parseDocument(text, OPTIONS);
  for (let { length } = path; length > 0; length -= 1) {
    const found = document.getIn(path.slice(0, length), true) as { readonly range?: readonly number[] } | undefined;
    const [begin, end] = found?.range ?? [];
    if (begin !== undefined && end !== undefined) return [begin, end];
  }
  return null;
}
