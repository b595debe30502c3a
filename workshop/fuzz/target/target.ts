import { Agent } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Task } from '@switchyard/protocol';
import { z } from 'zod';
import { userMessage } from '../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { submit } from '../../../tests/support/rest.ts';
import { until } from '../../../tests/support/until.ts';

interface Running {
  readonly gateway: Program;
  readonly worker: Program;
  readonly url: string;
  readonly grpcUrl: string;
  readonly coverageUrl: string;
}

/** A gateway and a worker as processes, to which anything may be sent. */
export class Target implements AsyncDisposable {
  readonly url: string;
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** Ids of tasks that there are: done, waiting for input, running. */
  taskIds: readonly string[] = [];
  readonly #running: Running;
  #session: ClientHttp2Session | undefined;
  /** Of the gateway's log, and of the worker's. */
  readonly #linesRead = [0, 0];

  private constructor(running: Running) {
    this.url = running.url;
    this.#running = running;
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
      args: ['--agents', 'examples/echo/agent.ts', 'workshop/fuzz/agents/skilled.ts'],
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
    const local = 'http://127.0.0.1';
    const urls = { url, grpcUrl: `${local}:${grpcPort}`, coverageUrl: `${local}:${port}` };
    const target = new Target({ gateway, worker, ...urls });
    const isServed = async (): Promise<boolean> => (await fetch(`${url}/agents/echo/.well-known/agent-card.json`)).ok;
    await until(isServed, { what: 'the agent is served', timeoutMs: 30_000 });
    await target.seed();
    return target;
  }

  /** Makes tasks anew: those of before may be deleted, or have expired. */
  async seed(): Promise<void> {
    const tasks: Task[] = [];
    for (const text of ['hello', 'ask', 'slow 500']) tasks.push(await submit(this.url, userMessage(text)));
    this.taskIds = tasks.map(({ id }) => id);
  }

  get session(): ClientHttp2Session {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.#running.grpcUrl);
      this.#session.on('error', () => this.#session?.destroy());
    }
    return this.#session;
  }

  /** Runs until now, and since the last time this was asked. */
  async branches(): Promise<readonly string[]> {
    return z.array(z.string()).parse(await (await fetch(`${this.#running.coverageUrl}/branches`)).json());
  }

  async heapBytes(): Promise<number> {
    const answer = await (await fetch(this.#running.coverageUrl)).json();
    return z.object({ heapBytes: z.number() }).parse(answer).heapBytes;
  }

  get #programs(): Program[] {
    return [this.#running.gateway, this.#running.worker];
  }

  get isAlive(): boolean {
    return this.#programs.every((program) => program.isRunning());
  }

  /** Lines of errors, and what is no line of the log, since the last time this was asked. */
  faults(): readonly string[] {
    const fresh = this.#programs.flatMap((program, n) => {
      const read = this.#linesRead[n] ?? 0;
      const lines = program.output().split('\n').slice(read, -1);
      this.#linesRead[n] = read + lines.length;
      return lines;
    });
    return fresh.filter((line) => /"level":(?:50|60|"error"|"fatal")/.test(line) || /^\s+at /.test(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy();
    this.#session?.destroy();
    await Promise.all(this.#programs.map((program) => program.stop()));
  }
}
