import { useState } from 'react';
import type { ReactNode } from 'react';
import {
  useBeginEnrolment,
  useEnrol,
  useRemoveFactor,
  useRenewCodes,
  useSecondFactor,
} from '../../api/second-factor.js';
import { CodeField, EnrolmentSecret, RecoveryCodes } from '../../parts/authenticator.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Field } from '../../parts/field.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { factorWords } from '../../words/second-factor.js';

type Opened = 'enrol' | 'renew' | 'remove';

/** The second factor of the signed-in user. */
export function SecondFactor(): ReactNode {
  const state = useSecondFactor();
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  const { card: texts } = factorWords;
  const enrolledAt = state.data?.enrolledAt ?? null;
  const button = (what: Opened): ReactNode => (
    <button type="button" className="button" onClick={() => setOpened(what)}>
      {texts[what]}
    </button>
  );
  return (
    <Card
      title={texts.title}
      actions={
        state.data === undefined ? null : enrolledAt === null ? (
          button('enrol')
        ) : (
          <>
            {button('renew')} {button('remove')}
          </>
        )
      }
    >
      {state.error === null ? null : (
        <Problem what={texts.failed} error={state.error} retry={() => void state.refetch()} />
      )}
      {state.data === undefined ? null : (
        <Facts>
          <Fact name={texts.on}>{enrolledAt === null ? texts.none : <Time iso={enrolledAt} zone />}</Fact>
          {enrolledAt === null ? null : <Fact name={texts.left}>{state.data.recoveryCodesLeft}</Fact>}
          <Fact name={texts.required}>{texts.requiredWords[state.data.required ? 'yes' : 'no']}</Fact>
        </Facts>
      )}
      {opened === 'enrol' ? <Enrol onClose={close} /> : null}
      {opened === 'renew' ? <Renew onClose={close} /> : null}
      {opened === 'remove' ? <Remove onClose={close} /> : null}
    </Card>
  );
}

interface DialogProps {
  readonly onClose: () => void;
}

function Enrol({ onClose }: DialogProps): ReactNode {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begin = useBeginEnrolment();
  const enrol = useEnrol();
  const { enrol: texts } = factorWords;
  if (enrol.data !== undefined) return <NewCodes codes={enrol.data.recoveryCodes} onClose={onClose} />;
  if (begin.data === undefined) {
    return (
      <Dialog title={texts.title} onClose={onClose}>
        <DialogForm
          action={texts.next}
          isPending={begin.isPending}
          error={begin.error}
          onSubmit={() => begin.mutate(password)}
          onClose={onClose}
        >
          <Field
            label={texts.password}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </DialogForm>
      </Dialog>
    );
  }
  const { enrolment } = begin.data;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <DialogForm
        action={texts.done}
        isPending={enrol.isPending}
        error={enrol.error}
        onSubmit={() => enrol.mutate({ enrolment, code })}
        onClose={onClose}
      >
        <EnrolmentSecret enrolment={begin.data} />
        <CodeField label={factorWords.enrolment.first} value={code} onChange={setCode} />
      </DialogForm>
    </Dialog>
  );
}

function Renew({ onClose }: DialogProps): ReactNode {
  const [code, setCode] = useState('');
  const renew = useRenewCodes();
  const { renew: texts } = factorWords;
  if (renew.data !== undefined) return <NewCodes codes={renew.data.recoveryCodes} onClose={onClose} />;
  return (
    <Dialog title={texts.title} lead={texts.lead} onClose={onClose}>
      <DialogForm
        action={texts.submit}
        isPending={renew.isPending}
        error={renew.error}
        onSubmit={() => renew.mutate(code)}
        onClose={onClose}
      >
        <CodeField label={factorWords.step.code} value={code} onChange={setCode} />
      </DialogForm>
    </Dialog>
  );
}

function Remove({ onClose }: DialogProps): ReactNode {
  const [code, setCode] = useState('');
  const remove = useRemoveFactor();
  const { remove: texts } = factorWords;
  return (
    <Dialog title={texts.title} lead={texts.lead} onClose={onClose}>
      <DialogForm
        action={texts.submit}
        isDanger
        isPending={remove.isPending}
        error={remove.error}
        onSubmit={() => remove.mutate(code, { onSuccess: onClose })}
        onClose={onClose}
      >
        <CodeField label={factorWords.step.code} value={code} onChange={setCode} />
      </DialogForm>
    </Dialog>
  );
}

function NewCodes({ codes, onClose }: DialogProps & { readonly codes: readonly string[] }): ReactNode {
  return (
    <Dialog title={factorWords.codes.title} onClose={onClose}>
      <RecoveryCodes codes={codes} onStored={onClose} />
    </Dialog>
  );
}
