import { lazy, Suspense } from 'react';
import type { ComponentType, LazyExoticComponent, ReactNode } from 'react';
import { Boundary } from '../parts/boundary.js';
import { words } from '../words/en.js';
import type { ScreenProps } from './screen-props.js';

type Lazy = LazyExoticComponent<ComponentType<ScreenProps>>;

/** Each is a file of its own. */
const FILES = {
  '/welcome': async () => ({ default: (await import('./welcome/welcome.js')).Welcome }),
  '/overview': async () => ({ default: (await import('./overview/overview.js')).Overview }),
  '/events': async () => ({ default: (await import('./events/events.js')).Events }),
  '/agents': async () => ({ default: (await import('./agents/agents.js')).Agents }),
  '/approvals': async () => ({ default: (await import('./approvals/approvals.js')).Approvals }),
  '/alerts': async () => ({ default: (await import('./alerts/alerts.js')).Alerts }),
  '/coverage': async () => ({ default: (await import('./control-coverage/coverage.js')).Coverage }),
  '/reports': async () => ({ default: (await import('./reports/reports.js')).Reports }),
  '/health': async () => ({ default: (await import('./health/health.js')).Health }),
  '/settings': async () => ({ default: (await import('./settings/settings.js')).Settings }),
} satisfies Readonly<Record<string, () => Promise<{ default: ComponentType<ScreenProps> }>>>;

const SCREENS: Readonly<Record<string, Lazy>> = Object.fromEntries(
  Object.entries(FILES).map(([path, load]) => [path, lazy(load)]),
);

/**
 * Loads the files of all screens, one after the other: then each opens at once, also without a connection.
 * @param signal ends it where the connection is lost: a browser remembers a file that could not be loaded as missing
 */
export async function loadScreens(signal: AbortSignal): Promise<void> {
  for (const load of Object.values(FILES)) {
    if (signal.aborted) return;
    await load();
  }
}

/** Shown where the address names no screen. */
const FIRST = '/events';

/** The screen of a path: its first segment, as a path. */
export function screenOf(path: string): string {
  const own = /^\/[^/]*/.exec(path)?.[0] ?? '';
  return Object.hasOwn(SCREENS, own) ? own : FIRST;
}

/** The screen that a path names. */
export function Screen(props: Omit<ScreenProps, 'rest'>): ReactNode {
  const own = screenOf(props.path);
  const Shown = SCREENS[own]!;
  const rest = props.path.startsWith(own) ? props.path.slice(own.length) : '';
  return (
    <Boundary key={own}>
      <Suspense fallback={<p className="page late">{words.loading}</p>}>
        <Shown {...props} rest={rest} />
      </Suspense>
    </Boundary>
  );
}
