import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answer to a request: `client-cases/README.md`. */
export type Played =
  | 'close'
  | 'silent'
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cutAt?: number;
    };

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Plays the answers of a case, one per request; the last one repeats. Without answers it does not listen. */
export class FaultServer {
  readonly seen: SeenRequest[] = [];

  private constructor(
    readonly address: string,
    private readonly server: Server,
  ) {}

  static async start(answers: readonly Played[]): Promise<FaultServer> {
    const server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const body = JSON.parse(text) as SeenRequest['body'];
        playing.seen.push({ path: request.url ?? '', headers: request.headers, body });
        const answer = answers[Math.min(playing.seen.length, answers.length) - 1];
        if (answer === 'close') request.socket.destroy();
        else if (answer !== 'silent' && answer !== undefined) play(response, answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const playing = new FaultServer(address, server);
    if (answers.length === 0) await playing.stop();
    return playing;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function play(response: ServerResponse, { status, body, headers = {}, cutAt }: Exclude<Played, string>): void {
  const content = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const length = status === 204 ? {} : { 'content-length': String(content.length) };
  response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
  if (cutAt === undefined) {
    response.end(status === 204 ? undefined : content);
    return;
  }
  response.write(content.subarray(0, cutAt), () => response.destroy());
}
