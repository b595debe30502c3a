import { type CliOptions, longFlag } from './options.ts';
import type { Setting } from './resolve.ts';
import { isLoopbackUrl } from './this-machine.ts';

/** An origin that would get credentials although the user has not named it for them. */
export interface Elsewhere {
  readonly origin: string;
  /** Who names the origin: a file of a folder, or a card. */
  readonly namedBy: string;
  /** The options with the credentials. */
  readonly credentials: readonly string[];
}

export interface ScopeSettings {
  readonly settings: readonly Setting[];
  readonly options: Pick<CliOptions, 'agentCard' | 'credentialsFor'>;
  /** A credential that is no setting: the token of a login, which would be kept for the URL. */
  readonly token?: string;
}

/**
 * Whether the credentials may go to the URL of an interface. They were given for the agent that the user names. A
 * file of the folder may have come with a project, and so may a card: its author would get the credentials of a person
 * who runs a command there. @returns undefined: they may
 */
export function elsewhereOf(url: string, { settings, options, token }: ScopeSettings): Elsewhere | undefined {
  const credentials = settings.filter(({ spec, value }) => spec.isSecret && value !== undefined);
  if (credentials.length === 0 && token === undefined) return undefined;
  const to = webUrl(url);
  const origin = originOf(url);
  if (isLoopbackUrl(to) || options.credentialsFor?.includes(origin)) return undefined;
  const file = settings.find(({ name }) => name === 'agentCard')?.file;
  const isOfOneFile = token === undefined && credentials.every((each) => each.file?.path === file?.path);
  const isOfFolder = file?.isOfFolder === true && !isOfOneFile;
  if (!isOfFolder && isSameHost(options.agentCard, to)) return undefined;
  const namedBy = isOfFolder ? file.path : `the card at ${options.agentCard}`;
  return {
    origin,
    namedBy,
    credentials: token === undefined ? credentials.map(({ spec }) => longFlag(spec)) : [token],
  };
}

/** The origin of the URL of an interface; of gRPC's addresses, too. */
export function originOf(url: string): string {
  const to = webUrl(url);
  return URL.canParse(to) ? new URL(to).origin : url;
}

/** Another port may have another binding, but TLS stays TLS. A file is on no host. */
function isSameHost(reference: string, to: string): boolean {
  const given = webUrl(reference);
  if (/^(?:[./~]|file:)/.test(reference) || !URL.canParse(given) || !URL.canParse(to)) return false;
  const [from, target] = [new URL(given), new URL(to)];
  return from.hostname === target.hostname && !(from.protocol === 'https:' && target.protocol === 'http:');
}

/** gRPC's addresses have no scheme. */
function webUrl(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url.replace(/^dns:\/*/i, '')}`;
}
