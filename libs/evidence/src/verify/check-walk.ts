import type { PackageWindow, SignedPackage } from '@countersign/contracts';
import type { EvidenceCrypto, Sha256 } from '../crypto.js';
import { agentKey } from '../window/window-tree.js';
import { verifyAbsence } from './absence.js';
import { AuthorityLine, type ChainWindow, labelText, windowsOfWalk } from './authority-line.js';
import { knownTime } from './chain-answer.js';
import { counted, type Findings } from './findings.js';
import type { ChainFacts } from './options.js';
import { packageShape } from './package-shape.js';
import { CLOCK_TOLERANCE_SECONDS } from './time-bounds.js';
import { listedId, unlistedWindows, type UnlistedWindow, windowId } from './unlisted-windows.js';

/**
 * Upper bound of the listed transactions of an authority, and of those that are looked up: beyond it, the rest is
 * reported as not checked.
 */
export const WALK_BOUND = 100_000;
export const WALK_LOOK_UPS = 10_000;

const NAMED_AGENTS = 10;

/**
 * Block time (ISO) back to which an authority's transactions have to be listed for a package: earlier ones cannot be of
 * a window that concerns it. `null`: the package is malformed, nothing needs to be listed.
 */
export function walkBackTo(input: unknown): string | null {
  if (packageShape(input) !== null) return null;
  const { agents, range, windows } = input as SignedPackage;
  const starts = windows.map(({ windowStart }) => windowStart);
  const anchored = new Set(windows.map(({ agentId }) => agentId));
  if (agents.some(({ id, firstSequence }) => firstSequence !== 1 || !anchored.has(id))) starts.push(range.from);
  const [first = range.from] = starts.sort();
  return new Date(Math.max(0, Date.parse(first) - CLOCK_TOLERANCE_SECONDS * 1000)).toISOString();
}

/**
 * Signatures of the listed transactions that have to be looked up before {@link verifyPackage}: contradicting memos,
 * and windows that the package does not list. To be called again with the answers until it returns none. Returns none
 * for what is not a package.
 */
export function transactionsOfWalk(input: unknown, chain: ChainFacts, { sha256 }: EvidenceCrypto): readonly string[] {
  if (packageShape(input) !== null) return [];
  const pkg = input as SignedPackage;
  const answer = chain.transactions.get(pkg.timestamp.anchor_tx_signature ?? '');
  const reportTime = typeof answer === 'object' ? knownTime(answer.blockTime) : null;
  const { conflicts, gaps, unlisted } = look(pkg, chain, reportTime, sha256);
  const wanted = [...conflicts.flatMap(({ windows }) => windows), ...gaps, ...unlisted.map(({ window }) => window)];
  const signatures = new Set(wanted.filter(({ signed }) => !signed).map(({ txSignature }) => txSignature));
  const listed = (chain.walks ?? []).flatMap((walk) => walk.listed);
  const asked = listed.filter(({ signature }) => chain.transactions.has(signature)).length;
  return [...signatures]
    .filter((signature) => !chain.transactions.has(signature))
    .slice(0, Math.max(0, WALK_LOOK_UPS - asked));
}

/** Memos of one authority that cannot all be true. */
interface Conflict {
  readonly kind: 'label' | 'root' | 'prev';
  readonly windows: readonly ChainWindow[];
}

interface Seen {
  readonly windows: readonly ChainWindow[];
  readonly line: AuthorityLine;
  readonly conflicts: readonly Conflict[];
  /** Windows of the range whose `prev` no memo names, except the oldest of each duration. */
  readonly gaps: readonly ChainWindow[];
  readonly unlisted: readonly UnlistedWindow[];
}

function look(pkg: SignedPackage, chain: ChainFacts, reportTime: string | null, sha256: Sha256): Seen {
  const windows = knownWindows(pkg, chain);
  const line = new AuthorityLine(windows);
  const listed = new Set(pkg.windows.map(listedId));
  const [from, to] = [Date.parse(pkg.range.from), Date.parse(pkg.range.to)];
  const concerns = ({ root, startMs, endMs }: ChainWindow): boolean =>
    listed.has(windowId(root, startMs, endMs)) || (startMs < to && endMs > from);
  const conflicts = (['label', 'root', 'prev'] as const).flatMap((kind) =>
    groups(windows, (window) => conflictId(kind, window))
      .filter((group) => new Set(group.map(kind === 'root' ? labelText : ({ root }) => root)).size > 1)
      .filter((group) => group.some(concerns))
      .map((group): Conflict => ({ kind, windows: group })),
  );
  const gaps = groups(line.origins, ({ authority, durationSeconds }) => `${authority} ${durationSeconds}`)
    .flatMap((origins) => origins.slice(1))
    .filter(concerns);
  const keys = new Map(pkg.agents.map(({ id }) => [id, agentKey(id, sha256)]));
  const walked = chain.walks !== undefined && chain.authorities !== null;
  const unlisted = walked ? unlistedWindows(pkg, windows, line, reportTime, (id) => keys.get(id)!) : [];
  return { windows, line, conflicts, gaps: walked ? gaps : [], unlisted };
}

function conflictId(kind: Conflict['kind'], { authority, durationSeconds, ...window }: ChainWindow): string {
  const which = { label: window.windowStart, root: window.root, prev: window.prev ?? '0' }[kind];
  return `${authority} ${kind === 'root' ? '' : durationSeconds} ${which}`;
}

function groups(
  windows: readonly ChainWindow[],
  idOf: (window: ChainWindow) => string,
): readonly (readonly ChainWindow[])[] {
  const found = new Map<string, ChainWindow[]>();
  for (const window of windows) {
    const id = idOf(window);
    const group = found.get(id);
    if (group === undefined) found.set(id, [window]);
    else group.push(window);
  }
  return [...found.values()];
}

/** The windows of all authorities, the oldest first, with those whose transactions the package names. */
function knownWindows(pkg: SignedPackage, chain: ChainFacts): readonly ChainWindow[] {
  const addresses = chain.authorities?.map(({ address }) => address) ?? null;
  const walks = addresses === null ? [] : (chain.walks ?? []).filter(({ address }) => addresses.includes(address));
  const listed = new Set(walks.flatMap((walk) => walk.listed.map(({ signature }) => signature)));
  const named = [...new Set(pkg.windows.map(({ txSignature }) => txSignature))].filter((one) => !listed.has(one));
  const further = named.flatMap((signature) => {
    const answer = chain.transactions.get(signature);
    if (typeof answer !== 'object') return [];
    const { succeeded, blockTime, memos, signers } = answer;
    const address = signers.find((signer) => addresses === null || addresses.includes(signer));
    const entry = { signature, succeeded, blockTime, memos };
    return address === undefined ? [] : [{ address, complete: false, listed: [entry] }];
  });
  // Without authorities the first signer is taken for one: then nothing is concluded about other transactions.
  const known = addresses === null ? further.map(({ address }) => authorityOf(address, chain)) : chain.authorities;
  return [...walks, ...further.reverse()].flatMap((walk) => windowsOfWalk(walk, { ...chain, authorities: known }));
}

function authorityOf(address: string, { network }: ChainFacts): NonNullable<ChainFacts['authorities']>[number] {
  return { address, network, validFrom: null, validTo: null };
}

/**
 * Compares a package with all that its authorities anchored: one root for each label, one line of `prev`, no window in
 * the range that may hold events of its agents and is not listed.
 * @param reportTime block time (ISO) of the report's own transaction; `null`: not proven
 */
export function checkWalk(
  pkg: SignedPackage,
  chain: ChainFacts | null,
  reportTime: string | null,
  { crypto, absences = [] }: { readonly crypto: EvidenceCrypto; readonly absences?: readonly unknown[] },
  findings: Findings,
): void {
  if (chain === null) return;
  const seen = look(pkg, chain, reportTime, crypto.sha256);
  checkOrder(seen, pkg, findings);
  reportConflicts(seen, pkg, findings);
  if (chain.authorities === null) return;
  if (!checkReach(seen, pkg, chain, findings)) return;
  if (seen.gaps.length > 0) {
    const message = `${counted(seen.gaps.length, 'window')} of the range whose prev no transaction holds, such as ${labelText(seen.gaps[0]!)}: what the authority closed before is not anchored, or not yet`;
    findings.leaveOpen('chain-gap', message);
  }
  const absent = absencesOf(absences, chain, crypto, findings);
  const open = seen.unlisted.filter(
    ({ agent, window }) => !absent.has(absenceId(agent.id, window.root, window.startMs)),
  );
  reportUnlisted(open, findings);
  noteOthers(seen, pkg, findings);
  if (findings.unsettled.length === 0) {
    const message = `the authority's ${counted(seen.windows.length, 'window')} on the chain: one root for each label, one line of prev, and none but those that are listed can hold events of the agents in the range`;
    findings.checked.push(message);
  }
}

const CONFLICTS = {
  label: ['window-equivocated', 'The authority anchored another root for the same window.'],
  root: ['window-equivocated', 'The authority anchored the same root for another window.'],
  prev: ['window-forked', 'Two windows of the authority follow the same one.'],
} as const;

/**
 * Both transactions must be the authority's: one that was not looked up contradicts nothing, and leaves it unsettled.
 */
function reportConflicts({ conflicts }: Seen, pkg: SignedPackage, findings: Findings): void {
  let unread = 0;
  for (const { kind, windows } of conflicts) {
    const signed = windows.filter((window) => window.signed);
    if (new Set(signed.map(kind === 'root' ? labelText : ({ root }) => root)).size < 2) {
      if (signed.length < windows.length) unread += 1;
      continue;
    }
    const ids = new Set(signed.map(({ root, startMs, endMs }) => windowId(root, startMs, endMs)));
    const at = pkg.windows.findIndex((window) => ids.has(listedId(window)));
    const [code, message] = CONFLICTS[kind];
    const [one, other] = signed.map((window) => `${labelText(window)} in ${window.txSignature}`);
    findings.problem(code, at < 0 ? 'windows' : `windows[${at}]`, `${message} ${one!}; ${other!}.`);
  }
  if (unread === 0) return;
  const message = `${counted(unread, 'memo')} on the chain that contradict each other: their transactions were not looked up, or no node answered`;
  findings.leaveOpen('chain-not-walked', message);
}

/** Checks that the numbers of an agent follow the order in which its windows were closed. */
function checkOrder({ windows, line }: Seen, pkg: SignedPackage, findings: Findings): void {
  const onChain = new Map(windows.map((window) => [windowId(window.root, window.startMs, window.endMs), window]));
  const runs = new Map<string, { readonly listed: PackageWindow; readonly index: number }[]>();
  pkg.windows.forEach((listed, index) => {
    const run = runs.get(listed.agentId);
    if (run === undefined) runs.set(listed.agentId, [{ listed, index }]);
    else run.push({ listed, index });
  });
  for (const run of runs.values()) {
    run.sort((a, b) => a.listed.leaf.firstSequence - b.listed.leaf.firstSequence);
    for (let i = 1; i < run.length; i += 1) {
      const [before, after] = [run[i - 1]!, run[i]!].map(({ listed }) => onChain.get(listedId(listed)));
      if (before === undefined || after === undefined || before.durationSeconds !== after.durationSeconds) continue;
      if (!line.isBefore(after, before)) continue;
      const message = `By prev the window was closed before ${labelText(before)}, whose numbers are lower.`;
      findings.problem('window-order-differs', `windows[${run[i]!.index}]`, message);
    }
  }
}

/**
 * Checks that the authorities' transactions are known as far back as the package needs them; otherwise it is unsettled.
 */
function checkReach(seen: Seen, pkg: SignedPackage, chain: ChainFacts, findings: Findings): boolean {
  if (pkg.windows.length > 0 && pkg.windows.every(({ network }) => network !== chain.network)) return false;
  const left = (why: string): false => {
    const message = `what else the authority anchored: ${why}; without it a root may have been anchored again, and a window left out`;
    findings.leaveOpen('chain-not-walked', message);
    return false;
  };
  const { authorities, walks } = chain;
  if (walks === undefined) return left('its transactions were not read');
  const addresses = authorities!.filter(({ network }) => network === chain.network).map(({ address }) => address);
  const short = addresses.find((address) => walks.find((walk) => walk.address === address)?.complete !== true);
  if (short !== undefined) {
    return left(`the transactions of ${short} could not be read back to ${walkBackTo(pkg) ?? 'the range'}`);
  }
  const listed = new Set(walks.flatMap((walk) => walk.listed.map(({ signature }) => signature)));
  const missing = pkg.windows.find(({ txSignature }) => !listed.has(txSignature));
  if (missing !== undefined) return left(`the node's list lacks ${missing.txSignature}, which the package names`);
  return true;
}

function absenceId(agentId: string, root: string, startMs: number): string {
  return `${agentId} ${root} ${startMs}`;
}

/** The windows in which the given proofs show that an agent had no event. */
function absencesOf(
  absences: readonly unknown[],
  chain: ChainFacts,
  crypto: EvidenceCrypto,
  findings: Findings,
): ReadonlySet<string> {
  const found = new Set<string>();
  let failed = 0;
  for (const absence of absences) {
    const { vouched, agentId, merkleRoot, windowStart } = verifyAbsence(absence, { crypto, chain });
    if (vouched.anchor) found.add(absenceId(agentId!, merkleRoot!, Date.parse(windowStart!)));
    else failed += 1;
  }
  if (found.size > 0) findings.checked.push(`${counted(found.size, 'proof')} of absence`);
  if (failed > 0)
    findings.notChecked.push(`${counted(failed, 'proof')} of absence: wrong, or not vouched for by the chain`);
  return found;
}

function reportUnlisted(open: readonly UnlistedWindow[], findings: Findings): void {
  const byAgent = new Map<string, ChainWindow[]>();
  for (const { agent, window } of open) {
    const list = byAgent.get(agent.id);
    if (list === undefined) byAgent.set(agent.id, [window]);
    else list.push(window);
  }
  if (byAgent.size === 0) return;
  const lines = [...byAgent].slice(0, NAMED_AGENTS).map(([agentId, windows]) => {
    const which =
      windows.length === 1 ? labelText(windows[0]!) : `${labelText(windows[0]!)} to ${labelText(windows.at(-1)!)}`;
    return `agent ${agentId} in ${counted(windows.length, 'window')}, ${which}`;
  });
  const more = byAgent.size > lines.length ? `; and ${byAgent.size - lines.length} more agents` : '';
  const message = `whether there were events of ${lines.join('; ')}${more}: anchored, in the range, and not listed; proofs of absence settle it`;
  const unlisted = open
    .slice(0, WALK_LOOK_UPS)
    .map(({ agent, window }) => ({ agentId: agent.id, window: labelText(window) }));
  findings.leaveOpen('window-unlisted', message, unlisted);
}

/**
 * The owners of the other leaves of a window, which no tenant can know. It leaves nothing unsettled about the agents
 * listed.
 */
function noteOthers({ windows, unlisted }: Seen, pkg: SignedPackage, findings: Findings): void {
  const leaves = new Map<string, Set<number>>();
  for (const window of pkg.windows) {
    const id = listedId(window);
    leaves.set(id, (leaves.get(id) ?? new Set()).add(window.leafIndex));
  }
  const shared = windows.filter((window) => {
    const listed = leaves.get(windowId(window.root, window.startMs, window.endMs));
    return listed !== undefined && listed.size < window.agents;
  });
  if (shared.length + unlisted.length === 0) return;
  findings.notChecked.push(
    'agents that the package does not list: the windows of the range hold others too, and a root does not say whose they are; a report over all agents, or the agents’ own, would',
  );
}
