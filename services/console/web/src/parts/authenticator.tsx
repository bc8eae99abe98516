import type { ReactNode } from 'react';
import type { SecondFactorEnrolment } from '@countersign/contracts';
import { factorWords } from '../words/second-factor.js';
import { Field } from './field.js';
import { Copy } from './problem.js';
import { QrCode } from './qr-code.js';

/** A code of an authenticator, or a recovery code. */
export function CodeField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <Field
      label={label}
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      required
      autoFocus
      minLength={6}
      maxLength={40}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** The secret of an enrolment, as picture and as text. */
export function EnrolmentSecret({ enrolment }: { readonly enrolment: SecondFactorEnrolment }): ReactNode {
  const { enrolment: texts } = factorWords;
  return (
    <>
      <p>{texts.scan}</p>
      <QrCode text={enrolment.uri} label={texts.picture} />
      <p className="secret">
        {texts.secret}: <code>{enrolment.secret.match(/.{1,4}/g)?.join(' ')}</code> <Copy text={enrolment.secret} />
      </p>
    </>
  );
}

/** Recovery codes, shown once. */
export function RecoveryCodes({
  codes,
  onStored,
}: {
  readonly codes: readonly string[];
  readonly onStored: () => void;
}): ReactNode {
  const { codes: texts } = factorWords;
  return (
    <>
      <p role="status">{texts.lead}</p>
      <ul className="recovery-codes" aria-label={texts.title}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Copy text={`${codes.join('\n')}\n`} />
        <button type="button" className="button primary" onClick={onStored}>
          {texts.stored}
        </button>
      </div>
    </>
  );
}
