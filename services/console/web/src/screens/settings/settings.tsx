import type { ReactNode } from 'react';
import { Page, Parts } from '../../parts/page.js';
import { words } from '../../words/en.js';
import { holdWords } from '../../words/legal-holds.js';
import { settingsWords } from '../../words/settings.js';
import type { ScreenProps } from '../screen-props.js';
import { Account } from './account.js';
import { ApiKeys } from './api-keys.js';
import { LegalHolds } from './legal-holds.js';
import { People } from './people.js';
import { SigningKeys } from './signing-keys.js';

const PARTS = {
  '': { title: settingsWords.account.title, Part: Account, isForAdmins: false },
  '/api-keys': { title: settingsWords.keys.title, Part: ApiKeys, isForAdmins: true },
  '/people': { title: settingsWords.people.title, Part: People, isForAdmins: true },
  '/legal-holds': { title: holdWords.title, Part: LegalHolds, isForAdmins: false },
  '/signing-keys': { title: settingsWords.signing.title, Part: SigningKeys, isForAdmins: false },
} as const;

/** `/settings`: account, API keys, people, legal holds, signing keys. */
export function Settings({ session, rest }: ScreenProps): ReactNode {
  const current = Object.hasOwn(PARTS, rest) ? (rest as keyof typeof PARTS) : '';
  const { title, Part, isForAdmins } = PARTS[current];
  return (
    <Page title={settingsWords.title} name={title}>
      <Parts
        label={settingsWords.parts}
        parts={Object.entries(PARTS).map(([path, part]) => [`#/settings${path}`, part.title] as const)}
        current={`#/settings${current}`}
      />
      {isForAdmins && session.user.role !== 'admin' ? (
        <p className="lead">{words.needs('admin', session.user.role)}</p>
      ) : (
        <Part session={session} />
      )}
    </Page>
  );
}
