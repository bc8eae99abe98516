import type { Reader } from './readers.js';

/** Reasons that an account can declare, and `undeclared` for one that has declared none. */
export type RetentionReason = 'soc2' | 'euaiact' | 'hipaa' | 'nydfs' | 'undeclared';

/** Months for which the content of checks is kept, by reason; the longest of an account's reasons applies. */
export type RetentionMonths = Readonly<Record<RetentionReason, number>>;

/** Six years if health or financial records may be included, or nothing is declared; else an audit year and a month. */
export const RETENTION_MONTHS: RetentionMonths = { soc2: 13, euaiact: 13, hipaa: 72, nydfs: 72, undeclared: 72 };

/**
 * Minimum of each setting. AI Act Articles 19(1) and 26(6): six months; 45 CFR 164.316(b)(2)(i): six years;
 * 23 NYCRR 500.6(a)(1): five years. SOC 2 has none: an examination's usual period.
 */
const LEAST_RETENTION_MONTHS: RetentionMonths = { soc2: 12, euaiact: 6, hipaa: 72, nydfs: 60, undeclared: 6 };

const MOST_MONTHS = 1_200;

/** `off`, or `name=months` separated by commas; a name that is left out keeps its months of {@link RETENTION_MONTHS}. */
export function retentionMonths(): Reader<RetentionMonths | 'off'> {
  const least = Object.entries(LEAST_RETENTION_MONTHS).map(([name, months]) => `${name}=${months}`);
  return {
    expected: `off, or any of ${least.join(',')} with these months or more, up to ${MOST_MONTHS}`,
    read(raw) {
      if (raw === 'off') return 'off';
      const months: Record<RetentionReason, number> = { ...RETENTION_MONTHS };
      for (const part of raw.split(',')) {
        const [, name, digits] = /^\s*([a-z0-9]+)=(\d{1,4})\s*$/.exec(part) ?? [];
        if (name === undefined || !isReason(name)) return null;
        const given = Number(digits);
        if (given < LEAST_RETENTION_MONTHS[name] || given > MOST_MONTHS) return null;
        months[name] = given;
      }
      return months;
    },
  };
}

function isReason(name: string): name is RetentionReason {
  return Object.hasOwn(RETENTION_MONTHS, name);
}
