import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { skippedFor } from '../support/has-program.ts';
import { type HttpServer, openHttpServer } from '../support/http-server.ts';
import { missingPostgres } from '../support/postgres.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { type ArchivedTask, startArchivedTask } from './support/archived-task.ts';
import {
  goToolchain,
  type InstalledClient,
  install,
  nodeToolchain,
  pythonToolchain,
  type Report,
  report,
  rustToolchain,
  type Toolchain,
} from './support/toolchains.ts';

// Clients in other languages, unmodified: each prints its result for each case, and all must agree. `npm run interop`
// runs them; a language without its toolchain is skipped, with the reason in the title.

const installWithinMs = 1_500_000;

let stack: Stack;
/** Its agent has no webhooks, and requires an extension. */
let strict: Stack;
let hooks: HttpServer;
/** What came to the webhook, as JSON. */
const delivered: string[] = [];
const url = (): string => stack.urls[0] ?? '';
/** In a deployment with an archive and files. */
let archived: ArchivedTask | undefined;
const skipped = missingPostgres === undefined ? '' : skippedFor(missingPostgres);

beforeAll(async () => {
  hooks = await openHttpServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    delivered.push(Buffer.concat(chunks).toString());
    response.end();
  });
  const env = { PUSH_ALLOW_HTTP: 'true', PUSH_ALLOW_HOSTS: '127.0.0.0/8' };
  const strictly = { ...env, CONFORMANCE_OFF: 'push', CONFORMANCE_REQUIRED_EXTENSION: 'true' };
  const redisUrl = inject('redisUrl');
  [stack, strict, archived] = await Promise.all([
    startStack({ redisUrl, agents: ['conformance', 'pizza'], env }),
    startStack({ redisUrl, agents: ['conformance'], env: strictly }),
    skipped ? undefined : startArchivedTask({ redisUrl, agents: ['conformance'], env }),
  ]);
});

afterAll(async () => {
  await Promise.all([stack?.stop(), strict?.stop(), hooks?.close(), archived?.stop()]);
});

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
  resubscribe: ['task', 'canceled'],
  'error: send to no task': 'TaskNotFound',
  'error: send to an ended task': 'UnsupportedOperation',
  'error: send to another context': 'InvalidParams',
  'error: send a strange type': 'ContentTypeNotSupported',
  'error: list a wrong page': 'InvalidParams',
  'error: cancel no task': 'TaskNotFound',
  'error: hook of no task': 'TaskNotFound',
  'error: hook without URL': 'InvalidParams',
  'error: read no hook': 'TaskNotFound',
  'error: list hooks of no task': 'TaskNotFound',
  'error: delete a hook of no task': 'TaskNotFound',
  'error: extended card': 'UnsupportedOperation',
};

const everyRefusal = {
  'refusal: send': 'ExtensionSupportRequired',
  'refusal: stream': 'ExtensionSupportRequired',
  'refusal: hook': 'PushNotificationNotSupported',
  'refusal: read a hook': 'PushNotificationNotSupported',
};

/** Version 0.3 lists no tasks, and its texts have no type. */
const notIn03 = ['list', 'list_after', 'error: list a wrong page', 'error: send a strange type'];

/** Cases that the client itself refuses, in this version and binding. */
const unsupported: Readonly<Record<string, readonly string[]>> = {
  'python-1 0.3 HTTP+JSON': ['push_list', 'error: list hooks of no task', 'error: delete a hook of no task'],
  // It reads nothing of an answer that is no stream, and has one error for all of them.
  'python-0.3 0.3 HTTP+JSON': ['stream_errors', 'refusal: stream'],
};

interface Sdk {
  readonly name: string;
  readonly client: string;
  readonly toolchain: Toolchain;
  readonly versions: readonly string[];
  /** What this SDK has no method for. */
  readonly lacks?: readonly string[];
  /** What it says by itself, without asking. */
  readonly says?: Report;
}

const sdks: readonly Sdk[] = [
  {
    name: 'Python 1.3',
    client: 'python-1',
    toolchain: pythonToolchain,
    versions: ['1.0', '0.3'],
    // It answers with the card that it has.
    lacks: ['error: extended card'],
  },
  {
    name: 'Python 0.3',
    client: 'python-0.3',
    toolchain: pythonToolchain,
    versions: ['0.3'],
    lacks: [
      'invalid',
      'push_list',
      'error: list hooks of no task',
      'error: delete a hook of no task',
      'error: extended card',
    ],
  },
  {
    name: 'Go 2.4',
    client: 'go',
    toolchain: goToolchain,
    versions: ['1.0', '0.3'],
    says: { 'error: extended card': 'ExtendedAgentCardNotConfigured' },
  },
  { name: 'Rust 0.2', client: 'rust', toolchain: rustToolchain, versions: ['1.0'] },
  { name: 'JavaScript 1.3', client: 'js-1', toolchain: nodeToolchain, versions: ['1.0', '0.3'] },
];

function prefixed(prefix: string, facts: unknown): Report {
  return Object.fromEntries(Object.entries(Object(facts)).map(([name, fact]) => [`${prefix}: ${name}`, fact]));
}

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

for (const { name, client, toolchain, versions, lacks = [], says } of sdks) {
  describe.skipIf(toolchain.missing)(titled(`the SDK of ${name}`, toolchain), () => {
    let installed: InstalledClient;

    beforeAll(async () => {
      installed = await install(client, toolchain);
    }, installWithinMs);

    const ways = versions.flatMap((version) => bindings.map((binding) => ({ version, binding })));
    const only = (facts: Report, version: string, binding: string): Report => {
      const cannot = unsupported[`${client} ${version} ${binding}`] ?? [];
      const left = [...lacks, ...(version === '0.3' ? notIn03 : []), ...cannot];
      return Object.fromEntries(Object.entries(facts).filter(([each]) => !left.includes(each)));
    };

    /** @param ended the id of the task in the cases of a completed one; default: they make some */
    const expectAll = async (at: string, { version, binding }: (typeof ways)[number], ...ended: string[]) => {
      const { webhook, errors, ...got } = await report(installed, at, binding, version, hooks.url, ...ended);
      const facts = { ...got, ...prefixed('error', errors) };
      expect(only(facts, version, binding)).toEqual(only({ ...everyCase, ...says }, version, binding));
      const isTold = (): boolean => delivered.some((text) => text.includes(String(webhook)) && /completed/i.test(text));
      await until(isTold, { what: `the webhook gets the end of ${webhook}` });
    };

    it.each(ways)('gets the expected results over $binding, version $version', (way) => expectAll(url(), way));

    it.skipIf(skipped).each(ways)(
      `gets the same of a task that only the archive has over $binding, version $version${skipped && ` (${skipped})`}`,
      async (way) => {
        const { url = '', id = '' } = (await archived?.whenForgotten()) ?? {};
        await expectAll(url, way, id);
      },
    );

    it.each(ways)('learns why it is refused over $binding, version $version', async (way) => {
      const { version, binding } = way;
      const { refusals } = await report(installed, strict.urls[0] ?? '', binding, version, 'none');
      expect(only(prefixed('refusal', refusals), version, binding)).toEqual(only(everyRefusal, version, binding));
    });

    if (client === 'rust')
      it('learns which agent refused it when it named none, over gRPC', async () => {
        const { withoutTenant } = await report(installed, strict.urls[0] ?? '', 'GRPC', '1.0', 'none');
        expect(withoutTenant).toContain(
          'the agent "conformance" was asked, the default one, because the request names none',
        );
      });
  });
}

const conversation: Report = {
  'I want a pizza': ['What kind?'],
  'A Hawaiian pizza': ['Your Hawaiian pizza is on its way.'],
};

for (const client of frameworks)
  describe.skipIf(pythonToolchain.missing)(titled(client, pythonToolchain), () => {
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

    it('has a conversation of several turns, without repetitions', async () => {
      expect(await report(installed, desk.urls[0] ?? '', ...Object.keys(conversation))).toEqual(conversation);
    });

    if (client === 'google-adk')
      it('refuses a card that names gRPC', async () => {
        const { Hello: answer } = await report(installed, url(), 'Hello');
        expect(answer).toMatch(/Agent card RPC URL must/);
      });
  });
