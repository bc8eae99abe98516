import type { PackageAgent, PackageWindow, SignedPackage } from '@countersign/contracts';
import type { AuthorityLine, ChainWindow } from './authority-line.js';

/**
 * A window of the authority in the range of a package, for which the package does not show that an agent had no event
 * in it.
 */
export interface UnlistedWindow {
  readonly window: ChainWindow;
  readonly agent: PackageAgent;
}

/**
 * Windows in which an agent may have had events that the package does not hold. Numbers without a gap settle the
 * windows between an agent's first and last one, and those before the first where it begins with number 1; listed
 * leaves that surround the agent's key settle their window.
 * @param reportTime block time (ISO) of the report's own transaction; `null`: not proven
 */
export function unlistedWindows(
  pkg: SignedPackage,
  windows: readonly ChainWindow[],
  line: AuthorityLine,
  reportTime: string | null,
  agentKey: (agentId: string) => string,
): readonly UnlistedWindow[] {
  const onChain = new Map(windows.map((window) => [windowId(window.root, window.startMs, window.endMs), window]));
  const leaves = new Map<string, PackageWindow[]>();
  const own = new Map<string, PackageWindow[]>();
  for (const listed of pkg.windows) {
    push(leaves, listedId(listed), listed);
    push(own, listed.agentId, listed);
  }
  const inRange = windows.filter((window) => concerns(pkg, window, reportTime));
  return pkg.agents.flatMap((agent) => {
    const run = (own.get(agent.id) ?? []).sort((a, b) => a.leaf.firstSequence - b.leaf.firstSequence);
    const [first, last] = [run[0], run.at(-1)].map((listed) => listed && onChain.get(listedId(listed)));
    const key = agentKey(agent.id);
    return inRange
      .filter((window) => {
        if (first !== undefined && last !== undefined && line.isBefore(window, last)) {
          if (agent.firstSequence === 1 || !line.isBefore(window, first)) return false;
        }
        return !isSettled(leaves.get(windowId(window.root, window.startMs, window.endMs)) ?? [], key);
      })
      .map((window) => ({ window, agent }));
  });
}

/**
 * Reports whether a package with this range and this report time should list a window: it overlaps the range and was
 * anchored before the report, or its label lies wholly in the range and before the report.
 */
function concerns({ range }: SignedPackage, window: ChainWindow, reportTime: string | null): boolean {
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  if (window.endMs <= from || window.startMs >= to) return false;
  if (reportTime === null || window.blockTime === null || window.blockTime <= reportTime) return true;
  return window.startMs >= from && window.endMs <= Math.min(to, Date.parse(reportTime));
}

/** Reports whether the listed leaves of one window contain the agent, or surround the position of its key. */
function isSettled(listed: readonly PackageWindow[], key: string): boolean {
  const [some] = listed;
  if (some === undefined) return false;
  let before = -1;
  let after = some.treeSize;
  for (const { leaf, leafIndex } of listed) {
    if (leaf.agentKey === key) return true;
    if (leaf.agentKey < key) before = Math.max(before, leafIndex);
    else after = Math.min(after, leafIndex);
  }
  return before + 1 === after;
}

export function windowId(root: string, startMs: number, endMs: number): string {
  return `${root} ${startMs} ${endMs}`;
}

export function listedId({ merkleRoot, windowStart, windowEnd }: PackageWindow): string {
  return windowId(merkleRoot, Date.parse(windowStart), Date.parse(windowEnd));
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
