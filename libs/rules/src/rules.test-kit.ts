import type { CelOptions, Ports, Program } from './index.js';
import { compileCel } from './index.js';
import { variablesOf } from './judge/variables.js';

/** Host names and nothing else. The policy engine has the matcher that ships. */
export const PORTS: Ports = {
  hosts: (entries) => (addresses) =>
    addresses.every((address) => {
      if (!URL.canParse(address)) return false;
      const { hostname } = new URL(address);
      return entries.some(
        (entry) => entry === hostname || (entry.startsWith('*.') && hostname.endsWith(entry.slice(1))),
      );
    }),
};

export const OPTIONS: CelOptions = {
  variables: variablesOf(['secret_read', 'kyc_done']),
  ports: PORTS,
  presence: false,
  condition: true,
};

/** The problem of an expression, as its author sees it; `null` if it is accepted. */
export function problemOf(text: string, options: Partial<CelOptions> = {}) {
  const result = compileCel(text, { ...OPTIONS, presence: true, ...options });
  return 'problem' in result ? result.problem : null;
}

export function programOf(text: string, options: Partial<CelOptions> = {}): Program {
  const result = compileCel(text, { ...OPTIONS, ...options });
  if ('problem' in result) throw new Error(`${text}: ${result.problem.message}`);
  return result.program;
}

/** The result of a condition on arguments. */
export function run(text: string, args: unknown, values: Readonly<Record<string, unknown>> = {}) {
  return programOf(text).run({ values: { args, ...values }, offsets: {} });
}
