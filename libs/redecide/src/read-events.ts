import type { JsonValue, LeafEvent, PackageEvent, ShownOpenings } from '@countersign/contracts';

type JsonObject = Readonly<Record<string, JsonValue>>;

/** The context of a check that is shown whole: members that re-decision reads. */
export interface ShownContext {
  readonly request_time: { readonly seconds: number; readonly offsets: Readonly<Record<string, number>> };
  readonly effect: string;
  readonly engine: { readonly engine: string; readonly detectors: string };
  readonly seen: {
    readonly order: number;
    readonly frozen: boolean;
    readonly plan: { readonly used: number; readonly cap: number | null; readonly expires: string | null };
    readonly spent: { readonly day: number; readonly month: number };
    readonly rate: number | null;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly facts?: readonly string[];
  readonly principal?: string;
  readonly session?: string;
  readonly issuer?: string;
  readonly actors?: readonly { readonly id: string }[];
  readonly approval?: ShownApproval & { readonly also?: readonly ShownApproval[] };
}

/** An approval that a check found. Its form is checked by its `id` alone. */
interface ShownApproval {
  readonly id: string;
  readonly rule?: JsonValue;
  readonly state?: JsonValue;
}

/** A check of a package, with what its openings show. */
export interface ShownCheck {
  readonly leaf: LeafEvent;
  readonly sequence: number;
  readonly atMs: number;
  readonly erased: boolean;
  /** `null`: it is not shown whole. */
  readonly context: ShownContext | null;
  /** `null`: it is not shown whole. The payload, where it is shown, is its member. */
  readonly action: JsonObject | null;
  /** A payload was committed and is not shown whole. */
  readonly payloadHidden: boolean;
}

/** Reads a check of a package whose openings were found to open their commitments. */
export function shownCheck({ event, sequence, opened, erased }: PackageEvent): ShownCheck {
  const context = wholeValue(opened.context);
  const action = wholeValue(opened.action);
  const payload = event.payload === null ? undefined : wholeValue(opened.payload);
  const whole = isObject(action) ? (payload === undefined ? action : { ...action, payload }) : null;
  return {
    leaf: event,
    sequence,
    atMs: Date.parse(event.occurredAt),
    erased: erased === true,
    context: isObject(context) ? (context as unknown as ShownContext) : null,
    action: whole,
    payloadHidden: event.payload !== null && payload === undefined,
  };
}

/** The value of an opening; `undefined`: it is not shown, or not whole. */
export function wholeValue(opening: ShownOpenings['action']): JsonValue | undefined {
  if (opening === undefined) return undefined;
  if (!('members' in opening)) return opening.value;
  const members: [string, JsonValue][] = [];
  for (const member of opening.members) {
    if (typeof member === 'string') return undefined;
    members.push([member.name, member.value]);
  }
  return Object.fromEntries(members);
}

/** A member of the value of an opening that is shown; `undefined`: it is not. */
export function shownMember(opening: ShownOpenings['action'], name: string): JsonValue | undefined {
  if (opening === undefined) return undefined;
  if ('members' in opening) {
    for (const member of opening.members) if (typeof member !== 'string' && member.name === name) return member.value;
    return undefined;
  }
  const { value } = opening;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** States in which an approval satisfies its rule: it was used, or could have been. */
const SATISFIES: ReadonlySet<unknown> = new Set(['approved', 'consumed', 'used']);

/** The rules that an approval satisfied in a check, as violations name them. */
export function satisfiedRules({ approval }: ShownContext): ReadonlySet<string> {
  if (approval === undefined) return NONE;
  const also: unknown = approval.also;
  const all: readonly unknown[] = Array.isArray(also) ? [approval, ...(also as readonly unknown[])] : [approval];
  return new Set(all.flatMap((one) => (isShown(one) && SATISFIES.has(one.state) ? [`rules:${one.rule}`] : [])));
}
const NONE: ReadonlySet<string> = new Set();

function isShown(value: unknown): value is { readonly rule: string; readonly state?: unknown } {
  return typeof value === 'object' && value !== null && 'rule' in value && typeof value.rule === 'string';
}
