import { randomUUID } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
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

/**
 * The files of a checkout whose functions run for one immediate SendMessage, from the socket to Redis and back.
 * @param root of the checkout, its packages installed
 */
export async function wayOfAMessage(root: string, redisUrl: string): Promise<string[]> {
  const { Store }: StoreModule = await load(root, 'packages/store');
  const { createGateway }: GatewayModule = await load(root, 'apps/gateway');
  const store = new Store({ redisUrl, prefix: `structure-${randomUUID()}:` }, fail);
  await store.start();
  await store.registry.announce([agent], 'structure');
  const gateway = createGateway({ port: 0, grpc: undefined }, { store, log: silent });
  const { url } = await gateway.start();
  const send = (): Promise<void> => sendMessage(url);
  // What runs only once, such as compiling schemas, is not of every message.
  await send();
  await send();
  // Timers run now and then: what is on the way runs each time.
  const runs = [await filesThatRun(send), await filesThatRun(send), await filesThatRun(send)];
  const files = (runs[0] ?? []).filter((file) => runs.every((each) => each.includes(file)));
  await gateway.stop();
  await store.stop();
  return files.flatMap((file) => {
    const path = relative(root, file);
    return /^(?:apps|packages)\//.test(path) && !path.includes('node_modules') ? [path] : [];
  });
}

async function load<Module>(root: string, home: string): Promise<Module> {
  return import(pathToFileURL(`${root}/${home}/src/index.ts`).href);
}

async function sendMessage(url: string): Promise<void> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/message:send`, { method: 'POST', body, headers });
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
}

async function filesThatRun(run: () => Promise<void>): Promise<string[]> {
  using session = connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)));
  return ran.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
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
