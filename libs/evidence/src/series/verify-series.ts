import type { SeriesEntry, SignedPackage, SignedSeries } from '@countersign/contracts';
import { canonicalize } from '../json/canonicalize.js';
import { toHex } from '../encoding/hex.js';
import { leafHashOf } from '../leaf/canonical-leaf.js';
import { isRecord } from '../reading.js';
import { counted, Findings } from '../verify/findings.js';
import type { ChainFacts, VerifyOptions } from '../verify/options.js';
import { checkSignature, checkValidity, type SignatureVerdict } from '../verify/package-signature.js';
import {
  type Problem,
  UNVOUCHED,
  type UnsettledCode,
  type VerificationResult,
  type Vouched,
} from '../verify/result.js';
import {
  checkReport,
  NO_SIGNATURE,
  type Readable,
  readSigned,
  tellAnchors,
  vouchers,
} from '../verify/verify-package.js';
import { seriesEntry } from './series-entry.js';
import { seriesShape } from './series-shape.js';
import { seriesAgents, seriesChanges, seriesGaps, seriesTotals } from './series-totals.js';

/** The result of a series and of the packages that were given with it. */
export interface SeriesResult {
  /** Nothing that was checked is wrong. Read `vouched` and `notChecked` as well. */
  readonly ok: boolean;
  /** `issuer`, `anchor`: of the series and of every package that it lists; both `false` if one was not given. */
  readonly vouched: Vouched;
  readonly keyId: string | null;
  readonly sha256: string | null;
  /** Of the packages, each once. */
  readonly unsettled: readonly UnsettledCode[];
  /** In the order of the series; empty where it could not be read. */
  readonly packages: readonly {
    readonly reportId: string;
    readonly sha256: string;
    readonly given: boolean;
  }[];
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  /** In the order of the checks; at most 100 are kept. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** True for a value that says it is a series. */
export function claimsSeries(value: unknown): boolean {
  return isRecord(value) && value['kind'] === 'series';
}

/** Opens a series for verification (`FORMAT.md`, "Series"). Never throws, whatever `input` is. */
export function openSeries(input: unknown, options: Omit<VerifyOptions, 'chain'>): SeriesVerification {
  return new SeriesVerification(input, options);
}

/**
 * Verifies a series and its packages, which are given one by one in any order, so that no two of them need to be in
 * memory at once.
 */
export class SeriesVerification {
  readonly #options: Omit<VerifyOptions, 'chain'>;
  readonly #findings = new Findings();
  readonly #start: Readable | null;
  readonly #signature: SignatureVerdict;
  /** `null`: the series is refused before its packages matter. */
  readonly #series: SignedSeries | null;
  readonly #places = new Map<string, number>();
  readonly #given = new Map<number, VerificationResult>();
  readonly #shared: readonly SharedNumbers[];
  readonly #leaves = new Map<string, string>();
  #packages = 0;

  constructor(input: unknown, options: Omit<VerifyOptions, 'chain'>) {
    this.#options = options;
    const findings = this.#findings;
    this.#start = readSigned(input, 'series-1.0.0', options, findings);
    const { claim = null, digests = null } = this.#start ?? {};
    this.#signature =
      claim === null || digests === null ? NO_SIGNATURE : checkSignature(claim, digests.bytes, options, findings);
    if (claim !== null && claim.sha256 !== digests?.sha256)
      findings.problem('sha256-differs', 'sha256', 'The SHA-256 of the canonical bytes is another one.');
    this.#series = findings.clean && this.#start !== null ? this.#read(this.#start.pkg) : null;
    this.#series?.packages.forEach(({ sha256 }, i) => this.#places.set(sha256, i));
    this.#shared = this.#series === null ? [] : sharedNumbers(this.#series.packages);
    if (this.#series !== null) checkJoints(this.#series, findings);
  }

  /** The packages that the series lists, in its order; empty where it is refused. */
  get listed(): readonly SeriesEntry[] {
    return this.#series?.packages ?? [];
  }

  /**
   * Compares a package with its entry.
   * @param result of `verifyPackage` with the same keys
   */
  addPackage(pkg: unknown, result: VerificationResult): void {
    const series = this.#series;
    if (series === null) return;
    this.#packages += 1;
    const findings = this.#findings;
    const at = result.sha256 === null ? undefined : this.#places.get(result.sha256);
    if (at === undefined) {
      const id = isRecord(pkg) && typeof pkg['reportId'] === 'string' ? pkg['reportId'] : '?';
      const named = series.packages.findIndex(({ reportId }) => reportId === id);
      const words =
        named === -1 ? 'the series does not list it' : `the series lists it with other bytes, as packages[${named}]`;
      findings.problem('series-package-unlisted', 'packages', `Of the package ${id}: ${words}.`);
      return;
    }
    const path = `packages[${at}]`;
    this.#given.set(at, result);
    if (!result.ok) {
      const [first] = result.problems;
      findings.problem(
        'series-package-invalid',
        path,
        `It does not hold: ${first?.message ?? ''} [${first?.code ?? ''}]`,
      );
      return;
    }
    const entry = seriesEntry(pkg as SignedPackage, this.#options.crypto.sha256);
    const differing = Object.entries(entry).find(
      ([name, value]) => canonicalize(value) !== canonicalize(series.packages[at]![name as keyof SeriesEntry]),
    );
    if (differing !== undefined)
      findings.problem('series-package-differs', `${path}.${differing[0]}`, 'The package says something else.');
    this.#compareShared(pkg as SignedPackage, at);
  }

  /** @param chain look-ups of the transaction that the series names; `null`: the chain was not queried */
  finish(chain: ChainFacts | null): SeriesResult {
    const { claim = null, digests = null } = this.#start ?? {};
    const findings = this.#findings;
    const series = this.#series;
    let vouched = UNVOUCHED;
    if (series !== null && digests !== null) {
      const report = checkReport(series, digests.contentHash, { chain }, findings);
      const signature = checkValidity(this.#signature, report.blockTime, findings);
      const anchors = series.timestamp.anchor === 'pending' ? [] : [report];
      tellAnchors(anchors, { chain }, findings);
      this.#checkWhole(series);
      const own = vouchers(signature, report.blockTime, anchors);
      const all = [...this.#given.values()].map((result) => result.vouched);
      const whole = this.#given.size === series.packages.length;
      vouched = {
        issuer: whole && own.issuer && all.every(({ issuer }) => issuer),
        anchor: whole && (own.anchor || anchors.length === 0) && all.every(({ anchor }) => anchor),
      };
    }
    const results = [...this.#given.values()];
    return {
      ok: findings.clean,
      vouched: findings.clean ? vouched : UNVOUCHED,
      keyId: claim?.keyId ?? null,
      sha256: digests?.sha256 ?? null,
      unsettled: [...new Set(results.flatMap(({ unsettled }) => unsettled.map(({ code }) => code)))],
      packages: this.listed.map(({ reportId, sha256 }, i) => ({
        reportId,
        sha256,
        given: this.#given.has(i),
      })),
      checked: [...findings.checked],
      notChecked: [...findings.notChecked],
      problems: [...findings.problems],
      problemCount: findings.problemCount,
    };
  }

  #read(pkg: Readable['pkg']): SignedSeries | null {
    const fault = seriesShape(pkg);
    if (fault === null) {
      this.#findings.checked.push('the form of every field');
      return pkg as unknown as SignedSeries;
    }
    const path = fault.path.replace(/^\./, '');
    this.#findings.problem('structure', path, `${path === '' ? 'The series' : path} must be ${fault.form}.`);
    return null;
  }

  #checkWhole({ packages }: SignedSeries): void {
    const findings = this.#findings;
    if (this.#packages === 0) {
      findings.notChecked.push(`${counted(packages.length, 'package')} of the series: none was given`);
      return;
    }
    packages.forEach(({ reportId }, i) => {
      if (this.#given.has(i)) return;
      findings.problem('series-package-missing', `packages[${i}]`, `The package ${reportId} was not given.`);
    });
    const results = [...this.#given.values()];
    const unchecked = results.filter(({ vouched: { issuer } }) => !issuer).length;
    const open = results.filter(({ unsettled }) => unsettled.length > 0).length;
    if (findings.clean) findings.checked.push(`${counted(results.length, 'package')}: each is the one that is listed`);
    if (unchecked > 0) findings.notChecked.push(`the issuer of ${counted(unchecked, 'package')}`);
    if (open > 0) findings.notChecked.push(`${counted(open, 'package')} for which the chain leaves something open`);
  }

  /** The same number of an agent is the same event in each package that holds it. */
  #compareShared({ events }: SignedPackage, at: number): void {
    const shared = this.#shared[at]!;
    if (shared.size === 0) return;
    const { sha256 } = this.#options.crypto;
    for (const { event, sequence } of events) {
      const bounds = shared.get(event.agentId);
      if (bounds === undefined || (sequence > bounds.upTo && sequence < bounds.from)) continue;
      const key = `${event.agentId} ${sequence}`;
      const hash = toHex(leafHashOf(event, sha256));
      const known = this.#leaves.get(key);
      if (known === undefined) this.#leaves.set(key, hash);
      else if (known !== hash) {
        const message = `Number ${sequence} of agent ${event.agentId} is another event than in another package.`;
        this.#findings.problem('series-overlap-differs', `packages[${at}]`, message);
      }
    }
  }
}

/** Of each agent the numbers of a package that another one may hold too: up to `upTo`, and from `from` on. */
type SharedNumbers = ReadonlyMap<string, { readonly upTo: number; readonly from: number }>;

function sharedNumbers(packages: readonly SeriesEntry[]): SharedNumbers[] {
  const shared = packages.map(() => new Map<string, { upTo: number; from: number }>());
  const note = (
    order: number[],
    take: (known: number | undefined, agent: SeriesEntry['agents'][number]) => number,
    member: 'upTo' | 'from',
  ) => {
    const bound = new Map<string, number>();
    for (const at of order) {
      for (const agent of packages[at]!.agents) {
        if (agent.firstSequence === null) continue;
        const known = bound.get(agent.id);
        if (known !== undefined) {
          const before = shared[at]!.get(agent.id) ?? {
            upTo: 0,
            from: Infinity,
          };
          shared[at]!.set(agent.id, { ...before, [member]: known });
        }
        bound.set(agent.id, take(known, agent));
      }
    }
  };
  const order = packages.map((_, i) => i);
  note(order, (known, { lastSequence }) => Math.max(known ?? 0, lastSequence!), 'upTo');
  note(order.reverse(), (known, { firstSequence }) => Math.min(known ?? Infinity, firstSequence!), 'from');
  return shared;
}

/** Everything that follows from the entries alone: adjacent ranges, numbers without a gap, agents, totals, changes. */
function checkJoints(series: SignedSeries, findings: Findings): void {
  const { packages, range } = series;
  const before = findings.problemCount;
  packages.forEach((entry, i) => {
    const from = i === 0 ? range.from : packages[i - 1]!.range.to;
    if (entry.range.from === from) return;
    const message = `It must begin where ${i === 0 ? 'the series begins' : 'the one before it ends'}, at ${from}.`;
    findings.problem('series-range-differs', `packages[${i}].range.from`, message);
  });
  if (packages.at(-1)!.range.to !== range.to)
    findings.problem('series-range-differs', 'range.to', 'The series must end where its last package does.');
  if (findings.problemCount === before)
    findings.checked.push(
      `the ranges of ${counted(packages.length, 'package')}: they are adjacent, and cover the whole`,
    );
  const gaps = seriesGaps(packages);
  for (const { agentId, first, last } of gaps) {
    const numbers = first === last ? `${first}` : `${first} to ${last}`;
    findings.problem('series-sequence-missing', 'packages', `Of agent ${agentId}, ${numbers} lies between packages.`);
  }
  if (gaps.length === 0) findings.checked.push('the numbers of every agent: nothing lies between packages');
  const same = (a: unknown, b: unknown): boolean => canonicalize(a) === canonicalize(b);
  const differs = (
    code: 'series-agents-differ' | 'series-totals-differ' | 'series-changes-differ',
    path: string,
  ): void => findings.problem(code, path, `${path} must be what the packages add up to.`);
  if (!same(series.agents, seriesAgents(packages))) differs('series-agents-differ', 'agents');
  if (same(series.totals, seriesTotals(packages)))
    findings.checked.push('the totals: they are the sums of the packages');
  else differs('series-totals-differ', 'totals');
  if (!same(series.changes, seriesChanges(packages))) differs('series-changes-differ', 'changes');
}
