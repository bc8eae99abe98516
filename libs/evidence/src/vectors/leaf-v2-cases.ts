import { browserCrypto } from '../browser/browser-crypto.js';
import { commit, type CommitmentKind, commitV2 } from '../leaf/commitment.js';
import { discloseMembers } from '../leaf/opening.js';
import { STATUS_VERDICTS } from '../package/event-status.js';
import type { ProblemCode } from '../verify/result.js';
import { members } from './leaf-v2-story.js';
import { type Loose, restate } from './tampered.js';

/** A change of the package of the mixed story that is signed again; `expected`: `null` where it is valid. */
export interface LeafV2Case {
  readonly name: string;
  readonly description: string;
  readonly expected: ProblemCode | null;
  readonly change: (pkg: Loose) => unknown;
}

const { sha256 } = browserCrypto;
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';

/** Entries of the mixed story; those from DATA on are not anchored, so that their leaves may be changed. */
const [PROFILE, V1, CHECK, DENIED, OUTCOME, DATA, UNGOVERNED, APPROVE, LATER] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Shows these members alone of what an entry opens. */
function show(pkg: Loose, i: number, kind: CommitmentKind, ...names: string[]): Loose[] {
  const { opened } = pkg.events[i];
  const { salt, value } = opened[kind];
  opened[kind] = discloseMembers(kind, salt, value, new Set(names), sha256);
  return opened[kind].members;
}

/** Shows all of them one by one. */
function showAll(pkg: Loose, i: number, kind: CommitmentKind): Loose[] {
  return show(pkg, i, kind, ...Object.keys(pkg.events[i].opened[kind].value));
}

function recommit(pkg: Loose, i: number, kind: CommitmentKind, value: Loose, by = commitV2): void {
  const { event, opened } = pkg.events[i];
  event[kind] = by(kind, SALT, value, sha256);
  opened[kind] = { salt: SALT, value };
}

/** Changes the committed context of the data access. */
function inContext(change: (context: Loose) => unknown, i = DATA): (pkg: Loose) => void {
  return (pkg) => {
    const { value } = pkg.events[i].opened.context;
    change(value);
    recommit(pkg, i, 'context', value);
  };
}

function inSeen(change: (seen: Loose) => unknown): (pkg: Loose) => void {
  return inContext(({ seen }) => change(seen));
}

function inLeaf(i: number, fields: Loose): (pkg: Loose) => void {
  return (pkg) => Object.assign(pkg.events[i].event, fields);
}

function judge(pkg: Loose, i: number, verdict: keyof typeof STATUS_VERDICTS): void {
  const { status, statusReason } = STATUS_VERDICTS[verdict];
  restate(pkg.events[i], status, statusReason);
}

type Row = readonly [name: string, expected: ProblemCode | null, description: string, change: LeafV2Case['change']];

const VALID: readonly Row[] = [
  ['withheld-action', null, 'One member of an action is shown.', (p) => show(p, CHECK, 'action', 'type')],
  ['withheld-payload', null, 'A payload without its first member.', (p) => show(p, CHECK, 'payload', 'seat')],
  [
    'withheld-context',
    null,
    'A context that shows neither the principal nor the balances.',
    (p) => show(p, CHECK, 'context', 'effect', 'session'),
  ],
  ['withheld-nothing', null, 'All members of an action, one by one.', (p) => showAll(p, CHECK, 'action')],
  ['withheld-profile', null, 'Who changed a profile, without the profile.', (p) => show(p, PROFILE, 'action', 'by')],
  ['withheld-author', null, 'A profile, without who changed it.', (p) => show(p, PROFILE, 'action', 'profile')],
  [
    'withheld-scope',
    null,
    'A data scope is withheld: the status may be that of one that names none.',
    (p) => {
      show(p, DATA, 'action', 'type');
      judge(p, DATA, 'scopeless');
      p.summary.satisfied -= 1;
      p.summary.gap += 1;
    },
  ],
  ['shown-scope', null, 'A data scope is shown alone.', (p) => show(p, DATA, 'action', 'dataScope')],
  ['no-context-shown', null, 'A context that is withheld.', (p) => delete p.events[CHECK].opened.context],
  [
    'person-200-code-points',
    null,
    'A principal of 200 characters outside of the basic plane.',
    inContext((context) => (context.principal = '\u{1F6EB}'.repeat(200))),
  ],
];

const OPENINGS: readonly Row[] = [
  [
    'withheld-digest',
    'opening-wrong',
    'A withheld digest is another.',
    (p) => {
      const shown = show(p, CHECK, 'action', 'type');
      shown[0] = flip(shown[0]);
    },
  ],
  [
    'shown-value',
    'opening-wrong',
    'The value of a shown member.',
    (p) => (show(p, CHECK, 'action', 'type')[2].value = 'http_call'),
  ],
  [
    'member-salt',
    'opening-wrong',
    'The salt of a shown member.',
    (p) => {
      const [, member] = show(p, CHECK, 'context', 'engine');
      member.salt = flip(member.salt);
    },
  ],
  [
    'member-renamed',
    'opening-wrong',
    'A shown member under another name.',
    (p) => (show(p, CHECK, 'payload', 'seat')[1].name = 'seats'),
  ],
  [
    'digests-swapped',
    'opening-wrong',
    'Two withheld digests in the place of each other.',
    (p) => {
      const shown = show(p, CHECK, 'action', 'type');
      [shown[0], shown[1]] = [shown[1], shown[0]];
    },
  ],
  ['member-gone', 'opening-wrong', 'A withheld member is left out.', (p) => show(p, CHECK, 'action', 'type').shift()],
  [
    'member-added',
    'opening-wrong',
    'A digest more than was committed.',
    (p) => show(p, CHECK, 'action', 'type').push('0'.repeat(64)),
  ],
  [
    'salt-whole',
    'opening-wrong',
    'The salt of a value that is shown as a whole.',
    (p) => (p.events[CHECK].opened.context.salt = SALT),
  ],
  [
    'committed-as-v1',
    'opening-wrong',
    'An object that is committed as version 1 does.',
    (p) => recommit(p, DATA, 'action', p.events[DATA].opened.action.value, commit),
  ],
  [
    'members-on-v1',
    'opening-wrong',
    'A leaf of version 1 is opened member by member.',
    (p) => {
      recommit(p, V1, 'payload', p.events[V1].opened.payload.value);
      show(p, V1, 'payload', 'seat');
    },
  ],
  [
    'context-of-v1',
    'opening-inconsistent',
    'A context is opened of a leaf of version 1.',
    (p) => (p.events[V1].opened.context = p.events[CHECK].opened.context),
  ],
  [
    'context-of-nothing',
    'opening-inconsistent',
    'A context is opened that was not committed.',
    (p) => (p.events[OUTCOME].opened.context = p.events[CHECK].opened.context),
  ],
  [
    'erased-yet-context',
    'opening-inconsistent',
    'Erased content whose context is opened.',
    (p) => {
      const { opened } = p.events[DENIED];
      delete opened.action;
      p.events[DENIED].erased = true;
    },
  ],
  ['names-swapped', 'structure', 'Names that do not ascend.', (p) => showAll(p, CHECK, 'action').reverse()],
  [
    'name-twice',
    'structure',
    'A member twice.',
    (p) => {
      const shown = show(p, CHECK, 'payload', 'seat');
      shown[0] = shown[1];
    },
  ],
  ['none-shown', 'structure', 'No member is shown.', (p) => (show(p, CHECK, 'payload', 'seat')[1] = '0'.repeat(64))],
  ['no-members', 'structure', 'A list without members.', (p) => (p.events[CHECK].opened.action = { members: [] })],
  [
    'members-33',
    'structure',
    'More than 32 members.',
    (p) => {
      const shown = show(p, CHECK, 'action', 'type');
      while (shown.length < 33) shown.push('0'.repeat(64));
    },
  ],
  [
    'digest-upper-case',
    'structure',
    'A digest in upper case.',
    (p) => {
      const shown = show(p, CHECK, 'action', 'type');
      shown[0] = `A${shown[0].slice(1)}`;
    },
  ],
  [
    'member-salt-base64url',
    'structure',
    'The salt of a member in the form of one of a value.',
    (p) => (show(p, CHECK, 'action', 'type')[2].salt = SALT),
  ],
  [
    'members-and-value',
    'structure',
    'An opening with members and a value.',
    (p) => {
      const { value } = p.events[CHECK].opened.action;
      show(p, CHECK, 'action', 'type');
      p.events[CHECK].opened.action.value = value;
    },
  ],
  [
    'context-salt-alone',
    'structure',
    'A context without its value: only payloads may be not kept.',
    (p) => delete p.events[CHECK].opened.context.value,
  ],
];

const LEAVES: readonly Row[] = [
  ['context-null', 'leaf-invalid', 'A check without a context.', inLeaf(DATA, { context: null })],
  ['coverage-null', 'leaf-invalid', 'A check without coverage.', inLeaf(DATA, { coverage: null })],
  ['coverage-unsorted', 'leaf-invalid', 'Coverage that does not ascend.', inLeaf(DATA, { coverage: ['b', 'a'] })],
  ['coverage-twice', 'leaf-invalid', 'Coverage with a name twice.', inLeaf(DATA, { coverage: ['a', 'a'] })],
  ['coverage-name', 'leaf-invalid', 'Coverage with what is not an identifier.', inLeaf(DATA, { coverage: ['A'] })],
  [
    'coverage-33',
    'leaf-invalid',
    'Coverage of more than 32 names.',
    inLeaf(DATA, { coverage: Object.keys(members(33)).sort() }),
  ],
  ['coverage-elsewhere', 'leaf-invalid', 'Coverage of an outcome.', inLeaf(OUTCOME, { coverage: [] })],
  [
    'eighteen-members',
    'leaf-invalid',
    'A leaf of version 2 with the members of version 1.',
    (p) => (delete p.events[DATA].event.context, delete p.events[DATA].event.coverage),
  ],
  ['v1-with-context', 'leaf-invalid', 'A leaf of version 1 with a context.', inLeaf(V1, { context: null })],
  ['v3', 'leaf-invalid', 'A leaf of version 3.', inLeaf(DATA, { v: 3 })],
  ['type-upper-case', 'leaf-invalid', 'A type that no version has.', inLeaf(LATER, { type: 'Approval.asked' })],
  ['type-long', 'leaf-invalid', 'A type of 65 characters.', inLeaf(LATER, { type: `a.${'b'.repeat(63)}` })],
  ['violation-form', 'leaf-invalid', 'A violation type with a dash.', inLeaf(LATER, { violation_type: 'a-b' })],
  ['outcome-unknown', 'leaf-invalid', 'A check with an outcome of its own.', inLeaf(DATA, { outcome: 'odd' })],
  [
    'v1-violation',
    'leaf-invalid',
    'A violation type of version 2 in a leaf of version 1.',
    inLeaf(V1, { violation_type: 'rule_denied', reason: 'r', severity: 'P1' }),
  ],
  ['v1-type', 'leaf-invalid', 'A type of version 2 in a leaf of version 1.', inLeaf(V1, { type: 'approval.expired' })],
  [
    'approval-allowed',
    'leaf-invalid',
    'An approval that says allowed.',
    inLeaf(APPROVE, { type: 'approval.requested', coverage: null }),
  ],
  [
    'approval-no-action',
    'leaf-invalid',
    'An approval without an action.',
    inLeaf(APPROVE, { type: 'approval.decided', coverage: null, allowed: null, action: null }),
  ],
];

/** Contexts of another form, or that contradict their leaf. */
const CONTEXTS: readonly (readonly [name: string, description: string, change: LeafV2Case['change']])[] = [
  ['effect-contradicts', 'An allowed check whose effect is a denial.', inContext((c) => (c.effect = 'deny'))],
  ['effect-observe', 'An effect of observe mode without a violation.', inContext((c) => (c.effect = 'observe'))],
  ['effect-allow', 'An effect that hides a violation.', inContext((c) => (c.effect = 'allow'), LATER)],
  ['effect-deny', 'A required approval whose effect is a denial.', inContext((c) => (c.effect = 'deny'), APPROVE)],
  [
    'effect-approve',
    'A denial by a rule whose effect is an approval.',
    (p) => {
      inContext(() => undefined, APPROVE)(p);
      inLeaf(APPROVE, { violation_type: 'rule_denied' })(p);
    },
  ],
  ['effect-unknown', 'An effect that does not exist.', inContext((c) => (c.effect = 'permit'))],
  [
    'effect-shown-alone',
    'An effect that contradicts the leaf, all else withheld.',
    (p) => {
      inContext((c) => (c.effect = 'defer'))(p);
      show(p, DATA, 'context', 'effect');
    },
  ],
  ['seen-missing', 'A context without the balances.', inContext((c) => delete c.seen)],
  ['engine-missing', 'A context without the engine.', inContext((c) => delete c.engine)],
  ['effect-missing', 'A context without the effect.', inContext((c) => delete c.effect)],
  ['time-missing', 'A context without the time.', inContext((c) => delete c.request_time)],
  ['time-more', 'A time with a further member.', inContext((c) => (c.request_time.zone = 'UTC'))],
  ['time-negative', 'A time before 1970.', inContext((c) => (c.request_time.seconds = -1))],
  ['offset-range', 'An offset of more than a day.', inContext((c) => (c.request_time.offsets = { 'Etc/X': 1441 }))],
  ['offset-fraction', 'An offset of half a minute.', inContext((c) => (c.request_time.offsets = { 'Etc/X': 0.5 }))],
  ['engine-number', 'A version of detectors as a number.', inContext((c) => (c.engine.detectors = 3))],
  ['engine-more', 'An engine with a further member.', inContext((c) => (c.engine.build = 'b'))],
  ['seen-order', 'A position before the first.', inSeen((seen) => (seen.order = 0))],
  ['seen-frozen', 'Frozen as a text.', inSeen((seen) => (seen.frozen = 'no'))],
  ['seen-plan', 'A plan without a time of its end.', inSeen((seen) => delete seen.plan.expires)],
  [
    'seen-expires',
    'A plan that ends at a time without milliseconds.',
    inSeen((seen) => (seen.plan.expires = '2026-03-02T10:00:00Z')),
  ],
  ['seen-spent', 'A fraction of a micro-dollar.', inSeen((seen) => (seen.spent.day = 0.5))],
  ['seen-rate', 'A rate as a text.', inSeen((seen) => (seen.rate = '7'))],
  ['seen-limit-number', 'A limit as a number.', inSeen((seen) => (seen.limits = { refunds: 1 }))],
  ['seen-limit-places', 'A limit with ten places.', inSeen((seen) => (seen.limits = { refunds: '0.0000000001' }))],
  ['seen-limit-negative', 'A limit below zero.', inSeen((seen) => (seen.limits = { refunds: '-1' }))],
  ['facts-unsorted', 'Facts that do not ascend.', inContext((c) => (c.facts = ['b', 'a']))],
  ['facts-empty', 'A fact without a name.', inContext((c) => (c.facts = ['']))],
  ['principal-empty', 'A principal without a name.', inContext((c) => (c.principal = ''))],
  ['session-long', 'A session of 201 characters.', inContext((c) => (c.session = 's'.repeat(201)))],
  [
    'trace-upper-case',
    'A trace in upper case.',
    inContext((c) => (c.trace = `00-${'A'.repeat(32)}-${'0'.repeat(16)}-01`)),
  ],
  ['actors-none', 'A list without actors.', inContext((c) => (c.actors = []))],
  ['actors-17', 'More than 16 actors.', inContext((c) => (c.actors = Array.from({ length: 17 }, () => ({ id: 'a' }))))],
  ['actor-no-id', 'An actor without an id.', inContext((c) => (c.actors = [{ name: 'a' }]))],
  ['approval-id', 'An approval whose id is not a UUID.', inContext((c) => (c.approval = { id: 'a-1' }))],
  [
    'parent-upper-case',
    'A parent in upper case.',
    inContext((c) => (c.parent = '0198A1B2-0000-7000-8000-00000000000A')),
  ],
  ['context-name', 'A member whose name is not an identifier.', inContext((c) => (c['a-b'] = 1))],
  ['context-list', 'A context that is a list.', (p) => recommit(p, DATA, 'context', ['a'])],
  ['context-empty', 'A context without members.', (p) => recommit(p, DATA, 'context', {})],
  ['context-33', 'A context of 33 members.', inContext((c) => Object.assign(c, members(28)))],
  [
    'shown-malformed',
    'A member that is shown in another form, all else withheld.',
    (p) => {
      inContext((c) => (c.principal = 1))(p);
      show(p, DATA, 'context', 'principal');
    },
  ],
];

const STATUSES: readonly Row[] = [
  [
    'ungoverned-satisfied',
    'status-differs',
    'A check to which nothing of the profile applied, said to be satisfied.',
    (p) => judge(p, UNGOVERNED, 'satisfied'),
  ],
  [
    'governed-ungoverned',
    'status-differs',
    'A check to which a rule applied, said to be ungoverned.',
    (p) => judge(p, CHECK, 'ungoverned'),
  ],
  [
    'v1-ungoverned',
    'status-differs',
    'A check of version 1, said to be ungoverned.',
    (p) => judge(p, V1, 'ungoverned'),
  ],
  [
    'shown-scope-scopeless',
    'status-differs',
    'A data access that shows its scope, said to name none.',
    (p) => {
      show(p, DATA, 'action', 'dataScope');
      judge(p, DATA, 'scopeless');
    },
  ],
  [
    'all-shown-scopeless',
    'status-differs',
    'A data access whose members are all shown, none of them a scope, said to name one.',
    (p) => {
      recommit(p, DATA, 'action', { type: 'data_access' });
      showAll(p, DATA, 'action');
    },
  ],
  [
    'summary-later-violation',
    'summary-differs',
    'A violation of a later release left out of the summary.',
    (p) => delete p.summary.byViolation.constructor,
  ],
];

function flip(hex: string): string {
  return (hex.startsWith('0') ? '1' : '0') + hex.slice(1);
}

export const LEAF_V2_CASES: readonly LeafV2Case[] = [
  ...VALID,
  ...OPENINGS,
  ...LEAVES,
  ...CONTEXTS.map(([name, description, change]): Row => [name, 'opening-inconsistent', description, change]),
  ...STATUSES,
].map(([name, expected, description, change]) => ({ name, expected, description, change }));
