import type { EventWriter } from '@countersign/event-log';
import type { AnchorStore } from '../store/port.js';
import { CHUNK_AGENTS, chunksOf, cutRecord, reportRecord, windowRecord } from './anchor-records.js';

const CUTS = 100;
const WINDOWS = 20;
const REPORTS = 100;

/**
 * The outbox of anchoring: each record follows from a stored row, so the row with its mark is all that is kept. What a
 * crash left unmarked is published again, unchanged.
 */
export class AnchorPublisher {
  readonly #log: EventWriter;
  readonly #store: AnchorStore;

  constructor(log: EventWriter, store: AnchorStore) {
    this.#log = log;
    this.#store = store;
  }

  async publishCuts(): Promise<void> {
    for (;;) {
      const cuts = await this.#store.unpublishedCuts(CUTS);
      if (cuts.length === 0) return;
      await this.#log.append(cuts.map(cutRecord));
      await this.#store.markCutsPublished(cuts.map((cut) => cut.windowId));
    }
  }

  async publishAnchored(): Promise<void> {
    for (;;) {
      const windows = await this.#store.unpublishedWindows(WINDOWS);
      const reports = await this.#store.unpublishedReports(REPORTS);
      if (windows.length === 0 && reports.length === 0) return;
      for (const { window, fromChunk } of windows) {
        for (let chunk = fromChunk; chunk < chunksOf(window); chunk += 1) {
          const agents = await this.#store.windowAgents(window.windowId, chunk * CHUNK_AGENTS, CHUNK_AGENTS);
          await this.#log.append([windowRecord(window, chunk, agents)]);
          await this.#store.markChunkPublished(window.windowId, chunk, chunk + 1 === chunksOf(window));
        }
      }
      if (reports.length === 0) continue;
      await this.#log.append(reports.map(reportRecord));
      await this.#store.markReportsPublished(reports.map((report) => report.reportId));
    }
  }
}
