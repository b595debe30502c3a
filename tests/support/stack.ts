import { existsSync } from 'node:fs';
import { uniquePrefix } from './prefix.ts';
import { type Program, type ProgramOptions, startProgram } from './process.ts';
import { get } from './rest.ts';
import { until } from './until.ts';

/** A process may wait for its turn on a busy machine, but not longer than the hook that starts it. */
const startWithinMs = 25_000;

export interface StackOptions {
  readonly redisUrl: string;
  /**
   * Ids of agents: an example's, or that of a module in tests/support/agents; or paths of modules, then DEFAULT_AGENT
   * is to be set. The first is served at the root.
   */
  readonly agents: readonly string[];
  /** 1 when left out; so with the workers. */
  readonly gateways?: number;
  readonly workers?: number;
  /** The folder of another checkout, whose programs and agents these are. */
  readonly release?: string;
  /** Settings of all processes. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A gateway that listens. */
export interface GatewayProcess extends Program {
  readonly url: string;
}

/** Gateways and workers as real processes on one Redis, under a key prefix of their own. */
export interface Stack extends AsyncDisposable {
  /** Of the gateways that run, in the order in which they were ready. */
  readonly urls: readonly string[];
  /** Those that run. */
  readonly gateways: readonly GatewayProcess[];
  readonly workers: readonly Program[];
  /** All that were ever started. */
  readonly programs: readonly Program[];
  /** Adds a gateway; ready when it resolves. Default: on a free port, of the stack's own release. */
  addGateway(port?: number, release?: string): Promise<GatewayProcess>;
  addWorker(release?: string): Promise<Program>;
  /** Resolves when every gateway knows every worker. */
  untilReady(): Promise<void>;
  /** Idempotent. Whatever is not stopped ends with the test process. */
  stop(): Promise<void>;
}

/** What a gateway answers at `/agents`. */
interface AgentList {
  readonly agents: readonly { readonly isDefault: boolean; readonly workers: number }[];
}

/** Resolves when every gateway knows every worker. */
export async function startStack({ gateways = 1, workers = 1, ...options }: StackOptions): Promise<Stack> {
  const stack = new RunningStack(options);
  try {
    const started = [
      ...Array.from({ length: gateways }, () => stack.addGateway()),
      ...Array.from({ length: workers }, () => stack.addWorker()),
    ];
    await Promise.all(started);
    await stack.untilReady();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

class RunningStack implements Stack {
  readonly #options: StackOptions;
  readonly #env: Readonly<Record<string, string>>;
  readonly programs: Program[] = [];
  readonly #started: Promise<Program>[] = [];
  readonly #gateways: GatewayProcess[] = [];
  readonly #workers: Program[] = [];
  #isStopped = false;

  constructor(options: StackOptions) {
    this.#options = options;
    this.#env = { REDIS_URL: options.redisUrl, KEY_PREFIX: uniquePrefix(), LOG_LEVEL: 'debug' };
  }

  get gateways(): readonly GatewayProcess[] {
    return this.#gateways.filter((gateway) => gateway.isRunning());
  }

  get workers(): readonly Program[] {
    return this.#workers.filter((worker) => worker.isRunning());
  }

  get urls(): readonly string[] {
    return this.gateways.map(({ url }) => url);
  }

  async addGateway(port = 0, release = this.#options.release): Promise<GatewayProcess> {
    const [defaultAgent = ''] = this.#options.agents;
    const program = await this.#start({
      ...(release !== undefined && { cwd: release }),
      file: 'apps/gateway/src/main.ts',
      env: { PORT: String(port), GRPC_PORT: '0', GRPC_PUBLIC_ADDRESS: 'auto', DEFAULT_AGENT: defaultAgent },
    });
    const [, url = ''] = await says(program, /"url":"(http[^"]+)","msg":"listening"/);
    const gateway = { ...program, url };
    this.#gateways.push(gateway);
    return gateway;
  }

  async addWorker(release = this.#options.release): Promise<Program> {
    const worker = await this.#start({
      ...(release !== undefined && { cwd: release }),
      file: 'apps/worker/src/main.ts',
      args: ['--agents', ...this.#options.agents.map(moduleOf)],
      // Turns are handed back at once: a test that stops a worker has no time to lose.
      env: { DRAIN_MS: '0' },
    });
    await says(worker, /"(?:event|msg)":"started"/);
    this.#workers.push(worker);
    return worker;
  }

  async untilReady(): Promise<void> {
    const isReady = async (url: string): Promise<boolean> => {
      const { status, body } = await get<AgentList>(`${url}/agents`, this.#aKey());
      const served = status === 200 ? body.agents.find(({ isDefault }) => isDefault) : undefined;
      return served !== undefined && served.workers >= this.workers.length;
    };
    const everyone = async (): Promise<boolean> => (await Promise.all(this.urls.map(isReady))).every(Boolean);
    await until(everyone, { what: 'every gateway knows every worker', timeoutMs: startWithinMs });
  }

  /** Of some client, where the gateways ask for one. */
  #aKey(): Record<string, string> {
    const [key] = this.#options.env?.API_KEYS?.split(':') ?? [];
    return key === undefined ? {} : { 'x-api-key': key };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // Also those that are just being started.
    await Promise.all(this.#started.map(async (program) => (await program).stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #start({ env, ...program }: ProgramOptions): Promise<Program> {
    if (this.#isStopped) throw new Error('the stack is stopped: nothing is started any more');
    const started = startProgram({ ...program, env: { ...this.#env, ...env, ...this.#options.env } });
    this.#started.push(started);
    this.programs.push(await started);
    return started;
  }
}

/** Waits for a line; fails at once when the program ends before. */
function says(program: Program, pattern: RegExp): Promise<RegExpMatchArray> {
  const ended = program.exited.then((code) => {
    const said = program.output().match(pattern);
    if (said) return said;
    throw new Error(`the program ended with ${code} instead of starting. It said:\n${program.output()}`);
  });
  return Promise.race([program.waitFor(pattern, startWithinMs), ended]);
}

function moduleOf(agent: string): string {
  if (agent.endsWith('.ts')) return agent;
  const example = `examples/${agent}/agent.ts`;
  return existsSync(example) ? example : `tests/support/agents/${agent}.ts`;
}
