const EVENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for the id of an event, in letters of either case. */
export function isEventId(text: string): boolean {
  return EVENT_ID.test(text);
}
