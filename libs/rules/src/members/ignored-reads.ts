import type { RuleMember } from '@countersign/contracts';

/**
 * The first path of `ignore` that the rule reads, by its conditions or to see whether it applies: the action that a person approves and the one that
 * uses the approval must not differ in what the rule judges.
 * @param reads members that `args`, `hours` and `when` read, as {@link Program.reads}
 * @returns its position in `ignore`, and the member that is read; `null` where there is none
 */
export function ignoredRead(
  { ignore = [], args = {}, tools, types }: Pick<RuleMember, 'ignore' | 'args' | 'tools' | 'types'>,
  reads: readonly string[],
): { readonly at: number; readonly read: string } | null {
  if (ignore.length === 0) return null;
  const named = [
    ...Object.keys(args).map((path) => `args.${path}`),
    ...(tools === undefined ? [] : ['action.tool_name', 'action.toolName']),
    ...(types === undefined ? [] : ['action.type']),
    ...reads,
  ];
  // has(args.a) && args.a.b == 1 judges args.a.b alone.
  const all = named.filter((one) => !named.some((other) => other.startsWith(`${one}.`)));
  for (const [at, path] of ignore.entries()) {
    const read = all.find((one) => overlap(pathInAction(one), path));
    if (read !== undefined) return { at, read };
  }
  return null;
}

/** The path in the action of a member that an expression reads, up to the first element of a list; `null` for others. */
function pathInAction(read: string): string | null {
  const [root, ...names] = read.split('[]', 1)[0]!.split('.');
  if (root === 'action') return names.join('.');
  return root === 'args' ? ['payload', ...names].join('.') : null;
}

/** One of the paths is the other or leads to it; the empty path is the whole action. */
function overlap(read: string | null, ignored: string): boolean {
  if (read === null) return false;
  return read === '' || `${read}.`.startsWith(`${ignored}.`) || ignored.startsWith(`${read}.`);
}
