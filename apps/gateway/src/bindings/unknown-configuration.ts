import type { ServerResponse } from 'node:http';
import { invalidParams } from '@switchyard/protocol';
import { sendMessageConfigurationSchema } from '@switchyard/protocol/schemas';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

type Settings = Pick<GatewaySettings, 'unknownConfiguration'>;

/** A2A 1.0, 3.2.2, and the field of the extension for generations. */
const current = withSnakeCase(['ifGenerationMatch', ...Object.keys(sendMessageConfigurationSchema.shape)]);
/** A2A 0.3, 7.1.1; REST has the names of the protobuf definition. */
const legacy = withSnakeCase([
  'acceptedOutputModes',
  'blocking',
  'historyLength',
  'pushNotificationConfig',
  'pushNotification',
]);

/** Most names in an answer. */
const MAX_NAMED = 10;

/**
 * Names the fields of a message's configuration that A2A 1.0 does not have, such as `blocking` of 0.3, in the header
 * `A2A-Ignored-Fields`: a server must ignore unknown fields, but its client should know. Or refuses them.
 * @throws {A2AError} InvalidParams
 */
export function checkConfiguration(settings: Settings, res: ServerResponse, params: unknown): void {
  check(settings, res, unknownNames(params, current));
}

/** The same for A2A 0.3, such as `returnImmediately` of 1.0. @throws {A2AError} InvalidParams */
export function checkLegacyConfiguration(settings: Settings, res: ServerResponse, params: unknown): void {
  check(settings, res, unknownNames(params, legacy));
}

function check({ unknownConfiguration }: Settings, res: ServerResponse, names: readonly string[]): void {
  if (names.length === 0) return;
  const fields = names.map((name) => `configuration.${/^\w{1,64}$/.test(name) ? name : '?'}`);
  if (unknownConfiguration === 'refuse') throw unknownFields(fields);
  res.setHeader('A2A-Ignored-Fields', fields.join(', '));
}

export function unknownFields(fields: readonly string[]): Error {
  return invalidParams(fields.map((field) => ({ field, description: 'is not a known field' })));
}

function unknownNames(params: unknown, known: ReadonlySet<string>): readonly string[] {
  const { configuration } = Object(params) as { readonly configuration?: unknown };
  if (typeof configuration !== 'object' || configuration === null) return [];
  const names: string[] = [];
  for (const name in configuration) if (!known.has(name) && names.length < MAX_NAMED) names.push(name);
  return names;
}

function withSnakeCase(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]));
}
