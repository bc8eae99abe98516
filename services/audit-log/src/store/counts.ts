import type { EventClass } from '../domain/event-class.js';
import type { EventFilter } from '../domain/event-filter.js';

/** Which hours are counted. `agentIds`: each of these agents of the account by itself; absent: the account as a whole. */
export interface HourlyQuery {
  readonly agentIds?: readonly string[];
  /** Restricts by type, outcome, allowed and violation type alone. */
  readonly filter: EventFilter;
  /** Hours since the epoch: `firstHour <= hour < endHour`. */
  readonly firstHour: number;
  readonly endHour: number;
  /** Hours of one count, from a multiple of it on. */
  readonly hoursEach: number;
}

/** Events of one class in the hours from `hour` on. `agentId`: `null`: of the account. */
export interface HourlyCount {
  readonly agentId: string | null;
  readonly hour: number;
  readonly class: EventClass;
  readonly count: number;
}

/** Events that are counted one by one: as {@link HourlyQuery}, in steps of any length from a multiple of it on. */
export interface StepQuery {
  readonly agentIds?: readonly string[];
  readonly filter: EventFilter;
  /** ms since the epoch: `fromMs <= occurredAt < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** Counts each rule by itself, and only events that have one. */
  readonly byRule: boolean;
}

/** Events of one class in the step from `at` on, ms. `agentId`: `null`: of the account. `rule`: `null`: of any, or of none. */
export interface StepCount {
  readonly agentId: string | null;
  readonly at: number;
  readonly class: EventClass;
  readonly rule: string | null;
  readonly count: number;
}
