import type { AddressPolicy } from '@switchyard/outgoing';
import {
  A2AError,
  type FieldViolation,
  invalidParams,
  type SendMessageRequest,
  type TaskPushNotificationConfig,
} from '@switchyard/protocol';
import type { WebhookDraft } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { legacyVersion, traceParentIn } from '../call/service-parameters.ts';
import type { Emit } from '../telemetry/events.ts';
import { type Backend, requirePush } from './backend.ts';

/** A value that is sent in a header: visible ASCII, with blanks inside. */
const headerText = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;
/** RFC 9110 5.6.2. */
const schemeName = /^[!#$%&'*+.^_`|~\w-]+$/;

interface WebhookSource {
  readonly policy: Pick<AddressPolicy, 'problemOf'>;
  readonly call: Pick<Call, 'version' | 'traceParent'>;
  /** Path of the config in its request: '', or with a dot at its end. */
  readonly path: string;
}

/** The config for the store; refuses values that could not be sent later. @throws {A2AError} InvalidParams */
export function toWebhook(config: TaskPushNotificationConfig, { policy, call, path }: WebhookSource): WebhookDraft {
  const violations = violationsOf(config, policy).map((each) => ({ ...each, field: path + each.field }));
  if (violations.length > 0) throw invalidParams(violations);
  const { taskId: _, ...draft } = config;
  const { version, traceParent } = call;
  return {
    ...draft,
    ...(version === legacyVersion && { version }),
    ...(traceParent !== undefined && { traceParent }),
  };
}

function violationsOf(
  { url, token, authentication }: TaskPushNotificationConfig,
  policy: WebhookSource['policy'],
): FieldViolation[] {
  const problems: Readonly<Record<string, string | undefined>> = {
    url: policy.problemOf(url),
    token: headerProblem(token),
    'authentication.scheme':
      authentication && !schemeName.test(authentication.scheme)
        ? 'must be the name of an HTTP authentication scheme, such as Bearer'
        : undefined,
    'authentication.credentials': headerProblem(authentication?.credentials),
  };
  return Object.entries(problems).flatMap(([field, description]) => (description ? [{ field, description }] : []));
}

function headerProblem(text = ''): string | undefined {
  return text === '' || headerText.test(text) ? undefined : 'must be text that an HTTP header can hold';
}

const path = 'configuration.taskPushNotificationConfig.';

/**
 * The config of a message (A2A 3.2.2): stored together with it, so that it misses no event.
 * @throws {A2AError}
 */
export function inlineWebhook(
  config: TaskPushNotificationConfig,
  { message, metadata }: SendMessageRequest,
  { backend, call }: { readonly backend: Backend; readonly call: Call },
): WebhookDraft {
  const { policy, warnIfClear } = requirePush(backend, call);
  if (config.taskId !== undefined && config.taskId !== message.taskId) throw ofAnotherTask();
  const traceParent =
    call.traceParent ?? traceParentIn(message.metadata?.traceparent) ?? traceParentIn(metadata?.traceparent);
  warnIfClear();
  return toWebhook(config, { policy, call: { version: call.version, traceParent }, path });
}

function ofAnotherTask(): A2AError {
  const violations = [{ field: `${path}taskId`, description: 'must be left out, or be that of the message' }];
  return invalidParams(violations);
}

/** A client that sends a config with every message should give it an id, to replace it. */
export function tooManyConfigs(taskId: string): A2AError {
  return new A2AError('InvalidParams', 'The task has as many push notification configs as it may have', {
    violations: [{ field: 'id', description: 'must be that of a config to be replaced, or one must be deleted first' }],
    metadata: { taskId },
  });
}

/** Call it before each config is stored: logs once that credentials are stored in clear. */
export function clearStorageWarning(areEncrypted: boolean, emit: Emit): () => void {
  let isSaid = areEncrypted;
  return () => {
    if (!isSaid) emit({ kind: 'push-in-clear' });
    isSaid = true;
  };
}
