const NO_TRUST = 'no trusted TLS connection';

/** Codes of Node.js and OpenSSL for what is wrong with a certificate. */
const CERTIFICATE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is of another name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the authority of the certificate is not trusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the authority of the certificate is not trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the authority of the certificate is not trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the authority of the certificate is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the authority of the certificate is not trusted'],
]);
/** TLS alerts by which a receiver refuses a client certificate, or asks for one: RFC 8446, section 6.2. */
const CLIENT_REFUSED =
  /^ERR_SSL_(TLSV13_ALERT_CERTIFICATE_REQUIRED|TLSV1_ALERT_(UNKNOWN_CA|ACCESS_DENIED)|SSLV3_ALERT_(BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE))$/;

/** Says why a connection failed. Not the driver's message, which contains addresses. */
export function connectionProblem(error: Error & { readonly code?: string | number }): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  const code = String(error.code ?? '');
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  const problem = CERTIFICATE_PROBLEMS.get(code);
  if (problem !== undefined) return `${NO_TRUST}: ${problem}`;
  if (CLIENT_REFUSED.test(code)) return `${NO_TRUST}: the receiver does not accept the client certificate`;
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) return NO_TRUST;
  return 'the connection failed';
}
