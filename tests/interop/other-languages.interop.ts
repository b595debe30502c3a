import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { skippedFor } from '../support/has-program.ts';
import { type Stack, startStack } from '../support/stack.ts';
import {
  goToolchain,
  type InstalledClient,
  install,
  pythonToolchain,
  type Report,
  report,
  type Toolchain,
} from './support/toolchains.ts';

// Clients in other languages, unmodified: each prints its result for each case, and all must agree. `npm run interop`
// runs them; a language without its toolchain is skipped, with the reason in the title.

const installWithinMs = 320_000;

let stack: Stack;
const url = (): string => stack.urls[0] ?? '';

beforeAll(async () => {
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['conformance', 'pizza'],
    env: { PUSH_ALLOW_HTTP: 'true', PUSH_ALLOW_HOSTS: 'localhost,127.0.0.1' },
  });
});

afterAll(() => stack.stop());

const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC'];

const everyCase: Report = {
  card: 'Conformance',
  send: { state: 'completed', text: 'Hello from TCK' },
  reply: 'Direct message response',
  stream: ['task', 'working', 'artifact chunk-1 ', 'artifact chunk-2', 'completed'],
  follow_up: { asked: 'input-required', events: ['task', 'completed'] },
  get: 'completed',
  list: { tasks: [true], pageSize: 1 },
  cancel: 'canceled',
  not_found: 'TaskNotFound',
  not_cancelable: 'TaskNotCancelable',
  invalid: { error: 'InvalidParams', namesField: true },
  stream_errors: { unknown: 'TaskNotFound', ended: 'UnsupportedOperation', invalid: 'InvalidParams' },
  list_after: [1, 0],
  push: 'https://example.com/hook',
  push_list: { listed: 1, left: 0 },
};

/** Cases that the client itself refuses, in this version and binding. */
const unsupported: Readonly<Record<string, readonly string[]>> = {
  'python-1 0.3 JSONRPC': ['list', 'list_after'],
  'python-1 0.3 HTTP+JSON': ['list', 'list_after', 'push_list'],
  'python-1 0.3 GRPC': ['list', 'list_after'],
  // It reads nothing of an answer that is no stream, and has one error for all of them.
  'python-0.3 0.3 HTTP+JSON': ['stream_errors'],
  'go 0.3 JSONRPC': ['list', 'list_after'],
  'go 0.3 HTTP+JSON': ['list', 'list_after'],
  'go 0.3 GRPC': ['list', 'list_after'],
};

interface Sdk {
  readonly name: string;
  readonly client: string;
  readonly toolchain: Toolchain;
  readonly versions: readonly string[];
  /** What this SDK has no method for. */
  readonly lacks?: readonly string[];
}

const sdks: readonly Sdk[] = [
  { name: 'Python 1.3', client: 'python-1', toolchain: pythonToolchain, versions: ['1.0', '0.3'] },
  {
    name: 'Python 0.3',
    client: 'python-0.3',
    toolchain: pythonToolchain,
    versions: ['0.3'],
    lacks: ['list', 'list_after', 'invalid', 'push_list'],
  },
  { name: 'Go 2.4', client: 'go', toolchain: goToolchain, versions: ['1.0', '0.3'] },
];

/** In the title, where the report of skipped tests shows it. */
function titled(name: string, { missing }: Toolchain): string {
  return missing === undefined ? name : `${name} (skipped: ${missing})`;
}

const frameworks = ['google-adk', 'strands'];

// They wait for registries and compilers most of the time: all at once. The one that fails, fails its own tests below.
beforeAll(async () => {
  const all = [...sdks, ...frameworks.map((client) => ({ client, toolchain: pythonToolchain }))];
  const usable = all.filter(({ toolchain }) => toolchain.missing === undefined);
  await Promise.allSettled(usable.map(({ client, toolchain }) => install(client, toolchain)));
}, installWithinMs);

for (const { name, client, toolchain, versions, lacks = [] } of sdks) {
  describe.skipIf(skippedFor(toolchain.missing))(titled(`the SDK of ${name}`, toolchain), () => {
    let installed: InstalledClient;

    beforeAll(async () => {
      installed = await install(client, toolchain);
    }, installWithinMs);

    const ways = versions.flatMap((version) => bindings.map((binding) => ({ version, binding })));

    it.each(ways)('gets the expected results over $binding, version $version', { timeout: 100_000 }, async (way) => {
      const { version, binding } = way;
      const got = await report(installed, url(), binding, version);
      const left = [...lacks, ...(unsupported[`${client} ${version} ${binding}`] ?? [])];
      const only = (facts: Report): Report =>
        Object.fromEntries(Object.entries(facts).filter(([each]) => !left.includes(each)));
      expect(only(got)).toEqual(only(everyCase));
    });
  });
}

const conversation: Report = {
  'I want a pizza': ['What kind?'],
  'A Hawaiian pizza': ['Your Hawaiian pizza is on its way.'],
};

for (const client of frameworks)
  describe.skipIf(skippedFor(pythonToolchain.missing))(titled(client, pythonToolchain), () => {
    let installed: InstalledClient;
    let desk: Stack;

    beforeAll(async () => {
      installed = await install(client, pythonToolchain);
      // The default of `npm start`: cards do not name gRPC.
      desk = await startStack({
        redisUrl: inject('redisUrl'),
        agents: ['pizza'],
        env: { GRPC_PUBLIC_ADDRESS: '' },
      });
    }, installWithinMs);

    afterAll(() => desk?.stop());

    it('has a conversation of several turns, without repetitions', { timeout: 100_000 }, async () => {
      expect(await report(installed, desk.urls[0] ?? '', ...Object.keys(conversation))).toEqual(conversation);
    });

    if (client === 'google-adk')
      it('refuses a card that names gRPC', { timeout: 100_000 }, async () => {
        const { Hello: answer } = await report(installed, url(), 'Hello');
        expect(answer).toMatch(/Agent card RPC URL must/);
      });
  });
