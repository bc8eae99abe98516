import { connectionProblem } from './connection-problem.js';

const NO_TRUST = 'no trusted TLS connection';
const UNTRUSTED = `${NO_TRUST}: the authority of the certificate is not trusted`;
const CLIENT = `${NO_TRUST}: the receiver does not accept the client certificate`;

describe('why a connection failed', () => {
  it.each([
    ['ECONNREFUSED', 'the connection was refused'],
    ['ECONNRESET', 'the connection failed'],
    ['CERT_HAS_EXPIRED', `${NO_TRUST}: the certificate has expired`],
    ['ERR_TLS_CERT_ALTNAME_INVALID', `${NO_TRUST}: the certificate is of another name`],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', UNTRUSTED],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', CLIENT],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', CLIENT],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', CLIENT],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', NO_TRUST],
    ['EPROTO', NO_TRUST],
  ])('says for %s: %s', (code, problem) => {
    expect(connectionProblem(Object.assign(new Error('connect 10.0.0.1:443'), { code }))).toBe(problem);
  });

  it('says that a deadline has passed', () => {
    expect(connectionProblem(new DOMException('', 'TimeoutError'))).toBe('no answer in time');
  });
});
