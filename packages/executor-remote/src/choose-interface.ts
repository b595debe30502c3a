import { AddressRefused } from '@switchyard/outgoing';
import type { AgentCard, AgentInterface } from '@switchyard/protocol';
import type { Protocol } from './answers/protocol.ts';
import { RemoteError } from './answers/remote-error.ts';
import { namedOrigins, policyOf, untrustedOrigin } from './remote-fetch.ts';
import { hasSecrets, type RemoteSettings } from './settings.ts';

/** How a remote agent is called, and at which of its interfaces. */
export interface ChosenInterface extends Protocol {
  readonly at: AgentInterface;
}

/**
 * The interface of a card to call: of the binding in the settings, if the card has it; of A2A 1.x before 0.3; else the
 * first one.
 * @throws {RemoteError} there is none that can be called, or its address may not be called
 */
export function chooseInterface({ supportedInterfaces }: AgentCard, settings: RemoteSettings): ChosenInterface {
  const usable = supportedInterfaces.flatMap((at) => {
    const binding = bindings.find((name) => name === at.protocolBinding.toUpperCase());
    const version = versionOf(at.protocolVersion);
    return binding && version ? [{ at, binding, version }] : [];
  });
  const rank = ({ binding, version }: Protocol): number =>
    (settings.binding && binding !== settings.binding ? 2 : 0) + (version === '1.0' ? 0 : 1);
  const [chosen] = usable.toSorted((one, other) => rank(one) - rank(other));
  if (!chosen) throw new RemoteError('refused', `its card offers ${offerOf(supportedInterfaces)}`);
  const url = addressAt(chosen.at.url, settings.cardUrl);
  checkAddress(url, settings);
  return { ...chosen, at: { ...chosen.at, url } };
}

const bindings = ['JSONRPC', 'HTTP+JSON'] as const;

function versionOf(version: string): Protocol['version'] | undefined {
  if (/^1(?:\.|$)/.test(version)) return '1.0';
  // 0.2.5 and 0.2.6 have the methods of 0.3.
  return /^0\.[23](?:\.|$)/.test(version) ? '0.3' : undefined;
}

function offerOf(interfaces: readonly AgentInterface[]): string {
  const offered = interfaces.map(({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`);
  return `${offered.join(', ') || 'no interface'}, and not JSONRPC or HTTP+JSON of A2A 1.0 or 0.3`;
}

/**
 * The address to call. Many servers write the address at which they listen into their card: 0.0.0.0 is no address to
 * call, and at the port of the card `localhost` and `127.0.0.1` are the host of the card.
 */
export function addressAt(url: string, cardUrl: string | undefined): string {
  if (cardUrl === undefined || !URL.canParse(url)) return url;
  const [address, card] = [new URL(url), new URL(cardUrl)];
  const isAny = address.hostname === '0.0.0.0' || address.hostname === '[::]';
  const isSamePort = portOf(address) === portOf(card) && address.protocol === card.protocol;
  if (!isAny && !(isLoopback(address) && isSamePort)) return url;
  address.hostname = card.hostname;
  return address.href;
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function isLoopback({ hostname }: URL): boolean {
  return /^(?:127\.[\d.]+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}

/** Checks before the first message what each request checks again. */
function checkAddress(url: string, settings: RemoteSettings): void {
  const problem = policyOf(settings).problemOf(url);
  if (problem !== undefined)
    throw new RemoteError('refused', `its card names ${url.slice(0, 200)}, and the URL ${problem}${hintFor(url)}`, {
      cause: new AddressRefused(problem),
    });
  const { origin } = new URL(url);
  if (hasSecrets(settings) && !namedOrigins(settings).includes(origin)) throw untrustedOrigin(origin);
}

function hintFor(url: string): string {
  return URL.canParse(url) ? `, unless ${new URL(url).origin} is one of the trustedOrigins` : '';
}
