import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetTaskRequest, StreamResponse as SdkStreamResponse, Task as SdkTask, SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Agent, defineAgent, type Execute, RetryableError } from '@switchyard/agent';
import { LocalFiles } from '@switchyard/files';
import { createGateway, type GatewaySettings } from '@switchyard/gateway';
import { freePort } from '@switchyard/local';
import {
  filesUri,
  type Message,
  type Part,
  rerunUri,
  type StreamResponse,
  scheduleUri,
  type Task,
} from '@switchyard/protocol';
import { retain, Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';
import { Worker, type WorkerEvent } from '@switchyard/worker';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { openHttpServer } from '../support/http-server.ts';
import { userMessage } from '../support/messages.ts';
import { uniquePrefix } from '../support/prefix.ts';
import { get, getTask, post, send, submit } from '../support/rest.ts';
import { until } from '../support/until.ts';

// Gateways and a worker in this process, on a real Redis and a real folder.

const limits = { maxFileBytes: 2_000_000, maxBytesPerPrincipal: 20_000_000, inlineBytes: 1_000, maxRawBytes: 100_000 };
const local = { allowHttp: true, allowHosts: ['127.0.0.0/8'] };
const retries = { maxAttempts: 3, maxAgeMs: 60_000, backoffMs: 5, maxBackoffMs: 100 };
const delivery = { concurrency: 4, timeoutMs: 10_000, ...retries, chunks: true, claimEveryMs: 200, policy: local };
const asksRaw = { 'a2a-extensions': filesUri };
const sha256 = (raw = ''): string => createHash('sha256').update(raw, 'base64').digest('hex');
const picture = (bytes = 20_000): string => randomBytes(bytes).toString('base64');
const showing = (raw: string, given: Partial<Message> = {}): Message => ({
  ...userMessage(''),
  parts: [{ text: 'look' }, { raw, filename: 'a.png', mediaType: 'image/png', metadata: { page: 1 } }],
  ...given,
});

let folder: string;
let store: Store;
let worker: Worker;
let url: string;
const prefix = uniquePrefix();
const redis = new Redis(inject('redisUrl'));
const stops: (() => Promise<unknown>)[] = [];
const emitted: (WorkerEvent & { readonly err?: unknown })[] = [];
const logged: string[] = [];

const card = { name: 'Agent', description: 'For tests.', version: '1.0.0', skills: [] };
const modes = { defaultInputModes: ['*/*'], defaultOutputModes: ['*/*'] };
const agentThat = (id: string, execute: Execute, more: Partial<Agent> = {}): Agent =>
  defineAgent({ id, card: { ...card, ...modes, capabilities: { streaming: true } }, execute, ...more });

/** What an agent sees of the parts of its message. */
const seenIn = ({ parts }: Message): string =>
  parts.map(({ text, raw, url: at }) => text ?? (raw === undefined ? `url ${at?.slice(-8)}` : sha256(raw))).join(' ');

const agents = [
  agentThat('viewer', async (turn) => turn.complete(seenIn(turn.message))),
  /** Writes what it got, between texts. */
  agentThat('painter', async (turn) => {
    const raw = turn.message.parts.find((part) => part.raw !== undefined)?.raw ?? '';
    const made = turn.artifact({ name: 'Made' });
    await Promise.all([
      made.append('before'),
      made.append({ raw, filename: 'b.png', mediaType: 'image/png' }),
      made.append('after'),
    ]);
    return turn.complete([{ text: 'painted' }, { raw, mediaType: 'image/png' }]);
  }),
  agentThat('asker', async (turn) => {
    const reply = await turn.call('viewer', turn.message.parts);
    return turn.complete(`${reply.text} ${reply.taskId}`);
  }),
  /** Says what the painter has painted, also after it has lost an attempt. */
  agentThat('gallery', async (turn) => {
    const { artifacts, parts } = await turn.call('painter', turn.message.parts);
    if (turn.attempt === 1) throw new RetryableError('Once more.', { retryAfterMs: 10 });
    return turn.complete([...(artifacts[0]?.parts ?? []), ...parts].map(({ raw }) => sha256(raw)).join(' '));
  }),
  agentThat(
    'listener',
    async (turn) => {
      await turn.working('Listening');
      for await (const message of turn.steering) return turn.complete(seenIn(message));
      return turn.complete('nothing');
    },
    { whileWorking: 'steer' },
  ),
];

async function addGateway(settings: Partial<GatewaySettings> = {}, of = store): Promise<string> {
  const write = (line: string): void => void logged.push(JSON.parse(line).event);
  const log = createLog({ app: 'gateway', level: 'warn' }, { write });
  const files = { url: `file://${folder}`, ...limits };
  const given = { port: 0, defaultAgent: 'viewer', files, maxBodyBytes: 100_000, ...settings };
  const gateway = createGateway(given, { store: of, log });
  stops.push(() => gateway.stop());
  return (await gateway.start()).url;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-raw-'));
  store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  stops.push(() => store.stop());
  await store.start();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const files = { url: `file://${folder}`, ...limits, unusedMs: 60_000, sweepEveryMs: 3_600_000 };
  const emit = (event: WorkerEvent): void => void emitted.push(event);
  const settings = { drainMs: 0, sweepEveryMs: 200, publicUrl, files, push: delivery };
  worker = new Worker(settings, { store, agents, emit });
  stops.push(() => worker.stop());
  await worker.start();
  const push = { policy: local, publicKeys: [], allowsClear: false, asksConsent: false };
  url = await addGateway({
    port,
    grpc: { port: 0, publicAddress: 'auto' },
    publicUrl,
    push,
    mcp: true,
    minCronIntervalMs: 1_000,
  });
  await until(async () => (await get(`${url}/agents/listener/.well-known/agent-card.json`)).status === 200, {
    what: 'the agents are known',
  });
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await redis.quit();
  await rm(folder, { recursive: true });
});

const at = (agent: string): string => `${url}/agents/${agent}`;
const file = (): Part => ({
  url: expect.stringMatching(/\/files\/r[\da-f]{32}-\w+$/),
  filename: 'a.png',
  mediaType: 'image/png',
  metadata: { page: 1 },
});
const rawOf = (raw: string): Part => ({ raw, filename: 'a.png', mediaType: 'image/png', metadata: { page: 1 } });
const urlIn = ({ history = [] }: Task): string => history[0]?.parts[1]?.url ?? '';
const textOf = ({ status }: Task): string | undefined => status.message?.parts[0]?.text;

/** Paths of all contents, and of all marks. */
async function stored(name: RegExp): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((path) => name.test(path));
}

describe('A message with a large raw part', () => {
  it('is stored with a reference, and its agent gets it as it was sent', async () => {
    const raw = picture();
    const task = await send(url, showing(raw));
    expect(textOf(task)).toBe(`look ${sha256(raw)}`);
    expect(task.history?.[0]?.parts[1]).toEqual(file());
    const inRedis = await store.tasks.read({ principal: anonymous, agent: 'viewer' }, task.id);
    expect(inRedis?.task?.length).toBeLessThan(2_000);
    const got = await fetch(urlIn(task));
    expect(Buffer.from(await got.arrayBuffer()).toString('base64')).toBe(raw);
    expect(await stored(new RegExp(`task-${task.id}$`))).toHaveLength(1);
  });

  it('is small enough: stays as it is', async () => {
    const raw = picture(1_000);
    expect((await send(url, showing(raw))).history?.[0]?.parts[1]).toEqual(rawOf(raw));
  });

  it('is stored once for the same content, and removed with the last of its tasks', async () => {
    const raw = picture();
    const [first, second] = [await send(url, showing(raw)), await send(url, showing(raw))];
    expect(urlIn(first)).toBe(urlIn(second));
    const id = urlIn(first).split('/').at(-1) ?? '';
    const sweep = async () => {
      const existing = (ids: readonly string[]) => store.tasks.existing(ids);
      await new LocalFiles(folder, limits).sweep({ deployment: 'ours', number: 7, existing, unusedMs: 0, markMs: 0 });
      return stored(new RegExp(`/${id}/content$`));
    };
    await fetch(`${url}/tasks/${first.id}`, { method: 'DELETE' });
    expect(await sweep()).toHaveLength(1);
    await fetch(`${url}/tasks/${second.id}`, { method: 'DELETE' });
    expect(await sweep()).toEqual([]);
  });

  it('is known as the same message, whether it was moved or not', async () => {
    const inline = await addGateway({ files: { url: `file://${folder}`, ...limits, inlineBytes: undefined } });
    const [raw, sent] = [picture(), showing(picture())];
    const [before, moved] = [await submit(inline, sent), await submit(url, sent)];
    expect(moved.id).toBe(before.id);
    const next = showing(raw);
    const ids = [await submit(url, next), await submit(inline, next), await submit(url, next)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    const named = { 'idempotency-key': 'once' };
    const keyed = async (base: string) =>
      (await post<{ task: Task }>(`${base}/message:send`, { message: showing(raw) }, named)).body.task.id;
    expect(await keyed(inline)).toBe(await keyed(url));
    const other = await post(`${url}/message:send`, { message: { ...next, parts: [{ raw: picture() }] } });
    expect(other.status).toBe(409);
  });

  it('is answered and cancelled as before: only its own mark is left of one that is sent twice', async () => {
    const message = showing(picture());
    const [first, again] = [await send(url, message), await send(url, message)];
    expect(again.id).toBe(first.id);
    const id = urlIn(first).split('/').at(-1) ?? '';
    expect(await stored(new RegExp(`/${id}/task-`))).toEqual([expect.stringContaining(first.id)]);
  });

  it('is not kept for a message that is refused, though its task lives', async () => {
    const raw = picture();
    const { id } = await send(url, showing(raw));
    const marks = (): Promise<string[]> => stored(new RegExp(`/r[^/]*/task-${id}`));
    const own = await marks();
    for (const refused of [showing(raw, { taskId: id }), showing(picture(), { taskId: id })])
      expect((await post(`${url}/message:send`, { message: refused })).status).toBe(400);
    expect([own.length, await marks()]).toEqual([1, own]);
  });

  it('reaches an agent that is steered, one that another agent calls, and one that runs it again', async () => {
    const raw = picture();
    const task = await submit(at('listener'), userMessage('begin'));
    await until(async () => (await getTask(at('listener'), task.id)).status.state === 'TASK_STATE_WORKING', {
      what: 'the listener works',
    });
    await submit(at('listener'), showing(raw, { taskId: task.id }));
    const steered = await until(
      async () => {
        const now = await getTask(at('listener'), task.id);
        return now.status.state === 'TASK_STATE_COMPLETED' && now;
      },
      { what: 'the listener has its message' },
    );
    expect(textOf(steered)).toBe(`look ${sha256(raw)}`);

    const asked = await send(at('asker'), showing(raw));
    const [, digest, calledId = ''] = textOf(asked)?.split(' ') ?? [];
    expect(digest).toBe(sha256(raw));
    const called = await getTask(url, calledId);
    expect(urlIn(called)).toBe(urlIn(asked));
    expect(await stored(new RegExp(`task-${calledId}$`))).toHaveLength(1);

    const again = { [rerunUri]: { taskId: called.id } };
    const { body } = await post<{ task: Task }>(
      `${url}/message:send`,
      { message: { ...userMessage(''), parts: called.history?.[0]?.parts, metadata: again } },
      { 'a2a-extensions': rerunUri },
    );
    expect(textOf(body.task)).toBe(`look ${sha256(raw)}`);
  });

  it('gives its agent no more than a request may have, whatever it names', async () => {
    const at50k = urlIn(await send(url, showing(picture(50_000))));
    const parts: Part[] = [{ url: at50k }, { url: at50k }, { url: at50k }];
    const words = textOf(await send(url, { ...userMessage(''), parts }))?.split(' url ') ?? [];
    expect(words).toEqual([expect.stringMatching(/^\w{64} \w{64}$/), at50k.slice(-8)]);
  });

  it('stays in its task while the store is away', async () => {
    const away = await mkdtemp(join(tmpdir(), 'large-raw-away-'));
    const raw = picture();
    const gateways = [
      await addGateway({ files: { ...limits, url: `file://${away}` } }),
      await addGateway({ files: { ...limits, url: `file://${folder}`, maxBytesPerPrincipal: 1 } }),
    ];
    await rm(away, { recursive: true });
    await writeFile(away, '');
    for (const gateway of gateways) {
      logged.length = 0;
      const task = await send(gateway, showing(raw));
      expect([textOf(task), task.history?.[0]?.parts[1]]).toEqual([`look ${sha256(raw)}`, rawOf(raw)]);
      expect(logged).toEqual(['raw-not-moved']);
    }
    const moved = await send(url, showing(raw));
    const { status, headers, body } = await get<Task>(`${gateways[0]}/tasks/${moved.id}`, asksRaw);
    expect([status, urlIn(body), logged]).toEqual([200, urlIn(moved), ['raw-not-moved', 'raw-not-read']]);
    expect(headers.get('etag')).toBeNull();
    await rm(away);
  });
});

describe('The URL of a large raw part', () => {
  it('is in what a webhook gets, of the message and of the agent', async () => {
    const raw = picture();
    const received: StreamResponse[] = [];
    await using hook = await openHttpServer(async (req, res) => {
      received.push(JSON.parse((await req.setEncoding('utf8').toArray()).join('')));
      res.end();
    });
    const configuration = { taskPushNotificationConfig: { url: hook.url } };
    const { id } = await send(at('painter'), showing(raw), configuration);
    await until(() => received.some(({ statusUpdate }) => statusUpdate?.status.state === 'TASK_STATE_COMPLETED'), {
      what: `the webhook has the end of ${id}`,
    });
    expect(JSON.stringify(received)).not.toContain(raw);
    const [first] = received;
    expect(first?.task?.history?.[0]?.parts[1]).toEqual(file());
    const parts = received.flatMap(({ artifactUpdate, statusUpdate }) =>
      [artifactUpdate?.artifact, statusUpdate?.status.message].flatMap((holder) => holder?.parts ?? []),
    );
    expect(parts.filter(({ url }) => url?.includes('/files/r'))).toHaveLength(2);
  });

  it('is in each task of a schedule, whose agent gets raw, and which keeps the file', async () => {
    const raw = picture();
    const message = showing(raw, { metadata: { [scheduleUri]: { cron: '* * * * * *', times: 2 } } });
    const asks = { 'a2a-extensions': scheduleUri };
    const { body } = await post<{ task: Task }>(`${url}/message:send`, { message }, asks);
    const { contextId = '' } = body.task;
    const ended = await until(
      async () => {
        const list = await get<{ tasks: Task[] }>(`${url}/tasks?contextId=${contextId}&historyLength=1`);
        const tasks = list.body.tasks.filter(({ status }) => status.state === 'TASK_STATE_COMPLETED');
        return tasks.length === 2 && tasks;
      },
      { what: 'both tasks have ended' },
    );
    expect(ended.map(textOf)).toEqual([`look ${sha256(raw)}`, `look ${sha256(raw)}`]);
    for (const { id } of ended) expect(await stored(new RegExp(`task-${id}$`))).toHaveLength(1);
  });
});

describe('What an agent writes as a large raw part', () => {
  it('is moved out, too, and all events keep their order', async () => {
    const raw = picture();
    const { id, artifacts, status } = await send(at('painter'), showing(raw));
    const file = { url: expect.stringContaining('/files/r'), filename: 'b.png', mediaType: 'image/png' };
    expect(artifacts?.[0]?.parts).toEqual([{ text: 'before' }, file, { text: 'after' }]);
    expect(status.message?.parts).toEqual([{ text: 'painted' }, { url: file.url, mediaType: 'image/png' }]);
    // That of the message, and that of the agent, which has it in an artifact and in its answer.
    expect(await stored(new RegExp(`task-${id}$`))).toHaveLength(2);
    expect(emitted.filter(({ kind }) => kind === 'raw-not-moved')).toEqual([]);
  });
});

describe('The reply of a called agent', () => {
  it('has its raw parts in every attempt, and is not stored with them', async () => {
    const raw = picture();
    const shown = await send(at('gallery'), showing(raw));
    const [nothing, digest] = [sha256(''), sha256(raw)];
    expect(textOf(shown)).toBe([nothing, digest, nothing, nothing, digest].join(' '));
    const keys = await redis.keys(`${prefix}*${shown.id}*`);
    const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)));
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes.map(Number))).toBeLessThan(raw.length);
  });
});

describe('A client that asks for raw by the extension', () => {
  const partsIn = (task: Task | undefined): Part[] => [
    ...(task?.history ?? []).flatMap(({ parts }) => parts),
    ...(task?.artifacts ?? []).flatMap(({ parts }) => parts),
    ...(task?.status.message?.parts ?? []),
  ];
  const partsOf = ({ task: whole, artifactUpdate, statusUpdate }: StreamResponse): Part[] => [
    ...partsIn(whole),
    ...(artifactUpdate?.artifact.parts ?? []),
    ...(statusUpdate?.status.message?.parts ?? []),
  ];
  /** How often it has the bytes, and how often URLs. */
  const counted = (raw: string, parts: readonly Part[]) => ({
    raw: parts.filter((part) => part.raw === raw).length,
    urls: parts.filter((part) => part.url !== undefined).length,
  });
  let raw: string;
  let task: Task;

  beforeAll(async () => {
    raw = picture(10_000);
    task = await send(at('painter'), showing(raw));
  });

  it('gets it from every operation of REST and JSON-RPC, and without it URLs', async () => {
    const whole = { raw: 4, urls: 0 };
    const { body } = await get<Task>(`${at('painter')}/tasks/${task.id}`, asksRaw);
    expect(counted(raw, partsIn(body))).toEqual(whole);
    expect(counted(raw, partsIn(await getTask(at('painter'), task.id)))).toEqual({ raw: 0, urls: 4 });
    const list = `${at('painter')}/tasks?includeArtifacts=true&contextId=${task.contextId}`;
    const listed = await get<{ tasks: Task[] }>(list, asksRaw);
    expect(listed.body.tasks.map((each) => counted(raw, partsIn(each)))).toEqual([whole]);
    const rpc = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } };
    const { body: answer, headers } = await post<{ result: Task }>(at('painter'), rpc, asksRaw);
    expect([counted(raw, partsIn(answer.result)), headers.get('a2a-extensions')]).toEqual([whole, filesUri]);
    const sent = await post<{ task: Task }>(`${at('painter')}/message:send`, { message: showing(raw) }, asksRaw);
    expect(counted(raw, partsIn(sent.body.task))).toEqual(whole);
  });

  it('has another ETag than one that gets URLs', async () => {
    const path = `${await addGateway({ preview: true })}/agents/painter/tasks/${task.id}`;
    const etags: string[] = [];
    for (const version of ['1.0', '1.1'])
      for (const asks of [asksRaw, {}])
        etags.push((await get(path, { 'a2a-version': version, ...asks })).headers.get('etag') ?? '');
    expect(new Set(etags).size).toBe(4);
    const status = async (etag = '', headers = {}) => (await get(path, { 'if-none-match': etag, ...headers })).status;
    const [withRaw, withUrls] = etags;
    expect([await status(withRaw, asksRaw), await status(withUrls)]).toEqual([304, 304]);
    expect([await status(withUrls, asksRaw), await status(withRaw)]).toEqual([200, 200]);
    const preview = { 'a2a-version': '1.1', ...asksRaw };
    expect([await status(etags[2], preview), await status(etags[3], preview)]).toEqual([304, 200]);
  });

  it('gets it in the events of a stream', async () => {
    const body = { message: showing(raw) };
    const stream = await openEventStream(`${at('painter')}/message:stream`, { method: 'POST', body, headers: asksRaw });
    const parts = await Array.fromAsync(stream, ({ data }) => partsOf(data));
    expect(counted(raw, parts.flat())).toEqual({ raw: 3, urls: 0 });
  });

  it('gets URLs in a stream for which the gateway has no memory, over each binding', async () => {
    const maxAnswerBytes = 1_000_000;
    const full = new Store({ redisUrl: inject('redisUrl'), prefix, maxAnswerBytes }, () => undefined);
    stops.push(() => full.stop());
    await full.start();
    const agent = `${await addGateway({ grpc: { port: 0, publicAddress: 'auto' } }, full)}/agents/painter`;
    const grpc = await new ClientFactory({ transports: [new GrpcTransportFactory()] }).createFromUrl(`${agent}/`);
    const readBoth = async () => {
      const body = { message: showing(raw) };
      const rest = await openEventStream(`${agent}/message:stream`, { method: 'POST', body, headers: asksRaw });
      const ofRest = await Array.fromAsync(rest, ({ data }) => partsOf(data));
      const request = SendMessageRequest.fromJSON({ message: showing(raw), tenant: 'painter' });
      const events = grpc.sendMessageStream(request, { serviceParameters: asksRaw });
      const ofGrpc = await Array.fromAsync(events, (event) =>
        partsOf(SdkStreamResponse.toJSON(event) as StreamResponse),
      );
      return [ofRest, ofGrpc].map((each) => counted(raw, each.flat()));
    };
    // An event counts as 33 kB, and over gRPC as 56.
    for (const freeBytes of [1_000, 45_000]) {
      const other = await full.tasks.makeAnswer(maxAnswerBytes - freeBytes, async () => '');
      using _sent = retain(other);
      logged.length = 0;
      const urls = { raw: 0, urls: 3 };
      expect([await readBoth(), new Set(logged)]).toEqual([[urls, urls], new Set(['raw-not-read'])]);
    }
    const whole = { raw: 3, urls: 0 };
    expect(await readBoth()).toEqual([whole, whole]);
  });

  it('gets it over gRPC', async () => {
    const client = await new ClientFactory({ transports: [new GrpcTransportFactory()] }).createFromUrl(
      `${at('painter')}/`,
    );
    const read = async (serviceParameters: Record<string, string>) => {
      const got = await client.getTask(GetTaskRequest.fromJSON({ id: task.id, tenant: 'painter' }), {
        serviceParameters,
      });
      return counted(raw, partsIn(SdkTask.toJSON(got) as Task));
    };
    expect([await read(asksRaw), await read({})]).toEqual([
      { raw: 4, urls: 0 },
      { raw: 0, urls: 4 },
    ]);
  });

  it('gets it always with MCP', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const { content } = await client.callTool({ name: 'get_task', arguments: { agent: 'painter', taskId: task.id } });
    await client.close();
    expect(content.map((each) => each.type === 'image' && each.data === raw)).toContain(true);
  });

  it('gets it always with A2A 0.3', async () => {
    const parts = [{ kind: 'file', file: { bytes: raw, mimeType: 'image/png', name: 'a.png' } }];
    const message = { kind: 'message', messageId: 'of-0.3', role: 'user', parts };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const { body } = await post<{ result: LegacyTask }>(at('painter'), rpc);
    const { history, artifacts, status } = body.result;
    const all = [...history, ...artifacts, status.message].flatMap((holder) => holder.parts);
    expect(all.filter(({ file }) => file?.bytes === raw)).toHaveLength(4);
  });

  it('gets no more bytes than a request may have: the others have URLs', async () => {
    const small = await addGateway({ maxBodyBytes: 25_000 });
    const { body } = await get<Task>(`${small}/agents/painter/tasks/${task.id}`, asksRaw);
    expect(counted(raw, partsIn(body))).toEqual({ raw: 2, urls: 2 });
  });

  it('gets the URL of what another agent has written: its credential may not be for that one', async () => {
    const painted = task.artifacts?.[0]?.parts.find((part) => part.url !== undefined);
    const shown = await send(url, { ...userMessage(''), parts: [{ text: 'look' }, { url: painted?.url ?? '' }] });
    expect(textOf(shown)).toBe(`look ${sha256(raw)}`);
    const { body } = await get<Task>(`${url}/tasks/${shown.id}`, asksRaw);
    expect(urlIn(body)).toBe(painted?.url);
  });

  it('gets URLs of what is gone', async () => {
    const shown = await send(url, showing(picture(5_000)));
    await fetch(urlIn(shown), { method: 'DELETE' });
    const { status, body } = await get<Task>(`${url}/tasks/${shown.id}`, asksRaw);
    expect([status, urlIn(body)]).toEqual([200, urlIn(shown)]);
  });
});

interface LegacyTask {
  readonly history: readonly LegacyParts[];
  readonly artifacts: readonly LegacyParts[];
  readonly status: { readonly message: LegacyParts };
}

interface LegacyParts {
  readonly parts: readonly { readonly file?: { readonly bytes?: string } }[];
}

const anonymous = { tenant: 'default', subject: 'anonymous', scopes: [] };
