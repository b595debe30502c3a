import { randomUUID } from 'node:crypto';
import { type A2AErrorCode, errorReasons, grpcStatuses, httpStatuses, jsonRpcCodes } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedOperation, callByJsonRpc, callByRest, type Parameters } from './support/call-by-binding.ts';
import { type Answer, type ErrorBody, type ErrorDetail, post, type Sent, userMessage } from './support/client.ts';
import { canceled } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

const alice = { 'x-api-key': 'key-of-alice-0123456789' };

let stage: Stage;
/** A completed task of `echo`, and its first message. */
let ended: string;
let used: string;
/** A task that has not ended. */
let open: string;

beforeAll(async () => {
  const keys = [{ key: alice['x-api-key'], subject: 'alice', tenant: 'default', scopes: [] }];
  stage = await openStage({ gateway: { auth: { keys } } });
  const begun = userMessage('hello');
  used = begun.messageId;
  ended = await begin(begun);
  open = await begin();
  await (await stage.beginTurn(ended)).publish(canceled);
});

afterAll(() => stage[Symbol.asyncDispose]());

async function begin(message = userMessage('hello')): Promise<string> {
  const request = { message, configuration: { returnImmediately: true } };
  return (await post<Sent>(`${stage.url}/agents/echo/message:send`, request, alice)).body.task.id;
}

interface Refusal {
  readonly code: A2AErrorCode;
  readonly operation: ComparedOperation;
  readonly params?: () => Parameters;
  readonly agent?: string;
  readonly headers?: Record<string, string>;
  /** Names of the wrong fields. */
  readonly fields?: readonly string[];
}

const message = (given: object = {}): Parameters => ({ message: { ...userMessage('hello'), ...given } });
const nowhere = randomUUID();
const config = { taskId: nowhere, id: 'one', url: 'https://example.com/hook' };
const picture = { parts: [{ raw: 'AAAA', mediaType: 'image/png' }] };
const unversioned = { ...alice, 'a2a-version': '2.0' };

/** A2A 3.3.2. InvalidAgentResponse, which no request causes, is tested below. */
const refusals: Readonly<Record<string, Refusal>> = {
  'a task that is not there': { code: 'TaskNotFound', operation: 'GetTask', params: () => ({ id: nowhere }) },
  'the task of another agent': {
    code: 'TaskNotFound',
    operation: 'GetTask',
    agent: 'guest',
    params: () => ({ id: ended }),
  },
  'a task to cancel that is not there': {
    code: 'TaskNotFound',
    operation: 'CancelTask',
    params: () => ({ id: nowhere }),
  },
  'a task to follow that is not there': {
    code: 'TaskNotFound',
    operation: 'SubscribeToTask',
    params: () => ({ id: nowhere }),
  },
  'a message to a task that is not there': {
    code: 'TaskNotFound',
    operation: 'SendMessage',
    params: () => message({ taskId: nowhere }),
  },
  'a message to a task that has ended': {
    code: 'UnsupportedOperation',
    operation: 'SendMessage',
    params: () => message({ taskId: ended }),
  },
  'a streamed one': {
    code: 'UnsupportedOperation',
    operation: 'SendStreamingMessage',
    params: () => message({ taskId: ended }),
  },
  'a task to follow that has ended': {
    code: 'UnsupportedOperation',
    operation: 'SubscribeToTask',
    params: () => ({ id: ended }),
  },
  'a stream from an agent that has none': {
    code: 'UnsupportedOperation',
    operation: 'SendStreamingMessage',
    agent: 'mute',
    params: message,
  },
  'a task to follow at an agent that does not stream': {
    code: 'UnsupportedOperation',
    operation: 'SubscribeToTask',
    agent: 'mute',
    params: () => ({ id: nowhere }),
  },
  'a webhook for an agent that has none': {
    code: 'PushNotificationNotSupported',
    operation: 'CreateTaskPushNotificationConfig',
    agent: 'mute',
    params: () => config,
  },
  'to read one': {
    code: 'PushNotificationNotSupported',
    operation: 'GetTaskPushNotificationConfig',
    agent: 'mute',
    params: () => config,
  },
  'to list them': {
    code: 'PushNotificationNotSupported',
    operation: 'ListTaskPushNotificationConfigs',
    agent: 'mute',
    params: () => ({ taskId: config.taskId }),
  },
  'to delete one': {
    code: 'PushNotificationNotSupported',
    operation: 'DeleteTaskPushNotificationConfig',
    agent: 'mute',
    params: () => config,
  },
  'one with a message': {
    code: 'PushNotificationNotSupported',
    operation: 'SendMessage',
    agent: 'mute',
    params: () => ({
      ...message(),
      configuration: { taskPushNotificationConfig: { url: 'https://example.com/hook' } },
    }),
  },
  'a part of a type that the agent does not take': {
    code: 'ContentTypeNotSupported',
    operation: 'SendMessage',
    params: () => message(picture),
    fields: ['message.parts[0].mediaType'],
  },
  'an answer of a type that the agent does not make': {
    code: 'ContentTypeNotSupported',
    operation: 'SendStreamingMessage',
    params: () => ({ ...message(), configuration: { acceptedOutputModes: ['image/png'] } }),
    fields: ['configuration.acceptedOutputModes'],
  },
  'an extended card that is not offered': { code: 'UnsupportedOperation', operation: 'GetExtendedAgentCard' },
  'an extended card that is not there': {
    code: 'ExtendedAgentCardNotConfigured',
    operation: 'GetExtendedAgentCard',
    agent: 'braggart',
  },
  'a message without the extension that the agent needs': {
    code: 'ExtensionSupportRequired',
    operation: 'SendMessage',
    agent: 'strict',
    params: message,
    fields: ['A2A-Extensions'],
  },
  'another version': {
    code: 'VersionNotSupported',
    operation: 'ListTasks',
    headers: unversioned,
    fields: ['A2A-Version'],
  },
  'nobody in particular': { code: 'Unauthenticated', operation: 'ListTasks', headers: {} },
  'somebody unknown': { code: 'Unauthenticated', operation: 'ListTasks', headers: { 'x-api-key': 'wrong' } },
  'a message without an id, a role and parts': {
    code: 'InvalidParams',
    operation: 'SendMessage',
    params: () => ({ message: { parts: [] } }),
    fields: ['message.messageId', 'message.role', 'message.parts'],
  },
  'a message in a context that is not its task’s': {
    code: 'InvalidParams',
    operation: 'SendMessage',
    params: () => message({ taskId: open, contextId: 'another' }),
    fields: ['message.contextId'],
  },
  'a message id that was used for another message': {
    code: 'Conflict',
    operation: 'SendMessage',
    params: () => ({ message: { ...userMessage('something else'), messageId: used } }),
    fields: ['message.messageId'],
  },
  'a page that is too large': {
    code: 'InvalidParams',
    operation: 'ListTasks',
    params: () => ({ pageSize: 101 }),
    fields: ['pageSize'],
  },
  'a page token that nobody gave out': {
    code: 'InvalidParams',
    operation: 'ListTasks',
    params: () => ({ pageToken: 'x' }),
    fields: ['pageToken'],
  },
  'less than no history': {
    code: 'InvalidParams',
    operation: 'GetTask',
    params: () => ({ id: ended, historyLength: -1 }),
    fields: ['historyLength'],
  },
  'a tenant that there is not': {
    code: 'NotFound',
    operation: 'ListTasks',
    params: () => ({ tenant: 'nobody' }),
    fields: ['tenant'],
  },
};

const violated = (details: readonly ErrorDetail[] = []): string[] =>
  details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));

function check(
  { headers, body }: Answer<ErrorBody>,
  details: readonly ErrorDetail[] | undefined,
  expected: Refusal,
): void {
  const { code, fields = [] } = expected;
  expect(details?.[0]).toMatchObject({ reason: errorReasons[code], domain: 'a2a-protocol.org' });
  expect(violated(details)).toEqual(fields);
  expect(body.error.message).toMatch(/^[A-Z].*[^.]$/);
  if (code === 'Unauthenticated') expect(headers.get('www-authenticate')).toContain('Bearer');
}

describe('A refused request:', () => {
  describe.each(Object.entries(refusals))('%s', (_what, refusal) => {
    const { code, operation, params = () => ({}), agent = 'echo', headers = alice } = refusal;
    const request = () => ({ operation, params: params() });

    it("has its error in REST's form", async () => {
      const answer = await callByRest(`${stage.url}/agents/${agent}`, request(), headers);
      expect(answer.status).toBe(httpStatuses[code]);
      expect(answer.headers.get('content-type')).toBe('application/a2a+json');
      expect(answer.body.error).toMatchObject({ code: answer.status, status: grpcStatuses[code].name });
      check(answer, answer.body.error.details, refusal);
    });

    it("has its error in JSON-RPC's form", async () => {
      const answer = await callByJsonRpc(`${stage.url}/agents/${agent}`, request(), headers);
      expect(answer.status).toBe(code === 'Unauthenticated' ? 401 : 200);
      expect(answer.body.error.code).toBe(jsonRpcCodes[code]);
      check(answer, answer.body.error.data, refusal);
    });
  });

  it('canceling a task that has ended gets TaskNotCancelable', async () => {
    const id = await begin();
    await (await stage.beginTurn(id)).publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    const refusal: Refusal = { code: 'TaskNotCancelable', operation: 'CancelTask' };
    const request = { operation: 'CancelTask', params: { id } } as const;
    const rest = await callByRest(`${stage.url}/agents/echo`, request, alice);
    check(rest, rest.body.error.details, refusal);
    const rpc = await callByJsonRpc(`${stage.url}/agents/echo`, request, alice);
    check(rpc, rpc.body.error.data, refusal);
    expect([rest.status, rpc.body.error.code]).toEqual([400, -32002]);
  });

  it.each(['rest', 'json-rpc'] as const)(
    'an agent that answers without content causes InvalidAgentResponse, over %s',
    async (binding) => {
      const contextId = randomUUID();
      const request = { operation: 'SendMessage', params: message({ contextId }) } as const;
      const url = `${stage.url}/agents/oracle`;
      const answer = binding === 'rest' ? callByRest(url, request, alice) : callByJsonRpc(url, request, alice);
      const id = await stage.taskIn(contextId, 'oracle');
      const reply = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, isPlainMessage: true } as const;
      await (await stage.beginTurn(id)).publish(reply);
      const { status, body } = await answer;
      expect([status, body.error.code]).toEqual(binding === 'rest' ? [500, 500] : [200, -32006]);
      expect((body.error.details ?? body.error.data)?.[0]?.reason).toBe('INVALID_AGENT_RESPONSE');
    },
  );
});
