import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function openssl(args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync('openssl', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${error?.message ?? stderr}`);
}

export interface Certified {
  readonly cert: string;
  readonly key: string;
  /** Key and certificate in one file, in the format of brokers. */
  readonly file: string;
}

/** A certificate authority for one test, in a folder that the test removes. */
export class TestAuthority {
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
    const itself = ['-x509', '-days', '2', '-subj', `/CN=${name}`, '-addext', 'basicConstraints=critical,CA:TRUE'];
    openssl(['req', ...newKey(`${name}.key`), '-out', `${name}.pem`, ...itself], folder);
  }

  get file(): string {
    return join(this.#folder, `${this.#name}.pem`);
  }

  get cert(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** @param alternative a subjectAltName as OpenSSL writes it: `DNS:localhost` */
  issue(name: string, alternative: string): Certified {
    const at = (suffix: string) => join(this.#folder, `${name}.${suffix}`);
    writeFileSync(at('ext'), `subjectAltName=${alternative}\n`);
    openssl(['req', ...newKey(at('key')), '-out', at('csr'), '-subj', `/CN=${name}`], this.#folder);
    const by = ['-CA', `${this.#name}.pem`, '-CAkey', `${this.#name}.key`, '-CAcreateserial', '-extfile', at('ext')];
    openssl(['x509', '-req', '-in', at('csr'), '-out', at('pem'), '-days', '2', ...by], this.#folder);
    const [cert, key] = [readFileSync(at('pem'), 'utf8'), readFileSync(at('key'), 'utf8')];
    writeFileSync(at('both'), key + cert);
    return { cert, key, file: at('both') };
  }
}

function newKey(file: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file];
}
