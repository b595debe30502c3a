import { setTimeout as delay } from 'node:timers/promises';
import {
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi';
import { CommandFailure } from '../failures/failure.ts';
import { endpointFailure, endpointOf, refusalIn } from './identity-fetch.ts';
import {
  clientOf,
  type LoginContext,
  optionsFor,
  publicClient,
  serverOf,
  type Tokens,
  tokensIn,
} from './token-request.ts';

/** Without another word of the server, and after `slow_down` more (RFC 8628 3.2 and 3.5), in milliseconds. */
const usualIntervalMs = 5_000;
const minIntervalMs = 1_000;
/** After no answer, the interval doubles up to this. */
const maxIntervalMs = 60_000;
/** Longest wait for a person. */
const maxWaitMs = 3_600_000;

/** The device flow (RFC 8628): a person confirms a code in a browser on any machine. @throws {CommandFailure} */
export async function byDeviceCode(context: LoginContext, deviceUrl: string): Promise<Tokens> {
  const asked = await authorization(context, deviceUrl);
  tell(asked, context);
  const endsAt = performance.now() + Math.min(asked.expires_in * 1_000, maxWaitMs);
  let intervalMs = Math.max((asked.interval ?? 0) * 1_000 || usualIntervalMs, minIntervalMs);
  while (performance.now() + intervalMs < endsAt) {
    await delay(intervalMs, undefined, { signal: context.signal });
    const answer = await poll(context, asked.device_code);
    if (answer === 'slow down') intervalMs += usualIntervalMs;
    else if (answer === 'no answer') intervalMs = Math.max(intervalMs, Math.min(intervalMs * 2, maxIntervalMs));
    else if (answer !== 'pending') return answer;
  }
  throw expired();
}

async function authorization({ signIn, client, fetch }: LoginContext, deviceUrl: string) {
  const [server, id] = [serverOf(signIn), clientOf(client.clientId)];
  const { scope, audience } = client;
  const fields = { ...(scope !== '' && { scope }), ...(audience !== undefined && { audience }) };
  try {
    const answer = await deviceAuthorizationRequest(server, id, publicClient, fields, optionsFor(fetch));
    return await processDeviceAuthorizationResponse(server, id, answer);
  } catch (error) {
    throw await endpointFailure(error, deviceUrl);
  }
}

/** @throws {CommandFailure} the server names a page without TLS */
function tell(asked: DeviceAuthorizationResponse, { note }: LoginContext): void {
  const page = endpointOf(asked.verification_uri).href;
  note(`Open this page in a browser, on any machine: ${page}`);
  note(`and enter the code: ${asked.user_code.slice(0, 200)}`);
  if (asked.verification_uri_complete !== undefined)
    note(`or open the page with the code: ${endpointOf(asked.verification_uri_complete).href}`);
  note(`waiting until you have confirmed it there, for ${Math.round(asked.expires_in / 60) || 1} min; Ctrl-C ends it`);
}

async function poll({ signIn, client, fetch }: LoginContext, deviceCode: string) {
  const [server, id] = [serverOf(signIn), clientOf(client.clientId)];
  try {
    const answer = await deviceCodeGrantRequest(server, id, publicClient, deviceCode, optionsFor(fetch));
    return tokensIn(await processDeviceCodeResponse(server, id, answer));
  } catch (error) {
    if (error instanceof CommandFailure && error.code === 'A2ACLI_ERR_UNREACHABLE') return 'no answer';
    const code = (await refusalIn(error))?.code;
    if (code === 'authorization_pending') return 'pending';
    if (code === 'slow_down') return 'slow down';
    if (code === 'expired_token') throw expired();
    if (code === 'access_denied') throw denied();
    throw await endpointFailure(error, signIn.tokenUrl);
  }
}

export function denied(): CommandFailure {
  return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', 'The login was denied in the browser: no token was given', {
    hint: 'The person who confirms the code decides, or the identity server does by its own rules.',
  });
}

function expired(): CommandFailure {
  return new CommandFailure('A2ACLI_ERR_TIMEOUT', 'The code expired before somebody confirmed it', {
    hint: 'Log in again.',
  });
}
