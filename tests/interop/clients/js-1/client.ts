import {
  type AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  type Part,
  SendMessageRequest,
  type StreamResponse,
  SubscribeToTaskRequest,
  type Task,
  TaskPushNotificationConfig,
  type TaskStatus,
  taskStateToJSON,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

// @a2a-js/sdk 1.x as its users write it: `client.ts <base URL> <binding> <version> <webhook> [<ended task>]`, a line of
// JSON for each case. With the webhook `none`, the cases of an agent without webhooks that requires an extension. With
// the id of an ended task, the cases of a completed task are about that one.

const [url = '', binding = '', version = '', hook = '', ended] = process.argv.slice(2);
const webhook = 'https://example.com/hook';
const legacyCompat = { enabled: version === '0.3' };
const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory, GRPC: GrpcTransportFactory };

type Ids = { readonly id: string; readonly contextId?: string };

function request(scenario: string, task?: Ids, more: object = {}): SendMessageRequest {
  const messageId = `${scenario}-${crypto.randomUUID()}`;
  const ids = task && { taskId: task.id, contextId: task.contextId };
  const message = { messageId, role: 'ROLE_USER', parts: [{ text: 'Hello' }], ...ids, ...more };
  return SendMessageRequest.fromJSON({ message });
}

const stateOf = (status: TaskStatus | undefined): string =>
  status ? taskStateToJSON(status.state).replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-') : '';

const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

function fact({ payload }: StreamResponse): string {
  if (payload?.$case === 'statusUpdate') return stateOf(payload.value.status);
  return payload?.$case === 'artifactUpdate'
    ? `artifact ${textOf(payload.value.artifact?.parts)}`
    : String(payload?.$case);
}

type Call = () => unknown;

/** The error's class, whose name is that of the error but for InvalidParams. */
async function errorOf(call: Call): Promise<{ readonly name: string; readonly message: string }> {
  try {
    await call();
    return { name: 'none', message: '' };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const named = error.cause instanceof Error ? error.cause : error;
    const name = named.name === 'RequestMalformedError' ? 'InvalidParams' : named.name.replace(/Error$/, '');
    return { name, message: error.message };
  }
}

async function namesOf(calls: Readonly<Record<string, Call>>): Promise<Record<string, string>> {
  const names = Object.entries(calls).map(async ([name, call]) => [name, (await errorOf(call)).name]);
  return Object.fromEntries(await Promise.all(names));
}

class Cases {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async #task(scenario: string): Promise<Task> {
    if (scenario === 'tck-complete-task' && ended) return this.#client.getTask(GetTaskRequest.fromJSON({ id: ended }));
    const answer = await this.#client.sendMessage(request(scenario));
    if (!('status' in answer)) throw new Error('the answer is a message');
    return answer;
  }

  async #follow(scenario: string, task?: Task): Promise<string[]> {
    return (await Array.fromAsync(this.#client.sendMessageStream(request(scenario, task)))).map(fact);
  }

  async send() {
    const { status } = await this.#task('tck-complete-task');
    return { state: stateOf(status), text: textOf(status?.message?.parts) };
  }

  async reply() {
    const answer = await this.#client.sendMessage(request('tck-message-response'));
    return 'parts' in answer ? textOf(answer.parts) : 'a task';
  }

  stream() {
    return this.#follow('tck-stream-artifact-chunked');
  }

  async follow_up() {
    const task = await this.#task('tck-input-required');
    return { asked: stateOf(task.status), events: await this.#follow('tck-complete-task', task) };
  }

  async get() {
    const { id } = await this.#task('tck-complete-task');
    return stateOf((await this.#client.getTask(GetTaskRequest.fromJSON({ id }))).status);
  }

  async list() {
    const { id, contextId } = await this.#task('tck-complete-task');
    const { tasks, pageSize } = await this.#client.listTasks(ListTasksRequest.fromJSON({ contextId }));
    return { tasks: tasks.map((each) => each.id === id), pageSize };
  }

  async cancel() {
    const { id } = await this.#task('tck-input-required');
    return stateOf((await this.#client.cancelTask(CancelTaskRequest.fromJSON({ id }))).status);
  }

  async not_found() {
    return (await errorOf(() => this.#client.getTask(GetTaskRequest.fromJSON({ id: 'nothing' })))).name;
  }

  async not_cancelable() {
    const { id } = await this.#task('tck-complete-task');
    return (await errorOf(() => this.#client.cancelTask(CancelTaskRequest.fromJSON({ id })))).name;
  }

  async invalid() {
    const bad = request('tck-complete-task', undefined, { parts: [] });
    const { name, message } = await errorOf(() => this.#client.sendMessage(bad));
    return { error: name, namesField: message.includes('message.parts') };
  }

  async stream_errors() {
    const { id } = await this.#task('tck-complete-task');
    const subscribe = (id: string) =>
      Array.fromAsync(this.#client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id })));
    const bad = request('tck-complete-task', undefined, { parts: [] });
    return namesOf({
      unknown: () => subscribe('nothing'),
      ended: () => subscribe(id),
      invalid: () => Array.fromAsync(this.#client.sendMessageStream(bad)),
    });
  }

  async list_after() {
    const { contextId } = await this.#task('tck-complete-task');
    const found = async (year: number) => {
      const statusTimestampAfter = `${year}-01-01T00:00:00Z`;
      const filter = ListTasksRequest.fromJSON({ contextId, statusTimestampAfter });
      return (await this.#client.listTasks(filter)).tasks.length;
    };
    return [await found(2000), await found(2050)];
  }

  #createHook(taskId: string, url = webhook) {
    const config = TaskPushNotificationConfig.fromJSON({ taskId, id: 'hook', url });
    return this.#client.createTaskPushNotificationConfig(config);
  }

  #readHook(taskId: string, id = 'hook') {
    const asked = GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id });
    return this.#client.getTaskPushNotificationConfig(asked);
  }

  #listHooks(taskId: string) {
    const asked = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
    return this.#client.listTaskPushNotificationConfig(asked);
  }

  #deleteHook(taskId: string) {
    const asked = DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: 'hook' });
    return this.#client.deleteTaskPushNotificationConfig(asked);
  }

  async push() {
    const { id } = await this.#task('tck-input-required');
    await this.#createHook(id);
    return (await this.#readHook(id)).url;
  }

  async push_list() {
    const { id } = await this.#task('tck-input-required');
    await this.#createHook(id);
    const listed = (await this.#listHooks(id)).configs.length;
    await this.#deleteHook(id);
    return { listed, left: (await this.#listHooks(id)).configs.length };
  }

  async resubscribe() {
    const stream = this.#client.sendMessageStream(request('test-resubscribe-message-id'));
    const { value } = await stream.next();
    await stream.return();
    const id = value?.payload?.$case === 'task' ? value.payload.value.id : '';
    const events: string[] = [];
    for await (const event of this.#client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }))) {
      if (events.length === 0) await this.#client.cancelTask(CancelTaskRequest.fromJSON({ id }));
      events.push(fact(event));
    }
    return [events.at(0), events.at(-1)];
  }

  async webhook() {
    const { message } = request('tck-complete-task');
    const taskPushNotificationConfig = TaskPushNotificationConfig.fromJSON({ id: 'hook', url: hook, token: 'secret' });
    const configuration = { taskPushNotificationConfig, acceptedOutputModes: [], returnImmediately: false };
    const answer = await this.#client.sendMessage({ message, configuration, tenant: '', metadata: undefined });
    return 'id' in answer ? answer.id : 'a message';
  }

  async errors() {
    const ended = await this.#task('tck-complete-task');
    const waiting = await this.#task('tck-input-required');
    const send = (asked: SendMessageRequest) => this.#client.sendMessage(asked);
    const strange = { parts: [{ text: 'Hello', mediaType: 'model/gltf+json' }] };
    return namesOf({
      'send to no task': () => send(request('tck-complete-task', { id: 'nothing' })),
      'send to an ended task': () => send(request('tck-complete-task', ended)),
      'send to another context': () => send(request('tck-complete-task', { id: waiting.id, contextId: 'elsewhere' })),
      'send a strange type': () => send(request('tck-complete-task', undefined, strange)),
      'list a wrong page': () => this.#client.listTasks(ListTasksRequest.fromJSON({ pageToken: 'nothing' })),
      'cancel no task': () => this.#client.cancelTask(CancelTaskRequest.fromJSON({ id: 'nothing' })),
      'hook of no task': () => this.#createHook('nothing'),
      'hook without URL': () => this.#createHook(waiting.id, 'no URL'),
      'read no hook': () => this.#readHook(waiting.id, 'nothing'),
      'list hooks of no task': () => this.#listHooks('nothing'),
      'delete a hook of no task': () => this.#deleteHook('nothing'),
      'extended card': () => this.#client.transport.getExtendedAgentCard({ tenant: '' }),
    });
  }
}

class Refusals {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  refusals() {
    const ids = { taskId: 'nothing', id: 'hook' };
    const config = TaskPushNotificationConfig.fromJSON({ ...ids, url: webhook });
    return namesOf({
      send: () => this.#client.sendMessage(request('tck-complete-task')),
      stream: () => Array.fromAsync(this.#client.sendMessageStream(request('tck-complete-task'))),
      hook: () => this.#client.createTaskPushNotificationConfig(config),
      'read a hook': () =>
        this.#client.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON(ids)),
    });
  }
}

function report(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function connect(): Promise<{ readonly client: Client; readonly card: AgentCard }> {
  const card = await new DefaultAgentCardResolver({ legacyCompat }).resolve(`${url}/`);
  // An agent with only this version and binding: the SDK would choose the newest.
  const supportedInterfaces = card.supportedInterfaces.filter(
    (each) => each.protocolVersion === version && each.protocolBinding === binding,
  );
  const Factory = factories[binding as keyof typeof factories];
  const factory = new ClientFactory({ transports: [new Factory({ legacyCompat })] });
  return { client: await factory.createFromAgentCard({ ...card, supportedInterfaces }), card };
}

const { client, card } = await connect();
report({ case: 'card', got: card.name });
const cases = hook === 'none' ? new Refusals(client) : new Cases(client);
for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(cases)).filter((name) => name !== 'constructor')) {
  try {
    report({ case: name, got: await Reflect.get(cases, name).call(cases) });
  } catch (thrown) {
    report({ case: name, failed: String(thrown) });
  }
}
// Its gRPC channel keeps the process alive.
process.exit();
