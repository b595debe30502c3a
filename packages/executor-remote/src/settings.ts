import type { Turn } from '@switchyard/agent';
import { checkSettings, type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import { AddressPolicy, type AddressPolicySettings } from '@switchyard/outgoing';
import type { AgentCard } from '@switchyard/protocol';
import type { CardVerifier } from '@switchyard/signatures';
import type { RemoteAuth } from './auth/auth-settings.ts';
import { tokensOf } from './auth/tokens-of.ts';

type HeaderFields = Readonly<Record<string, string>>;

/** The agent's card, or its URL. */
export type RemoteLocation =
  | {
      /** URL of the card, or of the agent: then the card is at `/.well-known/agent-card.json` below it. */
      readonly cardUrl: string;
      readonly card?: never;
    }
  | { readonly card: AgentCard; readonly cardUrl?: never };

/** Times in milliseconds. */
export type RemoteSettings = RemoteLocation & {
  /**
   * Headers of every request, for example Authorization, to the origin of `cardUrl` (or those of `card`) and to
   * `trustedOrigins`: a card that names other origins is refused. The turn is undefined for the request for the card.
   */
  readonly headers?: HeaderFields | ((turn: Turn | undefined) => HeaderFields | Promise<HeaderFields>);
  /** Tokens that expire, sent like `headers`. The settings object is the key of the tokens: use the same one. */
  readonly auth?: RemoteAuth;
  /** Further origins (`https://api.example.com`) that get the headers, and may have private addresses. */
  readonly trustedOrigins?: readonly string[];
  /**
   * Which addresses may be called. Default: the origin of `cardUrl` (or those of `card`), also at a private address;
   * and other origins in its card, if they are public and have TLS.
   */
  readonly policy?: AddressPolicySettings;
  /** Verifies the agent's card (`@switchyard/signatures`). Default: any card at the URL is accepted. */
  readonly cardVerifier?: Pick<CardVerifier, 'verify'>;
  /** Which of the agent's bindings to use. Default: the first one in its card that is one of these two. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /** Interval of polls of a task that cannot be streamed, and of attempts to resume a stream. Default: 1,000. */
  readonly pollEveryMs?: number;
  /** How long an attempt waits for an unreachable agent. Default: 60,000. */
  readonly retryBudgetMs?: number;
  /**
   * A stream without data for this long is reopened: its connection may be dead. A message waits ten times as long for
   * its first answer, since it cannot be repeated safely. Default: 60,000.
   */
  readonly idleTimeoutMs?: number;
  /**
   * How long the turn waits for an authorization before it ends; the client's next message continues. Default: 60,000.
   */
  readonly authWaitMs?: number;
  /** After this time a turn reads the card again: the agent may have moved. Default: 60,000. */
  readonly cardMaxAgeMs?: number;
  /** Longest wait for an answer to a request that only reads. Default: 60,000. */
  readonly requestTimeoutMs?: number;
  /**
   * Bytes of all files of this deployment in a message (docs/files.md): the agent gets their content as `raw`, a third
   * larger. Default: 3,500,000, for agents that take 5 MiB.
   */
  readonly maxFileBytes?: number;
};

const {
  any,
  atLeast,
  either,
  fields,
  flag,
  function: aFunction,
  httpUrl,
  listOf,
  object,
  oneOf,
  recordOf,
  required,
  that,
} = settingCheck;

const allowedHosts = that(isPolicy, 'must be hosts, addresses and networks such as 10.1.0.0/16');

/** For `checkRemoteSettings`. Times are checked with the executor. */
const remoteChecks = {
  cardUrl: httpUrl,
  card: object,
  headers: either(recordOf(settingCheck.anyText), aFunction),
  auth: object,
  trustedOrigins: listOf(httpUrl),
  policy: fields({
    allowHttp: required(flag),
    allowHosts: required(allowedHosts),
    trustedOrigins: listOf(httpUrl),
  } satisfies Record<keyof AddressPolicySettings, SettingCheck>),
  cardVerifier: object,
  binding: oneOf('JSONRPC', 'HTTP+JSON'),
  pollEveryMs: any,
  retryBudgetMs: any,
  idleTimeoutMs: any,
  authWaitMs: any,
  cardMaxAgeMs: any,
  requestTimeoutMs: any,
  maxFileBytes: atLeast(0),
} satisfies Record<keyof RemoteSettings, SettingCheck>;

function isPolicy(allowHosts: unknown): boolean {
  if (!Array.isArray(allowHosts) || allowHosts.some((host) => typeof host !== 'string')) return false;
  try {
    return Boolean(new AddressPolicy({ allowHttp: false, allowHosts }));
  } catch {
    return false;
  }
}

/** @param checks further ones, of settings that are not of the remote agent @throws {TypeError} as `checkSettings` */
export function checkRemoteSettings(
  owner: string,
  given: RemoteSettings,
  checks: Readonly<Record<string, SettingCheck>> = {},
): void {
  // One of the two must be there.
  const cardUrl = given?.card === undefined ? required(httpUrl) : httpUrl;
  checkSettings(owner, given, { ...remoteChecks, cardUrl, ...checks });
}

type Time = 'pollEveryMs' | 'retryBudgetMs' | 'idleTimeoutMs' | 'authWaitMs' | 'cardMaxAgeMs' | 'requestTimeoutMs';
export type FullRemoteSettings = RemoteSettings & Required<Pick<RemoteSettings, Time | 'maxFileBytes'>>;

export const defaultTimes: Required<Pick<RemoteSettings, Time>> = {
  pollEveryMs: 1_000,
  retryBudgetMs: 60_000,
  idleTimeoutMs: 60_000,
  authWaitMs: 60_000,
  cardMaxAgeMs: 60_000,
  requestTimeoutMs: 60_000,
};

/** @throws {RemoteError} a token cannot be had */
export async function headersFor(settings: RemoteSettings, turn?: Turn): Promise<HeaderFields> {
  const { headers = {} } = settings;
  const given = typeof headers === 'function' ? await headers(turn) : headers;
  const token = await tokensOf(settings)?.token(turn);
  return token === undefined ? given : { ...given, Authorization: `Bearer ${token}` };
}

/** Whether requests carry what only some origins may get. */
export function hasSecrets({ headers, auth }: RemoteSettings): boolean {
  return headers !== undefined || auth !== undefined;
}
