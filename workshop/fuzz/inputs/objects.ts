import { rerunUri, resumableStreamsUri, skillUri } from '@switchyard/protocol';
import fc from 'fast-check';
import { anything, type Fields, ids, mostly, oddTexts, oneOf, some, weighted } from './values.ts';

/** The objects of A2A, of both versions, almost valid. */
const text = weighted([3, fc.string({ maxLength: 30 })], [1, oddTexts]);
const metadata = fc.oneof(
  fc.dictionary(text, anything, { maxKeys: 3 }),
  some({
    [skillUri]: some({ skill: oneOf('print|bind|fly') }),
    [rerunUri]: some({ taskId: ids, fromStep: text }),
    [resumableStreamsUri]: some({ lastEventId: oneOf('1|0|3-k3x9a|x') }),
  }),
);
const whole = fc.integer({ min: -1, max: 120 });
const fewOf = (one: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.array(mostly(one), { maxLength: 3 });
const mediaType = oneOf('text/plain|application/json|image/png|*/*|text|');
const time = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
const state = fc.oneof(
  oneOf('TASK_STATE_WORKING|TASK_STATE_COMPLETED|TASK_STATE_INPUT_REQUIRED|working'),
  fc.constant(3),
);

const raw = fc.base64String({ maxLength: 40 });
const url = fc.webUrl();
const partMeta = { mediaType, filename: text, metadata };
const part = fc.oneof(
  some({ text, ...partMeta }, ['text']),
  some({ data: anything, ...partMeta }, ['data']),
  some({ raw, ...partMeta }, ['raw']),
  some({ url, ...partMeta }, ['url']),
);

const needed = ['messageId', 'role', 'parts'];
const messageOf = (parts: fc.Arbitrary<unknown>, role: fc.Arbitrary<unknown>): Fields => ({
  messageId: fc.uuid(),
  role,
  parts: fewOf(parts),
  taskId: ids,
  contextId: ids,
  metadata,
  extensions: fewOf(text),
  referenceTaskIds: fewOf(ids),
});
const message = some(messageOf(part, oneOf('ROLE_USER|ROLE_AGENT')), needed);

const authentication = some({ scheme: text, credentials: text, schemes: fewOf(text) });
const webhook = { id: ids, url, token: text, authentication };
const inlineConfig = some(webhook, ['url']);
const configuration = some({
  acceptedOutputModes: fewOf(mediaType),
  historyLength: whole,
  ifGenerationMatch: whole,
  returnImmediately: fc.boolean(),
  taskPushNotificationConfig: inlineConfig,
  blocking: fc.boolean(),
  pushNotificationConfig: inlineConfig,
});
const tenant = oneOf('|echo|nobody');
const send = some({ message, configuration, metadata, tenant }, ['message']);
const page = { tenant, pageSize: whole, pageToken: text };

/** Parameters by operation of 1.0. */
export const operations: Fields = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: some({ id: ids, currentGeneration: whole, historyLength: whole, tenant }, ['id']),
  ListTasks: some({
    ...page,
    contextId: ids,
    status: state,
    historyLength: whole,
    statusTimestampAfter: time,
    includeArtifacts: fc.boolean(),
  }),
  CancelTask: some({ id: ids, ifGenerationMatch: whole, tenant, metadata }, ['id']),
  SubscribeToTask: some({ id: ids, tenant, metadata }, ['id']),
  CreateTaskPushNotificationConfig: some({ taskId: ids, tenant, ...webhook }, ['taskId', 'url']),
  GetTaskPushNotificationConfig: some({ taskId: ids, id: ids, tenant }, ['taskId', 'id']),
  ListTaskPushNotificationConfigs: some({ taskId: ids, ...page }, ['taskId']),
  DeleteTaskPushNotificationConfig: some({ taskId: ids, id: ids, tenant }, ['taskId', 'id']),
  GetExtendedAgentCard: some({ tenant }),
};

const file = some({ bytes: raw, uri: url, name: text, mimeType: mediaType });
const legacyPart = fc.oneof(
  some({ kind: fc.constant('text'), text, metadata }, ['kind', 'text']),
  some({ kind: fc.constant('data'), data: anything, metadata }, ['kind', 'data']),
  some({ kind: fc.constant('file'), file }, ['kind']),
);
const legacyMessage = { ...messageOf(legacyPart, oneOf('user|agent')), kind: fc.constant('message') };
const legacySend = some({ message: some(legacyMessage, [...needed, 'kind']), configuration, metadata }, ['message']);
const oneTask = some({ id: ids, metadata }, ['id']);
const oneConfig = some({ id: ids, pushNotificationConfigId: ids, metadata }, ['id']);

/** Parameters by method of 0.3. */
export const legacyMethods: Fields = {
  'message/send': legacySend,
  'message/stream': legacySend,
  'tasks/get': some({ id: ids, historyLength: whole, metadata }, ['id']),
  'tasks/cancel': oneTask,
  'tasks/resubscribe': oneTask,
  'tasks/pushNotificationConfig/set': some({ taskId: ids, pushNotificationConfig: inlineConfig }, ['taskId']),
  'tasks/pushNotificationConfig/get': oneConfig,
  'tasks/pushNotificationConfig/list': some({ id: ids }, ['id']),
  'tasks/pushNotificationConfig/delete': oneConfig,
  'agent/getAuthenticatedExtendedCard': some({}),
};
