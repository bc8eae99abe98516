import { duplicatesOf } from '@countersign/document-store';
import type { Collections, Submitted, WindowDocument } from './mongo-collections.js';
import type { MongoRoot } from './mongo-root.js';
import { bytesOf } from './mongo-rows.js';
import { closedWindowOf } from './mongo-windows.js';
import { LeadEnded, type AnchoredWindow, type AnchorStore, type Submission } from './port.js';

type AnchorMethods =
  | 'requestReports'
  | 'openSubmissions'
  | 'saveSubmission'
  | 'saveAnchored'
  | 'unpublishedWindows'
  | 'markChunkPublished'
  | 'unpublishedReports'
  | 'markReportsPublished'
  | 'windowAt'
  | 'labelsBetween'
  | 'places'
  | 'waiting';

interface Queued extends Submission {
  readonly rev: number;
  readonly queuedAtMs: number;
}

/** A change of a submission, conditional on no other change since it was read. */
interface Step {
  readonly filter: { readonly _id: string; readonly todo: 'submit'; readonly term: number; readonly rev: number };
  readonly update: {
    readonly $set: Partial<Submitted> & { readonly todo?: 'publish' };
    readonly $inc: { readonly rev: 1 };
  };
}

/** Submissions to the chain, their transactions, and which of them are published. */
export function mongoAnchors(
  root: MongoRoot,
  { windows, reports, agents, windowAgents }: Collections,
): Pick<AnchorStore, AnchorMethods> {
  /** Of each memo as this leader last saw it. */
  const revs = new Map<string, number>();

  /** Those to be submitted, claimed: what a leader of an older term still saves finds nothing to change. */
  async function claimed(limit: number): Promise<Queued[]> {
    const { term } = root;
    const claim = (_id: string): { updateOne: { filter: object; update: object } } => ({
      updateOne: { filter: { _id, todo: 'submit', term: { $lt: term } }, update: { $set: { term } } },
    });
    const openWindows = async () => windows.find({ todo: 'submit' }).sort({ todo: 1, n: 1 }).limit(limit).toArray();
    const openReports = async () =>
      reports.find({ todo: 'submit' }).sort({ todo: 1, queuedAtMs: 1 }).limit(limit).toArray();
    let [w, r] = await Promise.all([openWindows(), openReports()]);
    const olderWindows = w.filter((one) => one.term < term);
    const olderReports = r.filter((one) => one.term < term);
    if (olderWindows.length > 0) await windows.bulkWrite(olderWindows.map(({ _id }) => claim(_id)));
    if (olderReports.length > 0) await reports.bulkWrite(olderReports.map(({ _id }) => claim(_id)));
    if (olderWindows.length + olderReports.length > 0) [w, r] = await Promise.all([openWindows(), openReports()]);
    const queued = [
      ...w.map((one) => queuedOf(`window:${one._id}`, one)),
      ...r.map((one) => queuedOf(`report:${one._id}`, one)),
    ];
    return queued.sort((a, b) => a.queuedAtMs - b.queuedAtMs).slice(0, limit);
  }

  async function step(id: string, change: Step['update']['$set']): Promise<void> {
    const { term } = root;
    const _id = id.slice(id.indexOf(':') + 1);
    const isWindow = id.startsWith('window:');
    const stored = async () => (isWindow ? windows.findOne({ _id }) : reports.findOne({ _id }));
    const rev = revs.get(id) ?? (await stored())?.rev ?? 0;
    // Until it is known to have been saved nothing is known.
    revs.delete(id);
    const { filter, update }: Step = {
      filter: { _id, todo: 'submit', term, rev },
      update: { $set: change, $inc: { rev: 1 } },
    };
    const { matchedCount } = isWindow
      ? await windows.updateOne(filter, update)
      : await reports.updateOne(filter, update);
    if (matchedCount === 0) throw new LeadEnded(`${id} was changed by another instance, or by a write that came late`);
    revs.set(id, rev + 1);
  }

  return {
    async requestReports(requested, { topic, partition, next }) {
      const { term } = root;
      if (requested.length > 0) {
        const adds = requested.map(({ reportId, contentHash, memo }, i) => ({
          updateOne: {
            filter: { _id: reportId },
            update: {
              $setOnInsert: {
                contentHash,
                memo,
                attempts: [],
                landed: null,
                rev: 0,
                term,
                todo: 'submit' as const,
                queuedAtMs: Date.now() + i / 1_000,
              },
            },
            upsert: true,
          },
        }));
        await reports.bulkWrite(adds, { ordered: false }).catch(duplicatesOf);
      }
      const saved = (await root.read()).positions[topic]?.[partition] ?? 0;
      if (next > saved) await root.setPosition(topic, partition, next);
    },

    async openSubmissions(limit) {
      const queued = await claimed(limit);
      revs.clear();
      return queued.map(({ rev, queuedAtMs: _queuedAtMs, ...submission }) => {
        revs.set(submission.id, rev);
        return submission;
      });
    },

    saveSubmission: ({ id, attempts, landed }) => step(id, { attempts, landed }),

    saveAnchored: (id, { signature, slot, blockHeight, anchoredAt, network, authority }) =>
      step(id, { anchored: { signature, slot, blockHeight, anchoredAt, network, authority }, todo: 'publish' }),

    async unpublishedWindows(limit) {
      const found = await windows.find({ todo: 'publish' }).sort({ n: 1 }).limit(limit).toArray();
      return found.flatMap((window) => {
        const anchored = anchoredWindowOf(window);
        return anchored === null ? [] : [{ window: anchored, fromChunk: window.chunks ?? 0 }];
      });
    },

    async markChunkPublished(windowId, chunk, last) {
      const { term } = root;
      await windows.updateOne(
        { _id: windowId, todo: 'publish', term: { $lte: term } },
        { $set: { chunks: chunk + 1, todo: last ? 'done' : 'publish', term } },
      );
    },

    async unpublishedReports(limit) {
      const found = await reports.find({ todo: 'publish' }).limit(limit).toArray();
      return found.flatMap(({ _id: reportId, contentHash, anchored }) =>
        anchored === undefined ? [] : [{ reportId, contentHash, ...anchored }],
      );
    },

    async markReportsPublished(reportIds) {
      if (reportIds.length === 0) return;
      const { term } = root;
      await reports.bulkWrite(
        reportIds.map((_id) => ({
          updateOne: {
            filter: { _id, todo: 'publish', term: { $lte: term } },
            update: { $set: { todo: 'done' as const, term } },
          },
        })),
      );
    },

    async windowAt(cadence, startMs) {
      const found = await windows.findOne({ cadence, startMs });
      const closed = found === null ? null : closedWindowOf(found);
      return closed === null ? null : { closed, landed: found?.anchored ?? null };
    },

    async labelsBetween(fromMs, toMs, limit) {
      const found = await windows
        .find({ endMs: { $gt: fromMs }, startMs: { $lt: toMs }, root: { $exists: true } })
        .sort({ startMs: 1, cadence: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ cadence: cadenceSeconds, startMs }) => ({ cadenceSeconds, startMs }));
    },

    async places(agentId, first, last) {
      const agent = await agents.findOne({ _id: agentId });
      if (agent === null) return [];
      const [around] = await windowAgents
        .find({ agentN: agent.n, first: { $lte: first } }, { projection: { first: 1 } })
        .sort({ agentN: -1, first: -1 })
        .limit(1)
        .toArray();
      const rows = await windowAgents
        .find({ agentN: agent.n, first: { $gte: around?.first ?? 0, $lte: last } })
        .sort({ agentN: 1, first: 1 })
        .toArray();
      const found = await windows.find({ _id: { $in: rows.map(({ windowId }) => windowId) } }).toArray();
      const anchored = new Map(found.map((window) => [window._id, anchoredWindowOf(window)]));
      return rows.flatMap(({ windowId, leafIndex, first: firstSequence, last: lastSequence, root: agentRoot }) => {
        const window = anchored.get(windowId) ?? null;
        if (window === null || lastSequence < first) return [];
        const kept = { agentKey: bytesOf(agent.key), root: bytesOf(agentRoot) };
        return [{ window, leafIndex, firstSequence, lastSequence, ...kept }];
      });
    },

    async waiting() {
      const { pending } = await root.read();
      const open = await windows.countDocuments({ todo: { $in: ['publish-cut', 'close', 'submit'] } });
      const newest = await Promise.all(
        (['publish', 'done'] as const).map((todo) =>
          windows.find({ todo }).sort({ todo: -1, n: -1 }).limit(1).toArray(),
        ),
      );
      const [last] = newest.flat().sort((a, b) => b.n - a.n);
      return { windows: open + (pending?.windows.length ?? 0), lastAnchoredEndMs: last?.endMs ?? null };
    },
  };
}

function queuedOf(id: string, { memo = '', attempts = [], landed = null, rev = 0, queuedAtMs = 0 }: Submitted): Queued {
  return { id, memo, attempts, landed, rev, queuedAtMs };
}

function anchoredWindowOf(document: WindowDocument): AnchoredWindow | null {
  const closed = closedWindowOf(document);
  return closed === null || document.anchored === undefined ? null : { ...closed, ...document.anchored };
}
