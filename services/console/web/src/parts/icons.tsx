import type { ReactNode } from 'react';

const PATHS = {
  overview: 'M3 13V8.5M8 13V3M13 13V6.5',
  events: 'M3 4.5h10M3 8h10M3 11.5h6',
  agents: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8Zm-5 5.5c.6-2.3 2.5-3.5 5-3.5s4.4 1.2 5 3.5',
  approvals: 'M3 8.5l2.5 2.5 4-5M8.5 11l.5.5 4.5-5.5',
  alerts: 'M4 11V7.5a4 4 0 0 1 8 0V11l1 1.5H3L4 11Zm2.75 2.5h2.5',
  coverage: 'M2.5 2.5h11v11h-11v-11Zm0 3.67h11m-11 3.67h11M6.17 2.5v11m3.67-11v11',
  reports: 'M4 2.5h5.5L12 5v8.5H4v-11Zm5 0V5.5h3M6 8.5h4M6 11h4',
  health: 'M2 8.5h3l1.5-4 3 7.5L11 8.5h3',
  settings: 'M2.5 5h6m4 0h1M2.5 11h1m4 0h6M10.5 3.25v3.5M5.5 9.25v3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.25-1.25L13.5 13.5',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  check: 'M3.5 8.5l3 3 6-6.5',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Zm0 2.5v3l2 1.5',
} as const;

/** Decoration beside a text; 16 px. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
