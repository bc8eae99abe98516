import { isIPv4 } from 'node:net';
import { httpUrl } from './readers.js';
import type { Reader } from './readers.js';

/** A process whose `/readyz` and `/metrics` the console reads. */
export interface NamedAddress {
  /** As people are shown it. */
  readonly name: string;
  /** No trailing slash. */
  readonly url: string;
}

/** The sources of `GET /v1/operations`: its own process (embedded profile), or these addresses. */
export interface ConsoleOperations {
  readonly probes: readonly NamedAddress[];
}

interface Values {
  readonly COUNTERSIGN_CONSOLE_OPERATIONS?: boolean | null;
  readonly COUNTERSIGN_CONSOLE_PROBES?: readonly NamedAddress[] | null;
  readonly COUNTERSIGN_HOST?: string | null;
  readonly COUNTERSIGN_PUBLIC_URL?: string | null;
}

const MOST_ADDRESSES = 32;
const NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,62}$/;

/** `name=url` entries separated by commas; each name once. */
export function namedAddresses(): Reader<readonly NamedAddress[]> {
  const address = httpUrl();
  return {
    expected: `at most ${MOST_ADDRESSES} entries name=http://address separated by commas, each name once`,
    read(raw) {
      const entries = raw.split(',').map((part) => part.trim());
      const read = entries.map((entry): NamedAddress | null => {
        const at = entry.indexOf('=');
        const name = entry.slice(0, Math.max(0, at));
        const url = address.read(entry.slice(at + 1));
        return NAME.test(name) && url !== null ? { name, url } : null;
      });
      const found = read.filter((one) => one !== null);
      const names = new Set(found.map(({ name }) => name));
      return found.length === entries.length && names.size === found.length && found.length <= MOST_ADDRESSES
        ? found
        : null;
    },
  };
}

/** The variables contradict each other; one line for each problem. */
export function consoleOperationsProblems(values: Values, profile: 'embedded' | 'distributed'): readonly string[] {
  if (profile === 'embedded') return [];
  const isOn = values.COUNTERSIGN_CONSOLE_OPERATIONS === true;
  const hasProbes = (values.COUNTERSIGN_CONSOLE_PROBES ?? null) !== null;
  if (isOn && !hasProbes) {
    return ['COUNTERSIGN_CONSOLE_PROBES is missing: COUNTERSIGN_CONSOLE_OPERATIONS=true needs it'];
  }
  return hasProbes && !isOn ? ['COUNTERSIGN_CONSOLE_PROBES needs COUNTERSIGN_CONSOLE_OPERATIONS=true'] : [];
}

/**
 * Figures of an installation are of all its accounts. By default they are shown only where accounts are made on this machine
 * alone: in the embedded profile, with registration closed or on a loopback address without a public one.
 * @returns `null`: they are not shown
 */
export function consoleOperations(
  values: Values,
  profile: 'embedded' | 'distributed',
  openRegistration: boolean,
): ConsoleOperations | null {
  const isByDefault = profile === 'embedded' && (!openRegistration || isOfThisMachine(values));
  if (!(values.COUNTERSIGN_CONSOLE_OPERATIONS ?? isByDefault)) return null;
  return { probes: values.COUNTERSIGN_CONSOLE_PROBES ?? [] };
}

function isOfThisMachine(values: Values): boolean {
  const { hostname } = new URL(values.COUNTERSIGN_PUBLIC_URL ?? 'http://localhost');
  return [values.COUNTERSIGN_HOST ?? '127.0.0.1', hostname].every(isLoopback);
}

function isLoopback(host: string): boolean {
  if (/^(?:(?:.+\.)?localhost|\[?::1\]?)$/i.test(host)) return true;
  return isIPv4(host) && host.startsWith('127.');
}
