import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { z } from 'zod';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';

const sent = z.object({ task: z.object({ id: z.string() }) });

/** A gateway and a worker as processes, to which anything may be sent. */
export class Target implements AsyncDisposable {
  readonly url: string;
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** Ids of tasks that there are: done, waiting for input, running. */
  taskIds: readonly string[] = [];
  readonly #gateway: Program;
  readonly #worker: Program;
  readonly #coverageUrl: string;
  readonly #grpcUrl: string;
  #session: ClientHttp2Session | undefined;
  /** Of the gateway's log, and of the worker's. */
  readonly #linesRead = [0, 0];

  private constructor(gateway: Program, worker: Program, urls: { url: string; grpcUrl: string; coverageUrl: string }) {
    this.#gateway = gateway;
    this.#worker = worker;
    this.url = urls.url;
    this.#grpcUrl = urls.grpcUrl;
    this.#coverageUrl = urls.coverageUrl;
  }

  static async open(redisUrl: string): Promise<Target> {
    const env = {
      REDIS_URL: redisUrl,
      KEY_PREFIX: uniquePrefix(),
      // Nothing is kept for long: a million requests must not fill Redis.
      ...{ RETENTION_MS: '60000', REPLAY_MS: '30000', IDEMPOTENCY_MS: '60000', INTERRUPTED_RETENTION_MS: '60000' },
      ...{ PREVIEW_1_1: 'on', BLOCKING_WAIT_MS: '50', MAX_POLL_WAIT_MS: '50' },
      ...{ PUSH_SECRET: Buffer.alloc(32, 7).toString('base64') },
    };
    const worker = await startProgram({
      file: 'apps/worker/src/main.ts',
      args: ['--agents', 'examples/echo/agent.ts'],
      env: { ...env, LOG_LEVEL: 'error' },
    });
    const gateway = await startProgram({
      file: '--expose-gc',
      args: ['workshop/fuzz/target/gateway-process.ts'],
      env: { ...env, PORT: '0', GRPC_PORT: '0', LOG_LEVEL: 'info', DEFAULT_AGENT: 'echo' },
    });
    const [, port = ''] = await gateway.waitFor(/coverage at (\d+)/, 30_000);
    const [, url = ''] = await gateway.waitFor(/"url":"(http[^"]+)","msg":"listening"/, 30_000);
    const [, grpcPort = ''] = await gateway.waitFor(/"grpcPort":(\d+)/, 30_000);
    const coverageUrl = `http://127.0.0.1:${port}`;
    const target = new Target(gateway, worker, { url, grpcUrl: `http://127.0.0.1:${grpcPort}`, coverageUrl });
    await until(() => target.#isServed(), { what: 'the agent is served', timeoutMs: 30_000 });
    await target.seed();
    return target;
  }

  /** Makes tasks anew: those of before may be deleted, or have expired. */
  async seed(): Promise<void> {
    this.taskIds = [await this.#task('hello'), await this.#task('ask'), await this.#task('slow 500')];
  }

  get session(): ClientHttp2Session {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.#grpcUrl);
      this.#session.on('error', () => this.#session?.destroy());
    }
    return this.#session;
  }

  /** Runs until now, and since the last time this was asked. */
  async branches(): Promise<readonly string[]> {
    return z.array(z.string()).parse(await (await fetch(`${this.#coverageUrl}/branches`)).json());
  }

  async heapBytes(): Promise<number> {
    const answer = await (await fetch(this.#coverageUrl)).json();
    return z.object({ heapBytes: z.number() }).parse(answer).heapBytes;
  }

  get isAlive(): boolean {
    return this.#gateway.isRunning() && this.#worker.isRunning();
  }

  /** Lines of errors, and what is no line of the log, since the last time this was asked. */
  faults(): readonly string[] {
    const fresh = [this.#gateway, this.#worker].flatMap((program, n) => {
      const lines = program
        .output()
        .split('\n')
        .slice(this.#linesRead[n] ?? 0, -1);
      this.#linesRead[n] = (this.#linesRead[n] ?? 0) + lines.length;
      return lines;
    });
    return fresh.filter((line) => /"level":(?:50|60|"error"|"fatal")/.test(line) || /^\s+at /.test(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy();
    this.#session?.destroy();
    await Promise.all([this.#gateway.stop(), this.#worker.stop()]);
  }

  async #isServed(): Promise<boolean> {
    return (await fetch(`${this.url}/agents/echo/.well-known/agent-card.json`)).ok;
  }

  async #task(text: string): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    const response = await fetch(`${this.url}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
    });
    return sent.parse(await response.json()).task.id;
  }
}
