import { randomUUID } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Programs of any checkout: only what is used here is known of them. */
interface StoreModule {
  readonly Store: new (settings: object, onError: (error: Error) => void) => AnyStore;
}

interface AnyStore {
  readonly registry: { announce(agents: readonly object[], worker: string): Promise<void> };
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface GatewayModule {
  readonly createGateway: (
    settings: object,
    parts: object,
  ) => { start(): Promise<{ readonly url: string }>; stop(): Promise<void> };
}

/** What runs for one SendMessage, from the socket to Redis and back. */
export interface Way {
  /** Paths below the root of the checkout. */
  readonly files: readonly string[];
  /** How often each function with a name is called, by its file and that name. */
  readonly calls: ReadonlyMap<string, number>;
}

interface Sent {
  readonly redisUrl: string;
  /** Unless it is immediate, it is answered without an agent when its short time is up. */
  readonly isImmediate: boolean;
}

/** @param root of a checkout, its packages installed */
export async function wayOfAMessage(root: string, { redisUrl, isImmediate }: Sent): Promise<Way> {
  const { Store }: StoreModule = await load(root, 'packages/store');
  const { createGateway }: GatewayModule = await load(root, 'apps/gateway');
  const store = new Store({ redisUrl, prefix: `structure-${randomUUID()}:` }, fail);
  await store.start();
  await store.registry.announce([agent], 'structure');
  const gateway = createGateway({ port: 0, grpc: undefined, blockingWaitMs: 20 }, { store, log: silent });
  const { url } = await gateway.start();
  const send = (): Promise<void> => sendMessage(url, isImmediate);
  // What runs only once, such as compiling schemas, is not of every message.
  await send();
  await send();
  // Timers run now and then, on a busy machine with each message: what they run is not on the way.
  const ofTimers = new Set((await callsOf(() => delay(1_500), root)).map(({ id }) => id));
  const runs = [await callsOf(send, root), await callsOf(send, root), await callsOf(send, root)];
  await gateway.stop();
  await store.stop();
  const [first = []] = runs;
  const each = first.filter(({ id }) => !ofTimers.has(id) && runs.every((run) => run.some((other) => other.id === id)));
  const calls = new Map<string, number>();
  for (const { file, name, count } of each) if (name !== '') calls.set(`${file} ${name}`, count);
  return { files: [...new Set(each.map(({ file }) => file))], calls };
}

async function load<Module>(root: string, home: string): Promise<Module> {
  return import(pathToFileURL(`${root}/${home}/src/index.ts`).href);
}

async function sendMessage(url: string, returnImmediately: boolean): Promise<void> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/message:send`, { method: 'POST', body, headers });
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
}

interface Calls {
  readonly file: string;
  readonly name: string;
  /** Of the function: its file and place. */
  readonly id: string;
  readonly count: number;
}

async function callsOf(run: () => Promise<void>, root: string): Promise<Calls[]> {
  using session = connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
    if (!/^(?:apps|packages)\//.test(file) || file.includes('node_modules')) return [];
    return functions.flatMap(({ functionName: name, ranges: [range] }) =>
      range && range.count > 0 ? [{ file, name, id: `${file}:${range.startOffset}`, count: range.count }] : [],
    );
  });
}

function connect(): Session & Disposable {
  const session = new Session();
  session.connect();
  return Object.assign(session, { [Symbol.dispose]: () => session.disconnect() });
}

const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
const card = { name: 'Echo', description: 'Echoes.', version: '1', supportedInterfaces: [], skills: [], ...modes };
const agent = { id: 'echo', card: { ...card, capabilities: {} }, repliesWithMessage: false, concurrency: 1 };

function nothing(): void {
  // The lines of the log are not looked at.
}

/** Enough of a logger for a gateway. */
const silent = { isLevelEnabled: () => false, debug: nothing, info: nothing, warn: nothing, error: fail };

function fail(error: Error): void {
  throw error;
}
