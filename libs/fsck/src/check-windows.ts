import type { Offsets } from '@countersign/event-log';
import { LAYOUT } from './layout.js';
import type { Store } from './open-stores.js';
import type { Check } from './report.js';

interface WindowRow {
  readonly id: string;
  readonly cadence: number;
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** JSON, by partition. */
  readonly begins: string;
  readonly ends: string;
  readonly state: string;
  readonly root: string | null;
  readonly prev: string | null;
  readonly signature: string | null;
}

interface AgentRun {
  readonly agentN: number;
  readonly id: string | null;
  readonly first: number;
  readonly last: number;
  readonly windowId: string | null;
}

/** Notes that are shown. */
const NOTED = 5;

/** How many windows are where on their way. */
export interface WindowCounts {
  readonly closed: number;
  readonly anchored: number;
}

/** Labels, cuts and links of the windows of each cadence, and each agent's unbroken way through them. */
export function checkWindows(anchors: Store, check: Check): WindowCounts {
  const counts = checkOrder(anchors, check);
  checkRuns(anchors, check);
  checkSegments(anchors, check);
  return counts;
}

function checkOrder(anchors: Store, check: Check): WindowCounts {
  const windows = anchors.prepare<[], WindowRow>(
    `SELECT id, cadence, number, start_ms AS start, end_ms AS end, from_offsets AS begins, offsets AS ends, state, root, prev, signature FROM windows ORDER BY cadence, number`,
  );
  const counts = { closed: 0, anchored: 0 };
  let before: WindowRow | null = null;
  const fallen: (readonly [WindowRow, WindowRow])[] = [];
  for (const window of windows.iterate()) {
    check.examined += 1;
    const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} windows ${window.id}`, problem);
    const previous: WindowRow | null = before?.cadence === window.cadence ? before : null;
    const duration = window.cadence * 1000;
    if (window.number !== (previous?.number ?? 0) + 1)
      wrong(`number ${window.number} does not follow the window before`);
    if (window.start % duration !== 0 || window.end !== window.start + duration)
      wrong('its label is no multiple of its duration');
    if (previous !== null && window.start < previous.end) fallen.push([previous, window]);
    checkCuts(previous, window, wrong);
    if (window.state === 'closed') {
      counts.closed += 1;
      if ((window.prev ?? null) !== (previous?.root ?? null)) wrong('prev is not the root of the window before');
      if (previous !== null && previous.state !== 'closed') wrong('it is closed before the window before');
    } else if (window.root !== null) wrong('it has a root and is not closed');
    if (window.signature !== null) {
      counts.anchored += 1;
      if (window.state !== 'closed') wrong('it is anchored and not closed');
    }
    before = window;
  }
  noteFallen(fallen, check);
  return counts;
}

/** Labels fall where a clock was ahead and set right: what is sound in them is sound, and someone should know. */
function noteFallen(fallen: readonly (readonly [ahead: WindowRow, after: WindowRow])[], check: Check): void {
  for (const [ahead, after] of fallen.slice(0, NOTED)) {
    const seconds = Math.round((ahead.end - after.end) / 1000);
    check.note(
      `window ${ahead.id} ends ${new Date(ahead.end).toISOString()}, ${seconds} s after ${after.id}, which was cut later: the clock was ahead`,
    );
  }
  if (fallen.length > NOTED) check.note(`and ${fallen.length - NOTED} more labels that fall`);
}

function checkCuts(previous: WindowRow | null, window: WindowRow, wrong: (problem: string) => void): void {
  const cut = JSON.parse(previous?.ends ?? '{}') as Offsets;
  const begins = JSON.parse(window.begins) as Offsets;
  const ends = JSON.parse(window.ends) as Offsets;
  const partitions = Object.keys({ ...cut, ...begins, ...ends }).map(Number);
  if (partitions.some((partition) => (begins[partition] ?? 0) !== (cut[partition] ?? 0)))
    wrong('it does not begin at the cut of the window before');
  if (partitions.some((partition) => (ends[partition] ?? 0) < (begins[partition] ?? 0)))
    wrong('its cut lies before its beginning');
}

function checkRuns(anchors: Store, check: Check): void {
  const runs = anchors.prepare<[], AgentRun>(
    `SELECT p.agent_n AS agentN, a.id, p.first_sequence AS first, p.last_sequence AS last, w.id AS windowId
     FROM window_agents p LEFT JOIN agents a ON a.n = p.agent_n LEFT JOIN windows w ON w.n = p.window_n
     ORDER BY p.agent_n, p.first_sequence`,
  );
  let agent = -1;
  let next = 1;
  for (const { agentN, id, first, last, windowId } of runs.iterate()) {
    if (agentN !== agent) next = 1;
    const place = `${LAYOUT.anchors} window_agents ${windowId}, agent ${id ?? agentN}`;
    if (windowId === null) check.wrong(place, 'its window is missing');
    if (first !== next) check.wrong(place, `begins with sequence ${first}, ${next} is due`);
    if (last < first) check.wrong(place, `ends with ${last} before it begins with ${first}`);
    agent = agentN;
    next = last + 1;
  }
}

function checkSegments(anchors: Store, check: Check): void {
  const segments = anchors.prepare<[], { agentN: number; first: number; bytes: number; last: number | null }>(
    `SELECT agent_n AS agentN, first_sequence AS first, length(hashes) AS bytes,
       (SELECT a.last_sequence FROM agents a WHERE a.n = s.agent_n) AS last
     FROM segments s ORDER BY agent_n, first_sequence`,
  );
  let agent = -1;
  let next = 1;
  for (const { agentN, first, bytes, last } of segments.iterate()) {
    if (agentN !== agent) next = 1;
    const place = `${LAYOUT.anchors} segments agent number ${agentN}, from ${first}`;
    if (bytes === 0 || bytes % 32 !== 0) check.wrong(place, `${bytes} bytes are no run of hashes`);
    if (first !== next) check.wrong(place, `sequence ${next} is due`);
    next = first + Math.floor(bytes / 32);
    if (last === null || next - 1 > last) check.wrong(place, `it reaches sequence ${next - 1}, its agent ${last}`);
    agent = agentN;
  }
}
