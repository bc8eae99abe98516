/** Opening of something that dialects of SQL read differently, or of a text that is skipped. */
const SPECIAL = /['"`\\#$;\0]|--|\/\*/g;

/**
 * Reports whether all dialects of SQL divide a text into the same strings, names and comments, and it has one
 * statement. Refused are backslashes (an escape in MySQL), backticks, `#` and `--` without a blank (comments in MySQL
 * alone), dollar quotes, comments in comments, and comments that MySQL executes (`/*!`).
 */
export function isPlainSql(text: string): boolean {
  SPECIAL.lastIndex = 0;
  for (let found = SPECIAL.exec(text); found !== null; found = SPECIAL.exec(text)) {
    const end = endOf(text, found[0], found.index);
    if (end === null) return false;
    SPECIAL.lastIndex = end;
  }
  return true;
}

/** The offset after a special part of a text, or `null` for one that is refused. */
function endOf(text: string, opening: string, at: number): number | null {
  switch (opening) {
    case "'":
    case '"': {
      const end = text.indexOf(opening, at + 1);
      return end < 0 || text.slice(at, end).includes('\\') ? null : end + 1;
    }
    case '--': {
      const end = text.indexOf('\n', at);
      const next = text[at + 2];
      if (next !== undefined && !/\s/.test(next)) return null;
      return end < 0 ? text.length : end;
    }
    case '/*': {
      const end = text.indexOf('*/', at + 2);
      if (end < 0 || text[at + 2] === '!' || text[at + 2] === '+' || text.slice(at + 2, end).includes('/*'))
        return null;
      return end + 2;
    }
    case '$':
      return /^\d/.test(text.slice(at + 1, at + 2)) && !/[\w$]/.test(text.slice(at - 1, at)) ? at + 1 : null;
    case ';':
      return text.slice(at + 1).trim() === '' ? text.length : null;
    default:
      return null;
  }
}
