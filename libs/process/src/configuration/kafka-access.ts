import { resolve } from 'node:path';
import type { Config } from './config.js';

/** Variables of the access to Kafka, as they were read. */
export interface KafkaAccessValues {
  readonly KAFKA_TLS?: boolean | null;
  readonly KAFKA_TLS_CA_FILE?: string | null;
  readonly KAFKA_TLS_CERT_FILE?: string | null;
  readonly KAFKA_TLS_KEY_FILE?: string | null;
  readonly KAFKA_TLS_SERVERNAME?: string | null;
  readonly KAFKA_SASL_MECHANISM?: 'plain' | 'scram-sha-256' | 'scram-sha-512' | null;
  readonly KAFKA_SASL_USERNAME?: string | null;
  readonly KAFKA_SASL_PASSWORD_FILE?: string | null;
}

const OF_TLS = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE', 'KAFKA_TLS_SERVERNAME'] as const;
const SASL = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD_FILE'] as const;

/** Builds the access from its variables, without reading files. Incomplete settings are left out: see `kafkaAccessProblems`. */
export function kafkaAccess(values: KafkaAccessValues): Pick<Config, 'kafkaTls' | 'kafkaSasl'> {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD_FILE: passwordFile,
  } = values;
  return {
    kafkaTls:
      values.KAFKA_TLS === true
        ? {
            caFile: absolute(values.KAFKA_TLS_CA_FILE),
            certFile: absolute(values.KAFKA_TLS_CERT_FILE),
            keyFile: absolute(values.KAFKA_TLS_KEY_FILE),
            servername: values.KAFKA_TLS_SERVERNAME ?? null,
          }
        : null,
    kafkaSasl:
      mechanism && username && passwordFile ? { mechanism, username, passwordFile: resolve(passwordFile) } : null,
  };
}

/** Returns a line for each variable that is missing next to one that is set, or contradicts it. */
export function kafkaAccessProblems(values: KafkaAccessValues): readonly string[] {
  const problems: string[] = [];
  const named = values.KAFKA_TLS === true ? undefined : OF_TLS.find((name) => values[name]);
  if (named !== undefined) problems.push(`KAFKA_TLS must be true: ${named} is set`);
  if (values.KAFKA_TLS_CERT_FILE && !values.KAFKA_TLS_KEY_FILE) {
    problems.push('KAFKA_TLS_KEY_FILE is missing: KAFKA_TLS_CERT_FILE needs it');
  }
  if (values.KAFKA_TLS_KEY_FILE && !values.KAFKA_TLS_CERT_FILE) {
    problems.push('KAFKA_TLS_CERT_FILE is missing: KAFKA_TLS_KEY_FILE needs it');
  }
  const set = SASL.find((name) => values[name]);
  if (set === undefined) return problems;
  problems.push(...SASL.filter((name) => !values[name]).map((name) => `${name} is missing: ${set} needs it`));
  if (values.KAFKA_SASL_MECHANISM === 'plain' && values.KAFKA_TLS !== true) {
    problems.push('KAFKA_TLS must be true: KAFKA_SASL_MECHANISM=plain sends the password itself');
  }
  return problems;
}

function absolute(file: string | null | undefined): string | null {
  return file ? resolve(file) : null;
}
