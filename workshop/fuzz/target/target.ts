import { Agent } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Task } from '@switchyard/protocol';
import { z } from 'zod';
import { userMessage } from '../../../tests/support/messages.ts';
import { submit } from '../../../tests/support/rest.ts';
import { type GatewayProcess, type Stack, startStack } from '../../../tests/support/stack.ts';

const coverage = new URL('coverage.ts', import.meta.url).href;

const env = {
  // A short retention: a million requests must not fill Redis.
  ...{ RETENTION_MS: '60000', REPLAY_MS: '30000', IDEMPOTENCY_MS: '60000', INTERRUPTED_RETENTION_MS: '60000' },
  ...{ PREVIEW_1_1: 'on', BLOCKING_WAIT_MS: '50', MAX_POLL_WAIT_MS: '50' },
  ...{ PUSH_SECRET: Buffer.alloc(32, 7).toString('base64'), LOG_LEVEL: 'info' },
  NODE_OPTIONS: `--import=${coverage} --expose-gc`,
};

/** A gateway and a worker as processes, to which any input can be sent. */
export class Target implements AsyncDisposable {
  readonly url: string;
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** Ids of existing tasks: completed, waiting for input, running. */
  taskIds: readonly string[] = [];
  readonly #stack: Stack;
  readonly #gateway: GatewayProcess;
  #session: ClientHttp2Session | undefined;
  /** The lines of each program's log that were read already. */
  readonly #linesRead = [0, 0];

  private constructor(stack: Stack, gateway: GatewayProcess) {
    this.url = gateway.url;
    this.#stack = stack;
    this.#gateway = gateway;
  }

  static async open(redisUrl: string): Promise<Target> {
    const stack = await startStack({ redisUrl, agents: ['echo', 'workshop/fuzz/agents/skilled.ts'], env });
    const [gateway] = stack.gateways;
    if (!gateway) throw new Error('the gateway did not start');
    const target = new Target(stack, gateway);
    await target.seed();
    return target;
  }

  /** Creates the tasks again: earlier ones may be deleted or expired. */
  async seed(): Promise<void> {
    const tasks: Task[] = [];
    for (const text of ['hello', 'ask', 'slow 500']) tasks.push(await submit(this.url, userMessage(text)));
    this.taskIds = tasks.map(({ id }) => id);
  }

  get session(): ClientHttp2Session {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(`http://127.0.0.1:${this.#logged(/"grpcPort":(\d+)/)}`);
      this.#session.on('error', () => this.#session?.destroy());
    }
    return this.#session;
  }

  /** Branches covered so far, and since the last call. */
  async branches(): Promise<readonly string[]> {
    return z.array(z.string()).parse(await this.#tell('branches'));
  }

  async heapBytes(): Promise<number> {
    return z.object({ heapBytes: z.number() }).parse(await this.#tell('heap')).heapBytes;
  }

  get isAlive(): boolean {
    return this.#stack.programs.every((program) => program.isRunning());
  }

  /** Errors in the log, and other output, since the last call. */
  faults(): readonly string[] {
    const fresh = this.#stack.programs.flatMap((program, n) => {
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
    await this.#stack.stop();
  }

  /** See `coverage.ts`. */
  async #tell(what: 'branches' | 'heap'): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.#logged(/coverage at (\d+)/)}/${what}`);
    return response.json();
  }

  /** What the gateway logged at its start. */
  #logged(pattern: RegExp): string {
    return pattern.exec(this.#gateway.output())?.[1] ?? '';
  }
}
