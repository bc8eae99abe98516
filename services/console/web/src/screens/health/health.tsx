import type { ReactNode } from 'react';
import type { AnchoringState } from '@countersign/contracts';
import { useAnchoring, useReadiness } from '../../api/health.js';
import { areAwaited } from '../../api/client.js';
import { useInstallation } from '../../api/installation.js';
import { useSigningKeys } from '../../api/settings.js';
import { FeedLabel } from '../../live/feed-label.js';
import { useFeedState } from '../../live/feed.js';
import { hrefOf } from '../../location.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Page } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Time, timeText } from '../../parts/time.js';
import { usePreferences } from '../../preferences.js';
import { number } from '../../words/en.js';
import { healthWords } from '../../words/health.js';
import type { ScreenProps } from '../screen-props.js';
import { Completeness } from './completeness.js';
import { Installation } from './installation.js';
import type { Tone } from './installation-lines.js';

/** How long after its time an event may wait for the chain, ms. */
const LATE_MS = 120_000;
const LOCAL = 'solana:localnet';

/** `/health`: whether checks are decided, events are anchored, and nothing is missing; for admins also the state of the services. */
export function Health({ session }: ScreenProps): ReactNode {
  const readiness = useReadiness();
  const anchoring = useAnchoring();
  const installation = useInstallation(session.user.role);
  const feed = useFeedState();
  const { localTimes } = usePreferences();
  const late = lateSince(anchoring.data);
  return (
    <Page
      title={healthWords.title}
      isLoading={areAwaited([readiness, anchoring, installation])}
      actions={<FeedLabel />}
    >
      {readiness.error === null ? null : (
        <Problem what={healthWords.readinessFailed} error={readiness.error} retry={() => void readiness.refetch()} />
      )}
      {anchoring.error === null ? null : (
        <Problem what={healthWords.anchoringFailed} error={anchoring.error} retry={() => void anchoring.refetch()} />
      )}
      <dl className="totals">
        <State name={healthWords.ready} {...readyState(readiness.error === null ? readiness.data?.ready : undefined)} />
        <State name={healthWords.anchoring} {...anchoringStateOf(anchoring.data, late)} />
        <State
          name={healthWords.feed}
          text={healthWords.feedStates[feed.kind]}
          tone={feed.kind === 'live' ? 'good' : feed.kind === 'waiting' ? 'bad' : 'held'}
        />
      </dl>
      {readiness.data === undefined || readiness.data.waitingFor.length === 0 ? null : (
        <ul className="offline">
          {readiness.data.waitingFor.map((what) => (
            <li key={what}>
              <Foreign text={what} />
            </li>
          ))}
        </ul>
      )}
      {late === null ? null : (
        <p className="offline" role="status">
          {healthWords.lateLead(timeText(late, localTimes))}
        </p>
      )}
      <Installation role={session.user.role} />
      {anchoring.data === undefined ? null : <Anchoring state={anchoring.data} />}
      <Completeness />
    </Page>
  );
}

/** When the oldest event was due that is late; `null`: none is. */
function lateSince(state: AnchoringState | undefined): string | null {
  const due = state?.oldestUnanchored?.dueBy;
  return due !== undefined && Date.now() - Date.parse(due) > LATE_MS ? due : null;
}

function readyState(isReady: boolean | undefined): { readonly text: string; readonly tone: Tone } {
  if (isReady === undefined) return { text: healthWords.unknown, tone: 'held' };
  return isReady ? { text: healthWords.isReady, tone: 'good' } : { text: healthWords.notReady, tone: 'bad' };
}

function anchoringStateOf(
  state: AnchoringState | undefined,
  late: string | null,
): { readonly text: string; readonly tone: Tone } {
  if (state === undefined) return { text: healthWords.unknown, tone: 'held' };
  if (state.events === 0) return { text: healthWords.nothing, tone: 'plain' };
  return late === null ? { text: healthWords.onTime, tone: 'good' } : { text: healthWords.late, tone: 'bad' };
}

function State({ name, text, tone }: { readonly name: string; readonly text: string; readonly tone: Tone }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={`state-mark ${tone}`} aria-hidden="true" />
        {text}
      </dd>
    </div>
  );
}

function Anchoring({ state }: { readonly state: AnchoringState }): ReactNode {
  const { data: keys } = useSigningKeys();
  const { facts } = healthWords;
  const { oldestUnanchored: oldest, newestWindow: newest } = state;
  const networks = [...new Set(keys?.anchorAuthorities.map(({ network }) => network))];
  return (
    <Card title={healthWords.anchoring}>
      <Facts>
        {networks.length === 0 ? null : (
          <Fact name={facts.networks}>
            <Foreign text={networks.join(', ')} />
          </Fact>
        )}
        {state.cadenceSeconds === null ? null : <Fact name={facts.cadence}>{facts.seconds(state.cadenceSeconds)}</Fact>}
        <Fact name={facts.events}>{number(state.events)}</Fact>
        <Fact name={facts.unanchored}>{number(state.unanchored)}</Fact>
        {oldest === null ? null : (
          <>
            <Fact name={facts.oldest}>
              <a href={hrefOf(`/events/${oldest.eventId}`)}>
                <Time iso={oldest.occurredAt} zone />
              </a>
            </Fact>
            <Fact name={facts.due}>
              <Time iso={oldest.dueBy} zone />
            </Fact>
          </>
        )}
        {newest === null ? null : (
          <>
            <Fact name={facts.newest}>
              <Time iso={newest.windowEnd} zone />
            </Fact>
            <Fact name={facts.root}>
              <code className="wrap">{newest.merkleRoot}</code> <Copy text={newest.merkleRoot} />
            </Fact>
            <Fact name={facts.transaction}>
              <code className="wrap">{newest.txSignature}</code> <Copy text={newest.txSignature} />
            </Fact>
          </>
        )}
      </Facts>
      {networks.includes(LOCAL) ? <p className="hint">{healthWords.local}</p> : null}
    </Card>
  );
}
