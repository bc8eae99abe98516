/** The session that an action names in its `metadata`; `null`: none. One that only a token named is not in the action. */
export function sessionOf(action: unknown): string | null {
  const session = memberOf(memberOf(action, 'metadata'), 'session');
  return typeof session === 'string' && session !== '' ? session : null;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
