import type { AgentFacts, AgentHeadFacts, AnchorFacts, ReportFacts, SigningKeyFacts } from '@countersign/contracts';
import type { LogBatch, LogRecord } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import { registeredAgent } from './look-up-agent/registered-agent.js';
import type { PublicFact, PublicFacts } from './store/port.js';

/** Stores the public facts of a batch of one of the topics that this service reads. */
export async function keepFacts(facts: PublicFacts, batch: LogBatch): Promise<void> {
  const kept = batch.records.map(factOf).filter((fact) => fact !== null);
  const last = batch.records.at(-1);
  if (last !== undefined) await facts.keep(kept, batch.topic, batch.partition, last.offset + 1, batch.from);
}

function factOf(message: LogRecord): PublicFact | null {
  switch (message.topic) {
    case 'signing-keys':
      return { kind: 'key', ...stripped(readVersionedRecord<SigningKeyFacts>(message)) };
    case 'reports':
      return { kind: 'report', ...stripped(readVersionedRecord<ReportFacts>(message)) };
    case 'anchors':
      return anchorFact(stripped(readVersionedRecord<AnchorFacts>(message)));
    case 'agents':
      return agentFact(readVersionedRecord<AgentFacts>(message));
    case 'agent-heads':
      return { kind: 'agent-head', ...stripped(readVersionedRecord<AgentHeadFacts>(message)) };
    default:
      throw new Error(`verification does not read ${message.topic}`);
  }
}

interface Versioned<T> {
  readonly id: string;
  readonly version: number;
  readonly value: T | null;
}

function stripped<T>({ id, version, value }: Versioned<T>): Versioned<T> {
  return { id, version, value };
}

/** Of an agent without a registration only the version is stored. */
function agentFact({ id, version, value }: Versioned<AgentFacts>): PublicFact {
  return { kind: 'agent', id, version, value: value === null ? null : registeredAgent(id, value) };
}

function anchorFact({ version, value }: Versioned<AnchorFacts>): PublicFact | null {
  if (value?.kind === 'authority') return { kind: 'authority', id: value.address, version, value };
  if (value?.kind === 'report') return { kind: 'report-anchor', id: value.reportId, version, value };
  return null;
}
