import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request on its way. Bytes: so many of the answer arrive, then the connection breaks. */
type Fate = 'passes' | 'stalls' | 'breaks' | { readonly status: number; readonly code: string } | number;

/** The way to a server of S3, on which requests get lost, and objects become older. */
export class S3Path implements AsyncDisposable {
  /** Method, path and query of each request: `PUT /bucket/key`. */
  readonly requests: string[] = [];
  fate: (request: string) => Fate = () => 'passes';
  readonly #server: Server;
  readonly #target: URL;
  /** Paths of objects that seem to have been written two minutes before. */
  readonly #aged = new Set<string>();

  constructor(endpoint: string) {
    this.#target = new URL(endpoint);
    this.#server = createServer((req, res) => this.#serve(req, res));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes objects two minutes older, until they are written again. */
  age(paths: readonly string[]): void {
    for (const path of paths) this.#aged.add(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  #serve(req: IncomingMessage, res: ServerResponse): void {
    const name = `${req.method} ${req.url}`;
    this.requests.push(name);
    const fate = this.fate(name);
    if (fate === 'stalls') return void req.resume();
    if (fate === 'breaks') return void req.socket.destroy();
    if (typeof fate === 'object') {
      req.resume();
      return void res.writeHead(fate.status).end(`<Error><Code>${fate.code}</Code><Message>no</Message></Error>`);
    }
    const { hostname, port } = this.#target;
    const { method, url = '/', headers } = req;
    if (method === 'PUT') this.#aged.delete(pathOf(url));
    const sent = request({ hostname, port, method, path: url, headers }, (answer) => {
      const isList = url.includes('list-type=2');
      // As servers of S3 do, it keeps connections; moto closes each.
      const { connection, ...kept } = answer.headers;
      const { 'content-length': length, ...others } = kept;
      res.writeHead(answer.statusCode ?? 502, isList ? others : kept);
      if (isList) void this.#answerList(answer, res);
      else if (typeof fate === 'number') answer.once('data', (chunk) => breakAfter(res, chunk.subarray(0, fate)));
      else answer.pipe(res);
    });
    sent.on('error', () => req.socket.destroy());
    res.on('close', () => sent.destroy());
    req.pipe(sent);
  }

  async #answerList(answer: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = (await answer.toArray()).join('');
    const [, bucket = ''] = /<Name>(.*?)<\/Name>/.exec(text) ?? [];
    res.end(
      text.replaceAll(/<Contents>.*?<\/Contents>/gs, (entry) => {
        const [, key = ''] = /<Key>(.*?)<\/Key>/.exec(entry) ?? [];
        if (!this.#aged.has(`/${bucket}/${key}`)) return entry;
        return entry.replace(/<LastModified>(.*?)</, (_, at) => `<LastModified>${twoMinutesBefore(at)}<`);
      }),
    );
  }
}

function breakAfter(res: ServerResponse, bytes: Uint8Array): void {
  res.write(bytes, () => res.destroy());
}

function pathOf(url: string): string {
  return decodeURIComponent(new URL(url, 'http://s3').pathname);
}

function twoMinutesBefore(at: string): string {
  return new Date(Date.parse(at) - 120_000).toISOString();
}
