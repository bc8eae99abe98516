import { useState } from 'react';
import type { ReactNode } from 'react';
import type { BrowserSession, PasswordLinkRecord, Role, UserRecord } from '@countersign/contracts';
import { resetFactor } from '../../api/second-factor.js';
import { removePerson, useInvitation, usePasswordLink, usePeople, useSetRole } from '../../api/settings.js';
import { shownText } from '../../foreign-text.js';
import { ConfirmRemoval } from '../../parts/confirm.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Choice, Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { words } from '../../words/en.js';
import { factorWords } from '../../words/second-factor.js';
import { settingsWords } from '../../words/settings.js';
import { Requirement } from './requirement.js';

const ROLES = Object.keys(settingsWords.people.roles) as Role[];

/** Who may sign in, and what for. */
export function People({ session }: { readonly session: BrowserSession }): ReactNode {
  const people = usePeople();
  const setRole = useSetRole();
  const [isAdding, setAdding] = useState(false);
  const [linked, setLinked] = useState<UserRecord | null>(null);
  const [reset, setReset] = useState<UserRecord | null>(null);
  const [removed, setRemoved] = useState<UserRecord | null>(null);
  const { people: texts } = settingsWords;
  const isYou = ({ id }: UserRecord): boolean => id === session.user.id;
  return (
    <Card
      title={texts.title}
      actions={
        <>
          <a className="button" href="#/events?kind=account">
            {texts.trail}
          </a>
          <button type="button" className="button primary" onClick={() => setAdding(true)}>
            {texts.add}
          </button>
        </>
      }
    >
      {people.error === null ? null : (
        <Problem what={texts.failed} error={people.error} retry={() => void people.refetch()} />
      )}
      {setRole.error === null ? null : <Problem error={setRole.error} />}
      {people.error !== null && people.data === undefined ? null : (
        <Table
          label={texts.table}
          rows={people.data}
          keyOf={({ id }) => id}
          columns={[
            {
              name: texts.columns.email,
              cell: (user) => (
                <>
                  <Foreign text={user.email} most={254} />
                  {isYou(user) ? <span className="muted"> ({texts.you})</span> : null}
                  {user.invited === true ? <span className="muted"> ({texts.invited})</span> : null}
                  {user.secondFactor === true ? <span className="muted"> ({factorWords.people.has})</span> : null}
                </>
              ),
            },
            {
              name: texts.columns.role,
              cell: (user) => (
                <select
                  className="input role"
                  aria-label={texts.roleOf(user.email)}
                  value={user.role}
                  disabled={setRole.isPending}
                  onChange={(event) => setRole.mutate({ id: user.id, role: event.target.value as Role })}
                >
                  {ROLES.map((role) => (
                    <option key={role} value={role}>
                      {role}
                    </option>
                  ))}
                </select>
              ),
            },
            { name: texts.columns.since, cell: ({ createdAt }) => <Time iso={createdAt} /> },
            {
              name: texts.columns.actions,
              isUnnamed: true,
              cell: (user) =>
                isYou(user) ? null : (
                  <>
                    <button type="button" className="button" onClick={() => setLinked(user)}>
                      {texts.newLink}
                    </button>{' '}
                    {user.secondFactor === true ? (
                      <button type="button" className="button" onClick={() => setReset(user)}>
                        {factorWords.people.reset}
                      </button>
                    ) : null}{' '}
                    <button type="button" className="button" onClick={() => setRemoved(user)}>
                      {texts.remove}
                    </button>
                  </>
                ),
            },
          ]}
        />
      )}
      <Requirement />
      {isAdding ? <AddPerson onClose={() => setAdding(false)} /> : null}
      {linked === null ? null : <NewLink user={linked} onClose={() => setLinked(null)} />}
      {reset === null ? null : (
        <ConfirmRemoval
          name={reset.email}
          title={factorWords.people.resetTitle}
          lead={factorWords.people.resetLead}
          action={factorWords.people.reset}
          run={() => resetFactor(reset.id)}
          onClose={() => setReset(null)}
        />
      )}
      {removed === null ? null : (
        <ConfirmRemoval
          name={removed.email}
          title={texts.removeTitle}
          lead={texts.removeLead}
          action={texts.remove}
          run={() => removePerson(removed.id)}
          onClose={() => setRemoved(null)}
        />
      )}
    </Card>
  );
}

function AddPerson({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('auditor');
  const invitation = useInvitation();
  const { people: texts } = settingsWords;
  const submit = (): void => invitation.mutate({ email: email.trim(), role });
  if (invitation.data !== undefined) return <MadeLink made={invitation.data} onClose={onClose} />;
  return (
    <Dialog title={texts.add} lead={texts.addLead} onClose={onClose}>
      <DialogForm
        action={texts.add}
        isPending={invitation.isPending}
        error={invitation.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <Field
          label={texts.email}
          type="email"
          autoComplete="off"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Choice
          label={texts.role}
          value={role}
          options={ROLES.map((one) => [one, texts.roles[one]])}
          onChange={(one) => setRole(one as Role)}
        />
      </DialogForm>
    </Dialog>
  );
}

/** Asks before it makes a link, since the one before stops working; then shows it, or that it was sent. */
function NewLink({ user, onClose }: { readonly user: UserRecord; readonly onClose: () => void }): ReactNode {
  const link = usePasswordLink();
  const { people: texts } = settingsWords;
  const submit = (): void => link.mutate(user.id);
  if (link.data !== undefined) return <MadeLink made={link.data} onClose={onClose} />;
  return (
    <Dialog
      title={<bdi>{texts.newLinkTitle(shownText(user.email, 100).text)}</bdi>}
      lead={texts.newLinkLead}
      onClose={onClose}
    >
      <DialogForm
        action={texts.newLink}
        isPending={link.isPending}
        error={link.error}
        onSubmit={submit}
        onClose={onClose}
      />
    </Dialog>
  );
}

function MadeLink({ made, onClose }: { readonly made: PasswordLinkRecord; readonly onClose: () => void }): ReactNode {
  const { people: texts } = settingsWords;
  const until = (
    <p>
      {texts.until} <Time iso={made.expiresAt} zone />
    </p>
  );
  if (made.link !== null) {
    return (
      <Dialog title={texts.linkTitle} lead={texts.linkLead} onClose={onClose}>
        {until}
        <Secret text={made.link} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.sentTitle} onClose={onClose}>
      <p role="status">
        <bdi>{texts.sentTo(shownText(made.sentTo ?? '', 100).text)}</bdi>
      </p>
      {until}
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={onClose}>
          {words.close}
        </button>
      </div>
    </Dialog>
  );
}
