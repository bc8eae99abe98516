import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { KafkaLogOptions, KafkaSasl } from './options.js';

/** Credentials and encryption of every connection to a broker. */
export interface BrokerAccess {
  readonly clientId: string;
  /** `null`: not encrypted. */
  readonly tls: { readonly context: SecureContext; readonly servername: string | null } | null;
  readonly sasl: KafkaSasl | null;
}

/** @throws where certificate or key cannot be used */
export function brokerAccess({
  clientId,
  tls,
  sasl,
}: Pick<KafkaLogOptions, 'clientId' | 'tls' | 'sasl'>): BrokerAccess {
  if (tls === undefined) return { clientId, tls: null, sasl: sasl ?? null };
  const { servername = null, ...material } = tls === true ? {} : tls;
  return { clientId, tls: { context: createSecureContext(material), servername }, sasl: sasl ?? null };
}
