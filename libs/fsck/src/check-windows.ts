import type { AnchorInspection, InspectedAgent, InspectedWindow } from '@countersign/anchoring';
import { LAYOUT } from './layout.js';
import { agentsByNumber } from './recompute-trees.js';
import type { Check } from './report.js';
import { ScratchSet } from './scratch.js';

/** Notes that are shown. */
const NOTED = 5;
const HASH_BYTES = 32;

/** How many windows are closed, and how many of them are anchored. */
export interface WindowCounts {
  readonly closed: number;
  readonly anchored: number;
}

type Agents = ReadonlyMap<number, InspectedAgent>;

/** Labels, cuts and links of the windows of each cadence, and that each agent's runs in them leave no gap. */
export async function checkWindows(anchors: AnchorInspection, check: Check): Promise<WindowCounts> {
  const agents = await agentsByNumber(anchors);
  const stored = new ScratchSet();
  try {
    const counts = await checkOrder(anchors, stored, check);
    await checkRuns(anchors, stored, agents, check);
    await checkSegments(anchors, agents, check);
    return counts;
  } finally {
    stored.close();
  }
}

async function checkOrder(anchors: AnchorInspection, stored: ScratchSet, check: Check): Promise<WindowCounts> {
  const counts = { closed: 0, anchored: 0 };
  let before: InspectedWindow | null = null;
  const fallen: (readonly [InspectedWindow, InspectedWindow])[] = [];
  for await (const window of anchors.windows()) {
    check.examined += 1;
    stored.add(window.windowId);
    const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} windows ${window.windowId}`, problem);
    const previous: InspectedWindow | null = before?.cadenceSeconds === window.cadenceSeconds ? before : null;
    const duration = window.cadenceSeconds * 1000;
    if (window.number !== (previous?.number ?? 0) + 1)
      wrong(`number ${window.number} does not follow the window before`);
    if (window.startMs % duration !== 0 || window.endMs !== window.startMs + duration)
      wrong('its label is no multiple of its duration');
    if (previous !== null && window.startMs < previous.endMs) fallen.push([previous, window]);
    checkCuts(previous, window, wrong);
    if (window.isClosed) {
      counts.closed += 1;
      if (window.prev !== (previous?.root ?? null)) wrong('prev is not the root of the window before');
      if (previous !== null && !previous.isClosed) wrong('it is closed before the window before');
    } else if (window.root !== null) wrong('it has a root and is not closed');
    if (window.signature !== null) {
      counts.anchored += 1;
      if (!window.isClosed) wrong('it is anchored and not closed');
    }
    before = window;
  }
  noteFallen(fallen, check);
  return counts;
}

/** Labels fall after a clock that was ahead is set right. The windows are sound, and the operator should know. */
function noteFallen(
  fallen: readonly (readonly [ahead: InspectedWindow, after: InspectedWindow])[],
  check: Check,
): void {
  for (const [ahead, after] of fallen.slice(0, NOTED)) {
    const seconds = Math.round((ahead.endMs - after.endMs) / 1000);
    check.note(
      `window ${ahead.windowId} ends ${new Date(ahead.endMs).toISOString()}, ${seconds} s after ${after.windowId}, which was cut later: the clock was ahead`,
    );
  }
  if (fallen.length > NOTED) check.note(`and ${fallen.length - NOTED} more labels that fall`);
}

function checkCuts(previous: InspectedWindow | null, window: InspectedWindow, wrong: (problem: string) => void): void {
  const cut = previous?.offsets ?? {};
  const { from: begins, offsets: ends } = window;
  const partitions = Object.keys({ ...cut, ...begins, ...ends }).map(Number);
  if (partitions.some((partition) => (begins[partition] ?? 0) !== (cut[partition] ?? 0)))
    wrong('it does not begin at the cut of the window before');
  if (partitions.some((partition) => (ends[partition] ?? 0) < (begins[partition] ?? 0)))
    wrong('its cut lies before its beginning');
}

async function checkRuns(anchors: AnchorInspection, stored: ScratchSet, agents: Agents, check: Check): Promise<void> {
  let agent = -1;
  let next = 1;
  for await (const { agentN, firstSequence: first, lastSequence: last, windowId } of anchors.runs()) {
    if (agentN !== agent) next = 1;
    const place = `${LAYOUT.anchors} window_agents ${windowId}, agent ${agents.get(agentN)?.agentId ?? agentN}`;
    // One that is not among the windows may have been cut since they were read.
    const isThere = windowId !== null && (stored.has(windowId) || (await anchors.window(windowId)) !== null);
    if (!isThere) check.wrong(place, 'its window is missing');
    if (first !== next) check.wrong(place, `begins with sequence ${first}, ${next} is due`);
    if (last < first) check.wrong(place, `ends with ${last} before it begins with ${first}`);
    agent = agentN;
    next = last + 1;
  }
}

async function checkSegments(anchors: AnchorInspection, agents: Agents, check: Check): Promise<void> {
  let agent = -1;
  let next = 1;
  for await (const { agentN, firstSequence: first, hashes } of anchors.segments()) {
    if (agentN !== agent) next = 1;
    const bytes = hashes.length;
    const last = agents.get(agentN)?.lastSequence ?? null;
    const place = `${LAYOUT.anchors} segments agent number ${agentN}, from ${first}`;
    if (bytes === 0 || bytes % HASH_BYTES !== 0) check.wrong(place, `${bytes} bytes are no sequence of hashes`);
    if (first !== next) check.wrong(place, `sequence ${next} is due`);
    next = first + Math.floor(bytes / HASH_BYTES);
    if (last === null || next - 1 > last) check.wrong(place, `it reaches sequence ${next - 1}, its agent ${last}`);
    agent = agentN;
  }
}
