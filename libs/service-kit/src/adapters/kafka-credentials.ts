import type { KafkaLogOptions } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import { certificateOf, certificateWithKey, contentsOf, unusable } from './tls-files.js';

/**
 * Reads the configured files at each call.
 * @throws ConfigurationError that names the variable and its file, if that cannot be read or used
 */
export async function kafkaCredentials({
  kafkaTls,
  kafkaSasl,
}: Pick<Config, 'kafkaTls' | 'kafkaSasl'>): Promise<Pick<KafkaLogOptions, 'tls' | 'sasl'>> {
  return {
    ...(kafkaTls === null ? {} : { tls: await tls(kafkaTls) }),
    ...(kafkaSasl === null ? {} : { sasl: await sasl(kafkaSasl) }),
  };
}

async function tls({ caFile, certFile, keyFile, servername }: NonNullable<Config['kafkaTls']>) {
  const ofBrokers = {
    ...(caFile === null ? {} : { ca: await certificateOf({ variable: 'KAFKA_TLS_CA_FILE', file: caFile }) }),
    ...(servername === null ? {} : { servername }),
  };
  if (certFile === null || keyFile === null) return ofBrokers;
  const cert = { variable: 'KAFKA_TLS_CERT_FILE', file: certFile };
  return { ...ofBrokers, ...(await certificateWithKey(cert, { variable: 'KAFKA_TLS_KEY_FILE', file: keyFile })) };
}

async function sasl({ mechanism, username, passwordFile }: NonNullable<Config['kafkaSasl']>) {
  const named = { variable: 'KAFKA_SASL_PASSWORD_FILE', file: passwordFile };
  const password = (await contentsOf(named)).toString('utf8').replace(/\r?\n$/, '');
  if (password === '') throw unusable(named, 'it is empty');
  return { mechanism, username, password };
}
