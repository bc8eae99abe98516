import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { StreamCredentials } from '@countersign/contracts';
import type { TlsIdentity } from '@countersign/service-kit';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The problem of authorities, client certificate and key; `null`: there is none. */
export function certificatesProblem({ ca, clientCertificate, clientKey }: StreamCredentials): string | null {
  if (ca !== undefined && certificatesOf(ca) === null) return 'credentials.ca must be certificates in PEM';
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    return 'credentials.clientCertificate and credentials.clientKey are given together, or neither';
  }
  if (clientCertificate === undefined || clientKey === undefined) return null;
  const [own] = certificatesOf(clientCertificate) ?? [];
  if (own === undefined) return 'credentials.clientCertificate must be certificates in PEM, its own one first';
  const key = keyOf(clientKey);
  if (key === null) return 'credentials.clientKey must be a private key in PEM, without a passphrase';
  return own.checkPrivateKey(key) ? null : 'credentials.clientKey is not the key of credentials.clientCertificate';
}

export function identityOf({ ca, clientCertificate, clientKey }: StreamCredentials): TlsIdentity {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
    ...(clientKey === undefined ? {} : { key: clientKey }),
  };
}

/** `null`: there is none, or one that cannot be read. */
function certificatesOf(pem: string): readonly X509Certificate[] | null {
  try {
    const all = (pem.match(CERTIFICATE) ?? []).map((each) => new X509Certificate(each));
    return all.length === 0 ? null : all;
  } catch {
    return null;
  }
}

function keyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return null;
  }
}
