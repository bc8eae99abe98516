/** Of JSON text that is well-formed: its braces, and its strings, with the colon that makes one a name. */
const PIECES = /[{}]|"[^"\\]*(?:\\.[^"\\]*)*"\s*:?/gu;

/**
 * The value of JSON text in which no object says a name twice. Whoever stands between could read the first of two, and this
 * the last.
 * @throws SyntaxError
 */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const open: Set<string>[] = [];
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === '{') open.push(new Set());
    else if (piece === '}') open.pop();
    else if (piece.endsWith(':')) {
      const name = JSON.parse(piece.slice(0, -1)) as string;
      const names = open[open.length - 1];
      if (names?.has(name) === true) throw new SyntaxError(`it says ${JSON.stringify(name)} twice`);
      names?.add(name);
    }
  }
  return value;
}
