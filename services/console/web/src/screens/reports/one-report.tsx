import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReportRecord, Role } from '@countersign/contracts';
import { publishReport, reportPackage, reportPdf } from '../../api/reports.js';
import { useShortcuts } from '../../keyboard.js';
import { Confirm } from '../../parts/confirm.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Page } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { saveFile } from '../../parts/save-file.js';
import { Time } from '../../parts/time.js';
import { useVerifier } from '../../verify/use-verifier.js';
import { RpcField, Verdict } from '../../verify/verdict.js';
import { number, words } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';
import { verifyWords } from '../../words/verify.js';
import { changedCopy } from './changed-copy.js';
import { Sequences } from './sequences.js';
import { ShareList } from './share-list.js';

const MOST_PAGES = 20;

/** `/reports/{id}`: a report, its files, whether it is public, and its verification in this browser. */
export function OneReport({
  id,
  report,
  pages,
  role,
}: {
  readonly id: string;
  /** `null`: not among the reports that were read. */
  readonly report: ReportRecord | null;
  readonly pages: UseInfiniteQueryResult<{ readonly pages: readonly unknown[] }>;
  readonly role: Role;
}): ReactNode {
  const { hasNextPage, isFetching, fetchNextPage, isError, data } = pages;
  const mayFind = report === null && hasNextPage && !isError && (data?.pages.length ?? 0) < MOST_PAGES;
  useEffect(() => {
    if (mayFind && !isFetching) void fetchNextPage();
  }, [mayFind, isFetching, fetchNextPage]);
  const { report: texts } = reportWords;
  if (report === null) {
    return (
      <Page title={texts.title}>
        <Back />
        {pages.error === null ? (
          <p role="status">{mayFind || pages.isPending || isFetching ? words.loading : texts.gone}</p>
        ) : (
          <Problem what={reportWords.failed} error={pages.error} retry={() => void pages.refetch()} />
        )}
        <p className="mono small">{id}</p>
      </Page>
    );
  }
  return <Shown key={id} report={report} role={role} />;
}

function Back(): ReactNode {
  return (
    <p>
      <a href="#/reports">{reportWords.report.back}</a>
    </p>
  );
}

function Shown({ report, role }: { readonly report: ReportRecord; readonly role: Role }): ReactNode {
  const { id, anchor } = report;
  const verification = useVerifier();
  const [isChanged, setChanged] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { report: texts } = reportWords;
  const mayPublish = role !== 'auditor';
  const save = (read: () => Promise<Blob>, name: string): void => {
    setFailure(null);
    read().then((content) => saveFile(content, name), setFailure);
  };
  const verify = (change: boolean): void => {
    setChanged(change);
    verification.start(async () => (change ? changedCopy(await reportPackage(id)) : reportPackage(id)));
  };
  useShortcuts({ v: () => verify(false) });
  const address = new URL(`v1/reports/${id}/public`, window.location.href.split('#')[0]).href;
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <button type="button" className="button" onClick={() => save(() => reportPackage(id), `report-${id}.json`)}>
            {texts.json}
          </button>
          {report.pdfSha256 === null ? null : (
            <button type="button" className="button" onClick={() => save(() => reportPdf(id), `report-${id}.pdf`)}>
              {texts.pdf}
            </button>
          )}
          <button
            type="button"
            className="button"
            aria-disabled={!mayPublish}
            title={mayPublish ? undefined : words.needs('member', role)}
            onClick={() => (mayPublish ? setAsking(true) : undefined)}
          >
            {report.public ? texts.withdraw : texts.publish}
          </button>
        </>
      }
    >
      <Back />
      {failure === null ? null : <Problem error={failure} />}
      <Card title={texts.verifyTitle} lead={texts.verifyLead}>
        <div className="verify-row">
          <RpcField />
          <button type="button" className="button primary" onClick={() => verify(false)}>
            {verifyWords.action}
          </button>
        </div>
        <Verdict verification={verification} />
        {verification.outcome === null ? null : (
          <>
            {isChanged ? <p className="hint">{texts.changed}</p> : null}
            {isChanged ? null : <Sequences outcome={verification.outcome} />}
            <button type="button" className="link-button" onClick={() => verify(true)}>
              {texts.change}
            </button>
          </>
        )}
      </Card>
      <ShareList report={report} />
      <Card title={texts.facts}>
        <Facts>
          <Fact name={reportWords.columns.created}>
            <Time iso={report.createdAt} zone />
          </Fact>
          {report.title === null ? null : (
            <Fact name={reportWords.form.title}>
              <Foreign text={report.title} most={200} />
            </Fact>
          )}
          {report.withdrawn === null ? null : <Fact name={reportWords.withdrawn}>{report.withdrawn}</Fact>}
          <Fact name={reportWords.columns.range}>
            <Time iso={report.range.from} zone /> – <Time iso={report.range.to} zone />
          </Fact>
          {report.events === null ? null : (
            <Fact name={reportWords.columns.events}>
              {reportWords.of(number(report.anchored ?? 0), number(report.events))}
            </Fact>
          )}
          {report.issuedBy === null ? null : (
            <Fact name={texts.issuedBy}>
              <Foreign text={report.issuedBy.email} most={254} />
            </Fact>
          )}
          <Fact name={reportWords.columns.frameworks}>
            {report.frameworks.map((name) => reportWords.frameworks[name]).join(', ')}
          </Fact>
          <Fact name={reportWords.columns.format}>{report.format.toUpperCase()}</Fact>
          <Fact name={reportWords.columns.visibility}>{report.public ? reportWords.public : reportWords.private}</Fact>
          {report.public ? (
            <Fact name={texts.link}>
              <code>{address}</code> <Copy text={address} />
            </Fact>
          ) : null}
          <Fact name={texts.id}>
            <code>{id}</code> <Copy text={id} />
          </Fact>
          <Fact name={texts.hash}>
            <code>{report.sha256}</code> <Copy text={report.sha256} />
          </Fact>
          {report.pdfSha256 === null ? null : (
            <Fact name={texts.pdfHash}>
              <code>{report.pdfSha256}</code> <Copy text={report.pdfSha256} />
            </Fact>
          )}
          <Fact name={reportWords.columns.anchor}>
            {anchor?.txSignature ? reportWords.anchored : reportWords.notAnchored}
          </Fact>
          {anchor?.txSignature ? (
            <>
              <Fact name={texts.network}>{anchor.network ?? '–'}</Fact>
              <Fact name={texts.transaction}>
                <code>{anchor.txSignature}</code> <Copy text={anchor.txSignature} />
              </Fact>
            </>
          ) : null}
        </Facts>
      </Card>
      {isAsking ? (
        <Confirm
          title={report.public ? texts.withdrawTitle : texts.publishTitle}
          lead={report.public ? texts.withdrawLead : texts.publishLead}
          action={report.public ? texts.withdraw : texts.publish}
          run={() => publishReport(id, !report.public)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Page>
  );
}
