import { type FieldViolation, invalidParams, type TaskPushNotificationConfig } from '@switchyard/protocol';
import type { WebhookDraft, WebhookPolicy } from '@switchyard/store';
import { legacyVersion } from '../http/protocol-version.ts';
import type { Call } from '../operations/call.ts';

/** What becomes part of a header: visible ASCII, with blanks inside. */
const headerText = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;
/** RFC 9110 5.6.2. */
const schemeName = /^[!#$%&'*+.^_`|~\w-]+$/;

export interface WebhookSource {
  readonly policy: Pick<WebhookPolicy, 'problemOf'>;
  readonly call: Pick<Call, 'version' | 'traceParent'>;
  /** Where the config is in its request: '' or a path that ends with a dot. */
  readonly path: string;
}

/** The config as it is stored; what could not be sent later is refused now. @throws {A2AError} InvalidParams */
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
