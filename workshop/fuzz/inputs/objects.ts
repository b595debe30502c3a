import fc from 'fast-check';
import { anything, ids, mostly, oddTexts, some } from './values.ts';

/** The objects of A2A, of both versions: nearly right. */
const text = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 30 }) }, { weight: 1, arbitrary: oddTexts });
const metadata = mostly(fc.dictionary(text, anything, { maxKeys: 3 }));
const whole = mostly(fc.integer({ min: -1, max: 120 }));
const texts = mostly(fc.array(text, { maxLength: 3 }));
const mediaType = mostly(fc.constantFrom('text/plain', 'application/json', 'image/png', '*/*', 'text', ''));
const time = mostly(fc.date({ noInvalidDate: true }).map((date) => date.toISOString()));
const state = mostly(
  fc.constantFrom('TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED', 'working', 3),
);

const raw = mostly(fc.base64String({ maxLength: 40 }));
const url = mostly(fc.webUrl());
const partMeta = { mediaType, filename: text, metadata };
const part = mostly(
  fc.oneof(
    some({ text: mostly(text), ...partMeta }, ['text']),
    some({ data: anything, ...partMeta }, ['data']),
    some({ raw, ...partMeta }, ['raw']),
    some({ url, ...partMeta }, ['url']),
  ),
);

const messageOf = (
  parts: fc.Arbitrary<unknown>,
  role: fc.Arbitrary<unknown>,
): Record<string, fc.Arbitrary<unknown>> => ({
  messageId: mostly(fc.uuid()),
  role,
  parts: mostly(fc.array(parts, { maxLength: 3 })),
  taskId: mostly(ids),
  contextId: mostly(ids),
  metadata,
  extensions: texts,
  referenceTaskIds: mostly(fc.array(ids, { maxLength: 3 })),
});
const needed = ['messageId', 'role', 'parts'];
const message = mostly(some(messageOf(part, mostly(fc.constantFrom('ROLE_USER', 'ROLE_AGENT'))), needed));

const authentication = some({ scheme: mostly(text), credentials: mostly(text), schemes: texts });
const webhook = { id: mostly(ids), url, token: mostly(text), authentication };
const inlineConfig = some(webhook, ['url']);
const configuration = some({
  acceptedOutputModes: mostly(fc.array(mediaType, { maxLength: 2 })),
  historyLength: whole,
  ifGenerationMatch: whole,
  returnImmediately: mostly(fc.boolean()),
  taskPushNotificationConfig: inlineConfig,
  blocking: mostly(fc.boolean()),
  pushNotificationConfig: inlineConfig,
});
const tenant = mostly(fc.constantFrom('', 'echo', 'nobody'));

const send = some({ message, configuration, metadata, tenant }, ['message']);
const page = { tenant, pageSize: whole, pageToken: mostly(text) };

/** Parameters, by the operation of 1.0. */
export const operations: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: some({ id: mostly(ids), historyLength: whole, currentGeneration: whole, timelineLength: whole, tenant }, [
    'id',
  ]),
  ListTasks: some({
    ...page,
    contextId: ids,
    status: state,
    historyLength: whole,
    statusTimestampAfter: time,
    includeArtifacts: mostly(fc.boolean()),
  }),
  CancelTask: some({ id: mostly(ids), ifGenerationMatch: whole, tenant, metadata }, ['id']),
  SubscribeToTask: some({ id: mostly(ids), tenant }, ['id']),
  CreateTaskPushNotificationConfig: some({ taskId: mostly(ids), tenant, ...webhook }, ['taskId', 'url']),
  GetTaskPushNotificationConfig: some({ taskId: mostly(ids), id: mostly(ids), tenant }, ['taskId', 'id']),
  ListTaskPushNotificationConfigs: some({ taskId: mostly(ids), ...page }, ['taskId']),
  DeleteTaskPushNotificationConfig: some({ taskId: mostly(ids), id: mostly(ids), tenant }, ['taskId', 'id']),
  GetExtendedAgentCard: some({ tenant }),
};

const legacyPart = mostly(
  fc.oneof(
    some({ kind: mostly(fc.constant('text')), text: mostly(text), metadata }, ['kind', 'text']),
    some({ kind: mostly(fc.constant('data')), data: anything, metadata }, ['kind', 'data']),
    some({ kind: mostly(fc.constant('file')), file: some({ bytes: raw, uri: url, name: text, mimeType: mediaType }) }, [
      'kind',
    ]),
  ),
);
const legacyMessage = mostly(
  some({ ...messageOf(legacyPart, mostly(fc.constantFrom('user', 'agent'))), kind: mostly(fc.constant('message')) }, [
    ...needed,
    'kind',
  ]),
);
const legacySend = some({ message: legacyMessage, configuration, metadata }, ['message']);
const legacyConfig = { pushNotificationConfigId: mostly(ids), metadata };

/** Parameters, by the method of 0.3. */
export const legacyMethods: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'message/send': legacySend,
  'message/stream': legacySend,
  'tasks/get': some({ id: mostly(ids), historyLength: whole, metadata }, ['id']),
  'tasks/cancel': some({ id: mostly(ids), metadata }, ['id']),
  'tasks/resubscribe': some({ id: mostly(ids), metadata }, ['id']),
  'tasks/pushNotificationConfig/set': some({ taskId: mostly(ids), pushNotificationConfig: inlineConfig }, ['taskId']),
  'tasks/pushNotificationConfig/get': some({ id: mostly(ids), ...legacyConfig }, ['id']),
  'tasks/pushNotificationConfig/list': some({ id: mostly(ids) }, ['id']),
  'tasks/pushNotificationConfig/delete': some({ id: mostly(ids), ...legacyConfig }, ['id']),
  'agent/getAuthenticatedExtendedCard': some({}),
};
