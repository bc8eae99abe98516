/** The tools and types of actions that a rule applies to. Where it names both, both must match. */
export interface Targets {
  readonly tools?: readonly string[];
  readonly types?: readonly string[];
}

/** Index of rules by the names that they apply to. A look-up costs two hashes, and a comparison for each pattern. */
export class TargetIndex {
  readonly #all: readonly number[];
  readonly #byTool: NameIndex;
  readonly #byType: NameIndex;

  constructor(targets: readonly Targets[]) {
    this.#all = targets.map((_, at) => at);
    this.#byTool = new NameIndex(targets.map(({ tools }) => tools));
    this.#byType = new NameIndex(targets.map(({ types }) => types));
  }

  /** Positions of the rules that apply to an action, in order. */
  match(action: Readonly<Record<string, unknown>>): readonly number[] {
    if (this.#all.length === 0) return this.#all;
    const byTool = this.#byTool.match([textOf(action, 'tool_name'), textOf(action, 'toolName')]);
    const byType = this.#byType.match([textOf(action, 'type')]);
    if (byType === null) return byTool ?? this.#all;
    return byTool === null ? byType : byTool.filter((at) => byType.includes(at));
  }
}

function textOf(action: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = Object.hasOwn(action, name) ? action[name] : undefined;
  return typeof value === 'string' ? value : null;
}

/** Names, and patterns that end in `*`, as in `off_limits_actions`. */
class NameIndex {
  readonly #exact = new Map<string, number[]>();
  readonly #prefixes: { readonly prefix: string; readonly at: number }[] = [];
  /** Rules that apply whatever the name is. */
  readonly #always: number[] = [];
  readonly #isTrivial: boolean;

  constructor(lists: readonly (readonly string[] | undefined)[]) {
    for (const [at, names] of lists.entries()) {
      if (names === undefined) this.#always.push(at);
      for (const name of names ?? []) {
        if (name.endsWith('*')) this.#prefixes.push({ prefix: name.slice(0, -1), at });
        else this.#exact.set(name, [...(this.#exact.get(name) ?? []), at]);
      }
    }
    this.#isTrivial = this.#always.length === lists.length;
  }

  /** Positions of the lists that match one of the names, in order; `null`: all of them. */
  match(names: readonly (string | null)[]): readonly number[] | null {
    if (this.#isTrivial) return null;
    let found: number[] | null = null;
    for (const name of names) {
      if (name === null) continue;
      const exact = this.#exact.get(name);
      if (exact !== undefined) found = found === null ? [...exact] : [...found, ...exact];
      for (const { prefix, at } of this.#prefixes) {
        if (name.startsWith(prefix)) (found ??= []).push(at);
      }
    }
    if (found === null) return this.#always;
    return [...new Set([...this.#always, ...found])].sort((a, b) => a - b);
  }
}
