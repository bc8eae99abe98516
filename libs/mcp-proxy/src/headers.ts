/** A token of RFC 9110. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** Visible ASCII and spaces. */
const VALUE = /^[\x20-\x7e]*$/u;

/**
 * Parses lines `Name: value`, in which `${NAME}` stands for an environment variable, so that a secret need not be in
 * an argument, which every user of the machine can read. Returns the problem as text, without any value.
 */
export function readHeaders(
  lines: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | string {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', written = ''] = /^([^:]*):\s*(.*)$/su.exec(line) ?? [];
    if (!NAME.test(name)) return 'a --header is written "Name: value"';
    const missing: string[] = [];
    const value = written.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/gu, (_, variable: string) => {
      const found = environment[variable];
      if (found === undefined) missing.push(variable);
      return found ?? '';
    });
    if (missing.length > 0) return `--header ${name}: ${missing.join(', ')} is not set`;
    if (!VALUE.test(value)) return `--header ${name}: its value has characters that no header may have`;
    headers[name] = value.trim();
  }
  return headers;
}
