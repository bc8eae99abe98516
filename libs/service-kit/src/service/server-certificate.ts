import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Listener, ServerCertificate } from '@countersign/http-edge';
import { explain, type Config } from '@countersign/process';
import { certificateWithKey } from '../adapters/tls-files.js';

type TlsFiles = NonNullable<Config['tls']>;

const LOOK_MS = 60_000;

/**
 * Reads the certificate of the public address.
 * @throws ConfigurationError that names the variable and its file, if that cannot be read or used
 */
export function readServerCertificate({ certFile, keyFile }: TlsFiles): Promise<ServerCertificate> {
  return certificateWithKey(
    { variable: 'COUNTERSIGN_TLS_CERT_FILE', file: certFile },
    { variable: 'COUNTERSIGN_TLS_KEY_FILE', file: keyFile },
  );
}

/**
 * Looks at the files every `lookMs` and uses a renewed certificate for new connections. Files that cannot be used, such as
 * a certificate whose key has not been written yet, change nothing and are logged once for each reason. Publishes the end
 * of the certificate in use as a metric.
 * @returns a function that ends it
 */
export function followServerCertificate(
  files: TlsFiles,
  first: ServerCertificate,
  listener: Pick<Listener, 'useCertificate'>,
  { log, metrics }: { readonly log: Logger; readonly metrics: Registry },
  lookMs = LOOK_MS,
): () => void {
  let used = first;
  let warned = '';
  const gauge = new Gauge({
    name: 'countersign_tls_certificate_end_seconds',
    help: 'Unix time at which the certificate of the public address ends',
    registers: [metrics],
  });
  const publish = (): void => gauge.set(endOf(used).getTime() / 1000);
  const look = async (): Promise<void> => {
    const read = await readServerCertificate(files);
    warned = '';
    if (read.cert.equals(used.cert) && read.key.equals(used.key)) return;
    listener.useCertificate(read);
    used = read;
    publish();
    log.info({ endsAt: endOf(read).toISOString() }, 'new connections use the renewed certificate');
  };
  publish();
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      const why = explain(error);
      if (why !== warned) log.warn({ why }, 'the certificate in use stays: the files cannot be used');
      warned = why;
    });
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

function endOf({ cert }: ServerCertificate): Date {
  return new Date(new X509Certificate(cert).validTo);
}
