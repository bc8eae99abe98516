/**
 * Called with each string and number of a payload; `true` ends the traversal.
 * @param name of the member whose value it is, `''` elsewhere; `null`: the text is itself the name of a member
 */
export type TextVisitor = (value: string | number, name: string | null) => boolean;

/**
 * Visits every string and number of a JSON value at any depth, the names of members too. Returns whether a visitor
 * ended it.
 */
export function visitTexts(payload: unknown, visit: TextVisitor): boolean {
  const waiting: object[] = [];
  const enter = (value: unknown, name: string): boolean => {
    if (typeof value === 'string' || typeof value === 'number') return visit(value, name);
    if (typeof value === 'object' && value !== null) waiting.push(value);
    return false;
  };
  if (enter(payload, '')) return true;
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as readonly unknown[]) if (enter(item, '')) return true;
    } else {
      for (const name of Object.keys(value)) {
        if (visit(name, null) || enter((value as Readonly<Record<string, unknown>>)[name], name)) return true;
      }
    }
  }
  return false;
}
