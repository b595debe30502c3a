import { hasBlockedPort } from '@switchyard/outgoing';
import {
  A2AError,
  type FieldViolation,
  invalidParams,
  type SendMessageRequest,
  type TaskPushNotificationConfig,
  type TraceContext,
} from '@switchyard/protocol';
import type { WebhookDraft } from '@switchyard/store';
import { activeTraceContext } from '@switchyard/telemetry';
import type { Call } from '../call/call.ts';
import { protocolVersion } from '../exchange/service-parameters.ts';
import { type Backend, requirePush } from './backend.ts';
import type { PushBackend } from './push-backend.ts';

/** A value for a header: visible ASCII, with spaces inside. */
const headerText = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;
/** RFC 9110 5.6.2. */
const schemeName = /^[!#$%&'*+.^_`|~\w-]+$/;

interface WebhookSource {
  readonly push: Pick<PushBackend, 'policy' | 'takesSecrets'>;
  readonly call: Pick<Call, 'version' | 'traceContext'>;
  /** Path of the config in its request: '', or ending with a dot. */
  readonly path: string;
}

/** The config for the store; refuses values that could not be sent later. @throws {A2AError} InvalidParams */
export function toWebhook(config: TaskPushNotificationConfig, { push, call, path }: WebhookSource): WebhookDraft {
  const violations = violationsOf(config, push).map((each) => ({ ...each, field: path + each.field }));
  if (violations.length > 0) throw invalidParams(violations);
  const { taskId: _, ...draft } = config;
  const { version } = call;
  const trace = activeTraceContext() ?? call.traceContext;
  return {
    ...draft,
    ...(version !== undefined && version !== protocolVersion && { version }),
    ...(trace && { traceParent: trace.parent }),
    ...(trace?.state !== undefined && { traceState: trace.state }),
  };
}

function violationsOf(
  { url, token, authentication }: TaskPushNotificationConfig,
  { policy, takesSecrets }: WebhookSource['push'],
): FieldViolation[] {
  const secretProblem = takesSecrets ? headerProblem : clearProblem;
  const problems: Readonly<Record<string, string | undefined>> = {
    url: urlProblem(url) ?? policy.problemOf(url),
    token: secretProblem(token),
    'authentication.scheme':
      authentication && !schemeName.test(authentication.scheme)
        ? 'must be the name of an HTTP authentication scheme, such as Bearer'
        : undefined,
    'authentication.credentials': secretProblem(authentication?.credentials),
  };
  return Object.entries(problems).flatMap(([field, description]) => (description ? [{ field, description }] : []));
}

/** A URL with such characters would be called otherwise than it is stored: parsers remove or change them. */
const alteredCharacters = /[\p{Cc}\p{Z}\\]/u;

function urlProblem(url: string): string | undefined {
  if (alteredCharacters.test(url)) return 'must not contain spaces, control characters or backslashes';
  if (!URL.canParse(url) || !hasBlockedPort(new URL(url))) return undefined;
  return `must not have the port ${new URL(url).port}, which belongs to another protocol`;
}

function headerProblem(text = ''): string | undefined {
  return text === '' || headerText.test(text) ? undefined : 'must be text that an HTTP header can hold';
}

function clearProblem(text = ''): string | undefined {
  if (text === '') return undefined;
  return 'would be stored in clear text: this gateway needs PUSH_SECRET, or PUSH_CLEAR=on to allow it';
}

const path = 'configuration.taskPushNotificationConfig.';

interface MessageContext {
  readonly backend: Backend;
  readonly call: Call;
  readonly traceContext: TraceContext | undefined;
}

/**
 * The config of a message (A2A 3.2.2): stored together with the message, so that it misses no event. Asks the webhook
 * for its consent, if required.
 * @throws {A2AError}
 */
export async function inlineWebhook(
  config: TaskPushNotificationConfig,
  request: SendMessageRequest,
  { backend, call, traceContext }: MessageContext,
): Promise<WebhookDraft> {
  const push = requirePush(backend, call);
  if (config.taskId !== undefined && config.taskId !== request.message.taskId) throw ofAnotherTask();
  const draft = toWebhook(config, { push, call: { version: call.version, traceContext }, path });
  await push.consent?.require(draft.url, `${path}url`, call);
  push.warnIfClear();
  return draft;
}

function ofAnotherTask(): A2AError {
  const violations = [{ field: `${path}taskId`, description: 'must be absent, or that of the message' }];
  return invalidParams(violations);
}

/** A client that sends a config with every message should give it an id, so that it replaces the one before. */
export function tooManyConfigs(taskId: string): A2AError {
  return new A2AError('InvalidParams', 'The task has the maximum number of push notification configs', {
    violations: [{ field: 'id', description: 'must be the id of an existing config; or delete a config first' }],
    metadata: { taskId },
  });
}
