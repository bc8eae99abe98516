/** Braces and strings of well-formed JSON text, with the colon that follows a name. */
const PIECES = /[{}]|"[^"\\]*(?:\\.[^"\\]*)*"\s*:?/gu;

/**
 * Parses JSON text in which no object has a name twice: a proxy could read the first of two, and this client the last.
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
