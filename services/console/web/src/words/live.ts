/** Texts about the live feed. */
export const liveWords = {
  live: 'Live',
  paused: 'Paused',
  connecting: 'Connecting…',
  pause: 'Pause',
  resume: 'Resume',
  lost: 'Live updates were lost.',
  reason: 'Reason:',
  again: (seconds: number) => (seconds === 0 ? 'Connecting again…' : `Connecting again in ${seconds} s.`),
} as const;
