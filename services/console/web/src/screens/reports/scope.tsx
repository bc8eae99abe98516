import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { ComplianceScopeBody, Role } from '@countersign/contracts';
import { usePutScope, useScope } from '../../api/reports.js';
import { Checks } from '../../parts/checks.js';
import { Choice } from '../../parts/field.js';
import { Card, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { words } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';
import { ReportParts } from './report-parts.js';

const CATEGORIES = ['security', 'availability', 'processing-integrity', 'confidentiality', 'privacy'] as const;
const CLASSES = ['high-risk-annex-iii', 'high-risk-annex-i', 'not-high-risk', 'not-assessed'] as const;

/** `/reports/scope`: what the account declares of its frameworks. */
export function Scope({ role }: { readonly role: Role }): ReactNode {
  const scope = useScope();
  return (
    <Page title={reportWords.title} name={reportWords.scopes.title}>
      <ReportParts current="/scope" />
      {scope.error === null ? null : (
        <Problem what={reportWords.scopes.failed} error={scope.error} retry={() => void scope.refetch()} />
      )}
      {scope.data === undefined ? null : <Form scope={scope.data} role={role} />}
    </Page>
  );
}

const YES_NO = [
  ['', reportWords.scopes.undeclared],
  ['yes', reportWords.scopes.yes],
  ['no', reportWords.scopes.no],
] as const;

const asText = (value: boolean | undefined): string => (value === undefined ? '' : value ? 'yes' : 'no');

function Form({ scope, role }: { readonly scope: ComplianceScopeBody; readonly role: Role }): ReactNode {
  const [categories, setCategories] = useState<readonly (typeof CATEGORIES)[number][]>(scope.soc2?.categories ?? []);
  const [ephi, setEphi] = useState(asText(scope.hipaa?.ephi));
  const [covered, setCovered] = useState(asText(scope.nydfs?.coveredEntity));
  const [classification, setClassification] = useState<string>(scope.euaiact?.classification ?? '');
  const put = usePutScope();
  const mayDeclare = role === 'admin';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!mayDeclare || put.isPending) return;
    const found = CLASSES.find((one) => one === classification);
    put.mutate({
      soc2: categories.length === 0 ? null : { categories },
      hipaa: ephi === '' ? null : { ephi: ephi === 'yes' },
      nydfs: covered === '' ? null : { coveredEntity: covered === 'yes' },
      euaiact: found === undefined ? null : { classification: found },
    });
  };
  const { scopes } = reportWords;
  return (
    <Card title={scopes.title} lead={scopes.lead}>
      <form className="form" onSubmit={submit}>
        <Checks
          legend={scopes.soc2}
          options={CATEGORIES.map((name) => [name, name.replace('-', ' ')])}
          chosen={categories}
          onChange={setCategories}
        />
        <Choice
          label={scopes.euaiact}
          value={classification}
          options={[['', scopes.undeclared], ...CLASSES.map((name) => [name, name.replaceAll('-', ' ')] as const)]}
          onChange={setClassification}
        />
        <Choice label={scopes.ephi} value={ephi} options={YES_NO} onChange={setEphi} />
        <Choice label={scopes.covered} value={covered} options={YES_NO} onChange={setCovered} />
        {put.error === null ? null : <Problem error={put.error} />}
        {put.isSuccess ? <p role="status">{scopes.saved}</p> : null}
        <div className="form-actions">
          <button
            type="submit"
            className="button primary"
            aria-disabled={!mayDeclare || put.isPending}
            title={mayDeclare ? undefined : words.needs('admin', role)}
          >
            {scopes.save}
          </button>
        </div>
      </form>
    </Card>
  );
}
