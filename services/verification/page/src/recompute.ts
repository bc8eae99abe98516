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
  /** `differs`: a verdict or a balance does not follow. `partly`: nothing differs, and something was not computed. */
  readonly result: 'same' | 'partly' | 'differs';
  /** All that differs was judged by another version of the engine. */
  readonly otherEngineAlone: boolean;
  readonly summary: readonly string[];
  readonly problems: readonly string[];
  readonly agents: readonly {
    readonly agentId: string;
    readonly checks: number;
    readonly balances: Redecision['agents'][number]['balances'];
    readonly missing: number;
    readonly breaks: readonly { readonly sequence: number; readonly text: string }[];
  }[];
  /** At most {@link SHOWN_EVENTS}; those that are not the same come first. */
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
  const pkg = value as Parameters<typeof loaded.redecide>[0];
  let parserFailed = false;
  if (loaded.namesInRules(pkg, READS_SQL)) {
    try {
      loaded.provideSqlParser(await sqlParser());
    } catch {
      parserFailed = true;
    }
  }
  const redecision = loaded.redecide(pkg, {
    sha256: browserCrypto.sha256,
    ...(parserFailed ? { without: [READS_SQL] } : {}),
  });
  if (redecision.totals.checks === 0) return null;
  return shown(loaded, redecision, parserFailed);
}

function shown(loaded: typeof library, redecision: Redecision, parserFailed: boolean): Recomputed {
  const { agents, events, totals } = redecision;
  const code = loaded.redecisionCode(redecision);
  const differing = events.filter(({ verdict }) => verdict === 'different');
  const notSame = events.filter(({ verdict }) => verdict !== 'same');
  const same = events.filter(({ verdict }) => verdict === 'same');
  const parser = `PostgreSQL's parser could not be loaded: rules with ${READS_SQL} were not evaluated`;
  return {
    result: (['same', 'differs', 'partly'] as const)[code],
    otherEngineAlone: totals.broken === 0 && differing.every(({ otherEngine }) => otherEngine),
    summary: [...loaded.describeRedecision(redecision), ...(parserFailed ? [parser] : [])],
    problems: loaded.redecisionProblems(redecision),
    agents: [...agents]
      .sort((a, b) => b.breaks.length - a.breaks.length)
      .slice(0, SHOWN_AGENTS)
      .map(({ agentId, checks, balances, missing, breaks }) => ({
        ...{ agentId, checks, balances, missing },
        breaks: breaks.slice(0, SHOWN_BREAKS).map((one) => ({ sequence: one.sequence, text: loaded.breakText(one) })),
      })),
    events: [...notSame, ...same].slice(0, SHOWN_EVENTS).map((event) => ({
      agentId: event.agentId,
      sequence: event.sequence,
      verdict: event.verdict,
      why: whyOf(loaded, event),
    })),
    eventCount: events.length,
  };
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
    otherEngineAlone: false,
    summary: [`Not computed: ${why}.`],
    problems: [],
    agents: [],
    events: [],
    eventCount: 0,
  };
}
