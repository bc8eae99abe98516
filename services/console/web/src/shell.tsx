import { Menu } from '@base-ui/react/menu';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import type { BrowserSession } from '@countersign/contracts';
import { useOpenAlerts } from './api/alerts.js';
import { useWaitingApprovals } from './api/approvals.js';
import { signOut } from './api/session.js';
import { useShortcuts } from './keyboard.js';
import { useFeedState, useLiveFeed } from './live/feed.js';
import { go, holdBack } from './location.js';
import { Foreign } from './parts/foreign.js';
import { Icon } from './parts/icons.js';
import { Problem } from './parts/problem.js';
import { setPreferences, usePreferences } from './preferences.js';
import { ChangePassword } from './screens/change-password.js';
import { loadScreens } from './screens/screens.js';
import { Search } from './screens/search.js';
import { ShortcutList } from './screens/shortcut-list.js';
import { words } from './words/en.js';
import { searchWords } from './words/search.js';

const SCREENS = [
  { path: '/overview', name: words.navigation.overview, icon: 'overview' },
  { path: '/events', name: words.navigation.events, icon: 'events' },
  { path: '/agents', name: words.navigation.agents, icon: 'agents' },
  { path: '/approvals', name: words.navigation.approvals, icon: 'approvals' },
  { path: '/alerts', name: words.navigation.alerts, icon: 'alerts' },
  { path: '/coverage', name: words.navigation.coverage, icon: 'coverage' },
  { path: '/reports', name: words.navigation.reports, icon: 'reports' },
  { path: '/health', name: words.navigation.health, icon: 'health' },
  { path: '/settings', name: words.navigation.settings, icon: 'settings' },
] as const;

const IDLE_MS = 3_600_000;
/** After it the first screen is shown even by a slow device. */
const OTHER_SCREENS_MS = 2000;

/** Navigation, account and shortcuts around a screen. */
export function Shell({
  session,
  path,
  children,
}: {
  readonly session: BrowserSession;
  readonly path: string;
  readonly children: ReactNode;
}): ReactNode {
  const [dialog, setDialog] = useState<'password' | 'search' | 'shortcuts' | null>(null);
  const isOnline = useSyncExternalStore(onConnection, () => window.navigator.onLine);
  // A server on this machine is reached without a network.
  const isOffline = useFeedState().kind === 'waiting' && !isOnline;
  useIdleSignOut();
  useEffect(() => {
    if (isOffline) return undefined;
    const end = new AbortController();
    const timer = window.setTimeout(() => void loadScreens(end.signal).catch(() => undefined), OTHER_SCREENS_MS);
    return () => {
      end.abort();
      window.clearTimeout(timer);
    };
  }, [isOffline]);
  useLiveFeed(session.account.id);
  useShortcuts({
    'g o': () => go('#/overview'),
    'g e': () => go('#/events'),
    'g a': () => go('#/agents'),
    'g p': () => go('#/approvals'),
    'g l': () => go('#/alerts'),
    'g c': () => go('#/coverage'),
    'g r': () => go('#/reports'),
    'g h': () => go('#/health'),
    'g s': () => go('#/settings'),
    '/': () => setDialog('search'),
    '?': () => setDialog('shortcuts'),
  });
  return (
    <div className="shell">
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          // The address behind # is the place in the application.
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {words.skip}
      </a>
      <header className="side">
        <p className="brand">{words.product}</p>
        <button
          type="button"
          className="button search-open"
          aria-label={searchWords.title}
          aria-keyshortcuts="/"
          onClick={() => setDialog('search')}
        >
          <Icon name="search" />
          <span className="screen-name">{searchWords.title}</span>
        </button>
        <nav aria-label={words.navigation.label}>
          <ul className="screens">
            {SCREENS.map((screen) => (
              <li key={screen.path}>
                <a href={`#${screen.path}`} aria-current={path === screen.path ? 'page' : undefined}>
                  <Icon name={screen.icon} />
                  <span className="screen-name">{screen.name}</span>
                  {screen.path === '/alerts' ? <OpenAlerts /> : null}
                  {screen.path === '/approvals' ? <WaitingApprovals /> : null}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Account session={session} open={setDialog} />
      </header>
      <main id="content" className="screen" tabIndex={-1}>
        {children}
      </main>
      <div className="no-connection" role="status">
        {isOffline ? <p className="offline">{words.noConnection}</p> : null}
      </div>
      {dialog === 'password' ? <ChangePassword onClose={() => setDialog(null)} /> : null}
      {dialog === 'search' ? <Search role={session.user.role} onClose={() => setDialog(null)} /> : null}
      {dialog === 'shortcuts' ? <ShortcutList onClose={() => setDialog(null)} /> : null}
    </div>
  );
}

/** Calls `changed` when the browser loses its network, and when it has one again. */
function onConnection(changed: () => void): () => void {
  const events = ['online', 'offline'] as const;
  for (const event of events) window.addEventListener(event, changed);
  return () => {
    for (const event of events) window.removeEventListener(event, changed);
  };
}

/** The number of open alerts, where there are any. */
function OpenAlerts(): ReactNode {
  const { data: open = 0 } = useOpenAlerts();
  return open === 0 ? null : <Count text={open > 999 ? '999+' : String(open)} />;
}

/** The number of approvals that wait for a decision, where there are any. */
function WaitingApprovals(): ReactNode {
  const { data: waiting = 0 } = useWaitingApprovals();
  return waiting === 0 ? null : <Count text={waiting > 99 ? '99+' : String(waiting)} />;
}

function Count({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="open-count">
      {text}
      <span className="hidden"> {words.navigation.open}</span>
    </span>
  );
}

function Account({
  session: { account, user },
  open,
}: {
  readonly session: BrowserSession;
  readonly open: (dialog: 'password' | 'shortcuts') => void;
}): ReactNode {
  const { localTimes } = usePreferences();
  const [failure, setFailure] = useState<unknown>(null);
  const leave = (): void => {
    setFailure(null);
    holdBack((stay) => {
      signOut().catch((error: unknown) => {
        setFailure(error);
        stay();
      });
    });
  };
  return (
    <div className="account">
      {failure === null ? null : <Problem error={failure} />}
      <Menu.Root>
        <Menu.Trigger className="account-button">
          <span className="hidden">{words.account.menu}: </span>
          <span className="account-name">
            <Foreign text={account.name} most={60} />
          </span>
          <span className="account-user" title={user.email}>
            <Foreign text={user.email} most={80} />
          </span>
          <span className="account-user">{user.role}</span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="positioner" sideOffset={4} align="start">
            <Menu.Popup className="menu">
              <Menu.CheckboxItem
                className="menu-item"
                checked={localTimes}
                onCheckedChange={(checked) => setPreferences({ localTimes: checked })}
              >
                <Menu.CheckboxItemIndicator className="menu-mark" keepMounted>
                  {localTimes ? <Icon name="check" /> : null}
                </Menu.CheckboxItemIndicator>
                {words.account.localTimes}
              </Menu.CheckboxItem>
              <Menu.Item className="menu-item" onClick={() => open('shortcuts')}>
                {words.account.shortcuts}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => open('password')}>
                {words.account.password}
              </Menu.Item>
              <Menu.Separator className="menu-line" />
              <Menu.Item className="menu-item" render={<a href="#/welcome">{words.account.welcome}</a>} />
              <Menu.Item className="menu-item" render={<a href="docs">{words.account.api}</a>} />
              <Menu.Item className="menu-item" render={<a href="verify">{words.account.verify}</a>} />
              <Menu.Separator className="menu-line" />
              <Menu.Item className="menu-item" onClick={leave}>
                {words.account.signOut}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  );
}

/** Ends the session after an hour without key, pointer or scrolling. */
function useIdleSignOut(): void {
  useEffect(() => {
    let timer = 0;
    const restart = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => void signOut('idle').catch(restart), IDLE_MS);
    };
    const events = ['keydown', 'pointerdown', 'wheel', 'touchmove'] as const;
    for (const name of events) window.addEventListener(name, restart, { passive: true });
    restart();
    return () => {
      window.clearTimeout(timer);
      for (const name of events) window.removeEventListener(name, restart);
    };
  }, []);
}
