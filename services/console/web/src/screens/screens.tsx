import { lazy, Suspense } from 'react';
import type { ComponentType, LazyExoticComponent, ReactNode } from 'react';
import { Boundary } from '../parts/boundary.js';
import { words } from '../words/en.js';
import type { ScreenProps } from './screen-props.js';

type Lazy = LazyExoticComponent<ComponentType<ScreenProps>>;

/** Each is a file that is loaded when the screen is opened first. */
const SCREENS: Readonly<Record<string, Lazy>> = {
  '/welcome': lazy(async () => ({ default: (await import('./welcome/welcome.js')).Welcome })),
  '/overview': lazy(async () => ({ default: (await import('./overview/overview.js')).Overview })),
  '/events': lazy(async () => ({ default: (await import('./events/events.js')).Events })),
  '/agents': lazy(async () => ({ default: (await import('./agents/agents.js')).Agents })),
  '/approvals': lazy(async () => ({ default: (await import('./approvals/approvals.js')).Approvals })),
  '/alerts': lazy(async () => ({ default: (await import('./alerts/alerts.js')).Alerts })),
  '/coverage': lazy(async () => ({ default: (await import('./control-coverage/coverage.js')).Coverage })),
  '/reports': lazy(async () => ({ default: (await import('./reports/reports.js')).Reports })),
  '/health': lazy(async () => ({ default: (await import('./health/health.js')).Health })),
  '/settings': lazy(async () => ({ default: (await import('./settings/settings.js')).Settings })),
};

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
