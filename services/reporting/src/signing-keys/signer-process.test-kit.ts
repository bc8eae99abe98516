import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The small external signer in a process of its own. */
export class SignerProcess {
  private constructor(
    readonly url: string,
    readonly child: ChildProcess,
  ) {}

  static async start(token: string): Promise<SignerProcess> {
    const module = fileURLToPath(new URL('./signer-process.test-child.js', import.meta.url));
    const env = { PATH: process.env['PATH'] ?? '', SIGNER_TOKEN: token };
    const child = spawn(process.execPath, [module], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return new SignerProcess(line.toString('utf8').trim(), child);
  }

  /** Sets its behaviour for signature requests. */
  async behave(how: 'well' | 'wrong' | 'slow' | 'broken' | 'foreign'): Promise<void> {
    await fetch(`${this.url}/behave/${how}`, { method: 'POST' });
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
