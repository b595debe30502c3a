import { existsSync } from 'node:fs';
import { uniquePrefix } from './prefix.ts';
import { type Program, type ProgramOptions, startProgram } from './process.ts';
import { get } from './rest.ts';
import { until } from './until.ts';

/** A process may start slowly on a busy machine, but faster than the hook that starts it times out. */
const START_WITHIN_MS = 25_000;

export interface StackOptions {
  readonly redisUrl: string;
  /**
   * Agents: ids of examples or of modules in tests/support/agents, or paths of modules and of lists of agents, which
   * need DEFAULT_AGENT. The first one is served at the root.
   */
  readonly agents: readonly string[];
  /** Default: 1. The same for workers. */
  readonly gateways?: number;
  readonly workers?: number;
  /** For each program. Default: 25 s. */
  readonly startWithinMs?: number;
  /** The folder of another checkout, whose programs and agents are used. */
  readonly release?: string;
  /** Settings of all processes. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running gateway. */
export interface GatewayProcess extends Program {
  readonly url: string;
}

/** Gateways and workers as real processes on one Redis, with their own key prefix. */
export interface Stack extends AsyncDisposable {
  /** URLs of the running gateways, in the order in which they were ready. */
  readonly urls: readonly string[];
  /** The running ones. */
  readonly gateways: readonly GatewayProcess[];
  readonly workers: readonly Program[];
  /** All programs ever started. */
  readonly programs: readonly Program[];
  /** Adds a gateway, and resolves when it is ready. Default: a free port, and the release of the stack. */
  addGateway(port?: number, release?: string): Promise<GatewayProcess>;
  addWorker(release?: string): Promise<Program>;
  /** Resolves when every gateway knows every worker. */
  untilReady(): Promise<void>;
  /** Idempotent. Anything that still runs ends with the test process. */
  stop(): Promise<void>;
}

/** The answer of a gateway's `/agents`. */
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
  readonly #startWithinMs: number;
  readonly programs: Program[] = [];
  readonly #started: Promise<Program>[] = [];
  readonly #gateways: GatewayProcess[] = [];
  readonly #workers: Program[] = [];
  #isStopped = false;

  constructor(options: StackOptions) {
    this.#options = options;
    this.#startWithinMs = options.startWithinMs ?? START_WITHIN_MS;
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
    const [, url = ''] = await this.#says(program, /"url":"(http[^"]+)","msg":"listening"/);
    const gateway = { ...program, url };
    this.#gateways.push(gateway);
    return gateway;
  }

  async addWorker(release = this.#options.release): Promise<Program> {
    const worker = await this.#start({
      ...(release !== undefined && { cwd: release }),
      file: 'apps/worker/src/main.ts',
      args: ['--agents', ...this.#options.agents.map(moduleOf)],
      // Turns are handed back at once, so that a stopped worker does not delay a test.
      env: { DRAIN_MS: '0' },
    });
    await this.#says(worker, /"(?:event|msg)":"started"/);
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
    await until(everyone, { what: 'every gateway knows every worker', timeoutMs: this.#startWithinMs });
  }

  /** Headers of any client, if the gateways need a credential. */
  #aKey(): Record<string, string> {
    const [key] = this.#options.env?.API_KEYS?.split(':') ?? [];
    return key === undefined ? {} : { 'x-api-key': key };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // Also those that are just starting.
    await Promise.all(this.#started.map(async (program) => (await program).stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Waits for a line; fails at once if the program ends. */
  #says(program: Program, pattern: RegExp): Promise<RegExpMatchArray> {
    const ended = program.exited.then((code) => {
      const said = program.output().match(pattern);
      if (said) return said;
      throw new Error(`the program ended with ${code} instead of starting. It said:\n${program.output()}`);
    });
    return Promise.race([program.waitFor(pattern, this.#startWithinMs), ended]);
  }

  async #start({ env, ...program }: ProgramOptions): Promise<Program> {
    if (this.#isStopped) throw new Error('the stack is stopped: nothing is started any more');
    const started = startProgram({ ...program, env: { ...this.#env, ...env, ...this.#options.env } });
    this.#started.push(started);
    this.programs.push(await started);
    return started;
  }
}

function moduleOf(agent: string): string {
  if (/\.(?:ts|yaml)$/.test(agent)) return agent;
  const example = `examples/${agent}/agent.ts`;
  return existsSync(example) ? example : `tests/support/agents/${agent}.ts`;
}
