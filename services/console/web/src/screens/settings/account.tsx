import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { BrowserSession } from '@countersign/contracts';
import { useAccount } from '../../api/settings.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { setPreferences, usePreferences } from '../../preferences.js';
import { RpcField } from '../../verify/verdict.js';
import { number } from '../../words/en.js';
import { settingsWords } from '../../words/settings.js';
import { ChangePassword } from '../change-password.js';
import { SecondFactor } from './second-factor.js';
import { Sessions } from './sessions.js';

/** Plan and use, the signed-in user, and the settings of this browser. */
export function Account({ session }: { readonly session: BrowserSession }): ReactNode {
  const account = useAccount();
  const [isChanging, setChanging] = useState(false);
  const { account: texts } = settingsWords;
  return (
    <>
      {account.error === null ? null : (
        <Problem what={texts.failed} error={account.error} retry={() => void account.refetch()} />
      )}
      <Card title={texts.title}>
        <Facts>
          <Fact name={texts.name}>
            <Foreign text={session.account.name} most={200} />
          </Fact>
          <Fact name={texts.plan}>{session.account.plan}</Fact>
          {account.data === undefined ? null : (
            <>
              <Fact name={texts.used}>{number(account.data.actionsUsed)}</Fact>
              <Fact name={texts.cap}>
                {account.data.actionCap === null ? texts.noCap : number(account.data.actionCap)}
              </Fact>
              <Fact name={account.data.sandbox === null ? texts.ends : texts.sandbox}>
                <Time iso={account.data.periodEndsAt} zone />
              </Fact>
            </>
          )}
        </Facts>
      </Card>
      <Card
        title={texts.you}
        actions={
          <button type="button" className="button" onClick={() => setChanging(true)}>
            {texts.password}
          </button>
        }
      >
        <Facts>
          <Fact name={texts.email}>
            <Foreign text={session.user.email} most={254} />
          </Fact>
          <Fact name={texts.role}>{session.user.role}</Fact>
          <Fact name={texts.session}>
            <Time iso={session.expiresAt} zone />
          </Fact>
        </Facts>
      </Card>
      <SecondFactor />
      <Sessions />
      <Card title={texts.display}>
        <Browser />
      </Card>
      {isChanging ? <ChangePassword onClose={() => setChanging(false)} /> : null}
    </>
  );
}

/** Settings that this browser alone keeps. */
function Browser(): ReactNode {
  const id = useId();
  const { localTimes, shortcuts } = usePreferences();
  return (
    <div className="form">
      <p className="check">
        <input
          id={`${id}-times`}
          type="checkbox"
          checked={localTimes}
          onChange={(event) => setPreferences({ localTimes: event.target.checked })}
        />
        <label htmlFor={`${id}-times`}>{settingsWords.account.localTimes}</label>
      </p>
      <p className="check">
        <input
          id={`${id}-keys`}
          type="checkbox"
          checked={shortcuts}
          onChange={(event) => setPreferences({ shortcuts: event.target.checked })}
        />
        <label htmlFor={`${id}-keys`}>{settingsWords.account.shortcuts}</label>
      </p>
      <RpcField />
    </div>
  );
}
