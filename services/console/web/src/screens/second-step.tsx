import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { BrowserSession, NextStep } from '@countersign/contracts';
import { useEnrolmentAtSignIn, useFinishSignIn } from '../api/second-factor.js';
import { showSession } from '../api/session.js';
import { CodeField, EnrolmentSecret, RecoveryCodes } from '../parts/authenticator.js';
import { Problem } from '../parts/problem.js';
import { useTitle } from '../use-title.js';
import { words } from '../words/en.js';
import { factorWords } from '../words/second-factor.js';

/**
 * The second step of a sign-in: a code, or the enrolment that the account requires.
 * @param onBack to the password
 */
export function SecondStep({ next, onBack }: { readonly next: NextStep; readonly onBack: () => void }): ReactNode {
  return (
    <main className="sign-in" id="content">
      {next.step === 'code' ? <ByCode next={next} onBack={onBack} /> : <ByEnrolment next={next} onBack={onBack} />}
    </main>
  );
}

interface StepProps {
  readonly next: NextStep;
  readonly onBack: () => void;
}

function ByCode({ next, onBack }: StepProps): ReactNode {
  const { step: texts } = factorWords;
  return (
    <StepForm
      title={texts.title}
      lead={texts.lead}
      next={next}
      onBack={onBack}
      onDone={(session) => void showSession(session)}
    >
      <p className="hint">{texts.lost}</p>
    </StepForm>
  );
}

function ByEnrolment({ next, onBack }: StepProps): ReactNode {
  const enrolment = useEnrolmentAtSignIn(next.token);
  const [done, setDone] = useState<{ readonly session: BrowserSession; readonly codes: readonly string[] } | null>(
    null,
  );
  const { step: texts } = factorWords;
  if (done !== null) {
    return (
      <section className="sign-in-form">
        <h1>{factorWords.codes.title}</h1>
        <RecoveryCodes codes={done.codes} onStored={() => void showSession(done.session)} />
      </section>
    );
  }
  if (enrolment.data === undefined) {
    return enrolment.error === null ? (
      <p className="late" role="status">
        {words.loading}
      </p>
    ) : (
      <section className="sign-in-form">
        <Problem what={factorWords.enrolment.failed} error={enrolment.error} />
        <Back onBack={onBack} />
      </section>
    );
  }
  return (
    <StepForm
      title={texts.enrolTitle}
      lead={texts.enrolLead}
      next={next}
      enrolment={enrolment.data.enrolment}
      onBack={onBack}
      onDone={({ recoveryCodes = [], ...session }) => setDone({ session, codes: recoveryCodes })}
    >
      <EnrolmentSecret enrolment={enrolment.data} />
    </StepForm>
  );
}

function StepForm({
  title,
  lead,
  next,
  enrolment,
  onBack,
  onDone,
  children,
}: StepProps & {
  readonly title: string;
  readonly lead: string;
  readonly enrolment?: string;
  readonly onDone: (session: BrowserSession & { readonly recoveryCodes?: readonly string[] }) => void;
  readonly children: ReactNode;
}): ReactNode {
  const [code, setCode] = useState('');
  const finish = useFinishSignIn();
  const { step: texts } = factorWords;
  useTitle(title);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (finish.isPending) return;
    const body = { secondFactorToken: next.token, code, ...(enrolment === undefined ? {} : { enrolment }) };
    finish.mutate(body, { onSuccess: onDone });
  };
  return (
    <form className="sign-in-form" onSubmit={submit}>
      <p className="brand">{words.product}</p>
      <h1>{title}</h1>
      <p className="lead">{lead}</p>
      {enrolment === undefined ? null : children}
      <CodeField label={texts.code} value={code} onChange={setCode} />
      {finish.error === null ? null : <Problem error={finish.error} />}
      <button type="submit" className="button primary wide" aria-disabled={finish.isPending}>
        {finish.isPending ? texts.busy : texts.submit}
      </button>
      <Back onBack={onBack} />
      {enrolment === undefined ? children : null}
    </form>
  );
}

function Back({ onBack }: Pick<StepProps, 'onBack'>): ReactNode {
  return (
    <button type="button" className="button wide" onClick={onBack}>
      {factorWords.step.back}
    </button>
  );
}
