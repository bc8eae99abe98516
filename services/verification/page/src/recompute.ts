import type { VerificationResult } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import type * as library from './redecide.js';
import type { RedecidedEvent, Redecision, SqlParser } from './redecide.js';

/** The parts that compute verdicts again. Each is a file of its own; a failure to load one is an answer, not an error. */
export interface Recomputing {
  readonly library: () => Promise<typeof library>;
  /** Fetched for packages with rules that read SQL alone. */
  readonly sqlParser: () => Promise<SqlParser>;
}

/** The verdicts of a package, computed again, for the reader. */
export interface Recomputed {
  /** `differs`: a verdict, a balance or the package's own statement does not follow. `partly`: something was not confirmed. */
  readonly result: 'same' | 'partly' | 'differs';
  /** Sentences on what leaves the verdict on the file open. */
  readonly open: readonly string[];
  readonly summary: readonly string[];
  readonly problems: readonly string[];
  readonly agents: readonly {
    readonly agentId: string;
    readonly checks: number;
    readonly balances: Redecision['agents'][number]['balances'];
    readonly missing: number;
    readonly breaks: readonly { readonly sequence: number; readonly text: string }[];
  }[];
  /** At most {@link SHOWN_EVENTS}: those that differ, those by another engine with another verdict, the rest that is not the same, then the same. */
  readonly events: readonly (Pick<RedecidedEvent, 'agentId' | 'sequence' | 'verdict'> & { readonly why: string })[];
  readonly eventCount: number;
}

const SHOWN_EVENTS = 200;
const SHOWN_AGENTS = 50;
const SHOWN_BREAKS = 5;
const READS_SQL = 'read_only_sql';

/** Computes every verdict of a package again that was verified; `null`: it has no checks, or is not what it claims to be. */
export async function recompute(
  { library, sqlParser }: Recomputing,
  { browserCrypto }: EvidenceLibrary,
  value: unknown,
  verified: Pick<VerificationResult, 'problems' | 'problemCount'>,
): Promise<Recomputed | null> {
  let loaded: Awaited<ReturnType<typeof library>>;
  try {
    loaded = await library();
  } catch {
    return notComputed('the part of this page that computes verdicts again could not be loaded');
  }
  if (!loaded.isReadable(verified)) return null;
  try {
    return await recomputeWith(loaded, sqlParser, browserCrypto, value);
  } catch {
    return notComputed('this file has a member that cannot be evaluated');
  }
}

async function recomputeWith(
  loaded: typeof library,
  sqlParser: Recomputing['sqlParser'],
  { sha256 }: EvidenceLibrary['browserCrypto'],
  value: unknown,
): Promise<Recomputed | null> {
  const pkg = value as Parameters<typeof loaded.redecide>[0];
  let parserFailed = false;
  if (loaded.namesInRules(pkg, READS_SQL)) {
    try {
      loaded.provideSqlParser(await sqlParser());
    } catch {
      parserFailed = true;
    }
  }
  const redecision = loaded.redecide(pkg, { sha256, ...(parserFailed ? { without: [READS_SQL] } : {}) });
  const { totals, stated } = redecision;
  if (totals.checks === 0 && (stated ?? []).length === 0) return null;
  return shown(loaded, redecision, parserFailed);
}

function shown(loaded: typeof library, redecision: Redecision, parserFailed: boolean): Recomputed {
  const { agents, events } = redecision;
  const code = loaded.redecisionCode(redecision);
  const sorted = [0, 1, 2, 3].flatMap((place) => events.filter((event) => placeOf(event) === place));
  const others = events.filter(({ reason }) => reason === 'engine').length;
  const parser = `PostgreSQL's parser could not be loaded: rules with ${READS_SQL} were not evaluated`;
  return {
    result: (['same', 'differs', 'partly'] as const)[code],
    open: [...(others === 0 ? [] : [otherEngineText(others)]), ...(parserFailed ? [`${parser}.`] : [])],
    summary: [...loaded.describeRedecision(redecision), ...(parserFailed ? [parser] : [])],
    problems: loaded.redecisionProblems(redecision),
    agents: [...agents]
      .sort((a, b) => b.breaks.length - a.breaks.length)
      .slice(0, SHOWN_AGENTS)
      .map(({ agentId, checks, balances, missing, breaks }) => ({
        ...{ agentId, checks, balances, missing },
        breaks: breaks.slice(0, SHOWN_BREAKS).map((one) => ({ sequence: one.sequence, text: loaded.breakText(one) })),
      })),
    events: sorted.slice(0, SHOWN_EVENTS).map((event) => ({
      agentId: event.agentId,
      sequence: event.sequence,
      verdict: event.verdict,
      why: whyOf(loaded, event),
    })),
    eventCount: events.length,
  };
}

/** The place of a check in the list: one that may be wrong is not pushed out of it by those that are withheld. */
function placeOf({ verdict, reason }: RedecidedEvent): number {
  if (verdict === 'different') return 0;
  if (reason === 'engine') return 1;
  return verdict === 'same' ? 3 : 2;
}

function otherEngineText(count: number): string {
  if (count === 1)
    return '1 verdict names another version of the engine, and this one has another verdict: it is not verified.';
  return `${count} verdicts name another version of the engine, and this one has another verdict: they are not verified.`;
}

function whyOf(loaded: typeof library, event: RedecidedEvent): string {
  const engine = event.otherEngine ? ['judged by another version of the engine'] : [];
  const differences = event.differences.map(loaded.differenceText);
  const reason = loaded.reasonText(event);
  return [...differences, ...(reason === '' ? [] : [reason]), ...engine].join('; ');
}

function notComputed(why: string): Recomputed {
  return {
    result: 'partly',
    open: [`The verdicts were not computed: ${why}.`],
    summary: [`Not computed: ${why}.`],
    problems: [],
    agents: [],
    events: [],
    eventCount: 0,
  };
}
