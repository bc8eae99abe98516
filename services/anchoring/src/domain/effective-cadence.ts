/** The window that an agent's last leaf went into. */
export interface AgentPlace {
  readonly cadenceSeconds: number;
  readonly windowNumber: number;
}

/**
 * The cadence in whose open window an agent's next leaf goes: the stamped one, unless the agent still has leaves in an
 * open window of another. So an agent is in one open window at a time, and its leaves in a window are one run of
 * sequences: `count` is `lastSequence - firstSequence + 1`.
 *
 * @param place where the agent's last leaf went, `null` before its first
 * @param openNumber number of the open window of a cadence
 */
export function effectiveCadence(
  place: AgentPlace | null,
  stampSeconds: number,
  openNumber: (cadenceSeconds: number) => number,
): number {
  if (place === null || place.cadenceSeconds === stampSeconds) return stampSeconds;
  return openNumber(place.cadenceSeconds) === place.windowNumber ? place.cadenceSeconds : stampSeconds;
}
