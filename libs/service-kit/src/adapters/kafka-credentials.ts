import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { KafkaLogOptions } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import { ConfigurationError } from '@countersign/process';

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
    ...(caFile === null ? {} : { ca: await certificate('KAFKA_TLS_CA_FILE', caFile) }),
    ...(servername === null ? {} : { servername }),
  };
  if (certFile === null || keyFile === null) return ofBrokers;
  const cert = await certificate('KAFKA_TLS_CERT_FILE', certFile);
  const key = await contents('KAFKA_TLS_KEY_FILE', keyFile);
  usable('KAFKA_TLS_KEY_FILE', keyFile, () => createSecureContext({ cert, key }));
  return { ...ofBrokers, cert, key };
}

async function sasl({ mechanism, username, passwordFile }: NonNullable<Config['kafkaSasl']>) {
  const text = (await contents('KAFKA_SASL_PASSWORD_FILE', passwordFile)).toString('utf8');
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw unusable('KAFKA_SASL_PASSWORD_FILE', passwordFile, 'it is empty');
  return { mechanism, username, password };
}

/** Checks the certificate here, since a TLS context accepts anything as an authority. */
async function certificate(variable: string, file: string): Promise<Buffer> {
  const pem = await contents(variable, file);
  usable(variable, file, () => new X509Certificate(pem));
  return pem;
}

async function contents(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unusable(variable, file, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

function usable(variable: string, file: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    throw unusable(variable, file, (error as Error).message);
  }
}

function unusable(variable: string, file: string, why: string): ConfigurationError {
  return new ConfigurationError([`${variable} names ${file}, which cannot be used: ${why}`]);
}
