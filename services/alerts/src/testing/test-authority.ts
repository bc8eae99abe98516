import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certified {
  /** Certificate and private key, PEM. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority for one test, in a folder that the test removes. */
export class TestAuthority {
  /** Its own certificate and key. */
  readonly itself: Certified;
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
    const itself = ['-x509', '-days', '2', '-subj', `/CN=${name}`, '-addext', 'basicConstraints=critical,CA:TRUE'];
    this.#openssl(['req', ...newKey(`${name}.key`), '-out', `${name}.pem`, ...itself]);
    this.itself = this.#read(name);
  }

  get cert(): string {
    return this.itself.cert;
  }

  /**
   * @param alternative a subjectAltName as OpenSSL writes it: `DNS:localhost`
   * @param days 0: it has expired a second later
   */
  issue(name: string, alternative: string, days = 2): Certified {
    writeFileSync(join(this.#folder, `${name}.ext`), `subjectAltName=${alternative}\n`);
    this.#openssl(['req', ...newKey(`${name}.key`), '-out', `${name}.csr`, '-subj', `/CN=${name}`]);
    const by = [
      '-CA',
      `${this.#name}.pem`,
      '-CAkey',
      `${this.#name}.key`,
      '-CAcreateserial',
      '-extfile',
      `${name}.ext`,
    ];
    this.#openssl(['x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', String(days), ...by]);
    return this.#read(name);
  }

  #read(name: string): Certified {
    const read = (suffix: string): string => readFileSync(join(this.#folder, `${name}.${suffix}`), 'utf8');
    return { cert: read('pem'), key: read('key') };
  }

  #openssl(args: readonly string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}

function newKey(file: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file];
}
