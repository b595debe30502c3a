import { CommandFailure } from '../failures/failure.ts';
import { type Card, isOfV03 } from './card.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** How an agent is called. */
export interface ChosenInterface {
  readonly url: string;
  readonly binding: Binding;
  readonly version: string;
  readonly tenant: string | undefined;
}

/** The latest supported version of A2A. */
export const newestVersion = '1.0';

/**
 * The first usable interface of the card, with the preferred binding if there is one. Versions below 1.0 are used only
 * if requested. @throws {CommandFailure}
 */
export function chooseInterface(
  card: Card,
  { prefer = [], version }: { readonly prefer?: readonly Binding[] | undefined; readonly version: string | undefined },
): ChosenInterface {
  const all = interfacesOf(card);
  const usable = all.filter((each) => isSpoken(each.version, version));
  const [chosen] = prefer.flatMap((binding) => usable.filter((each) => each.binding === binding)).concat(usable);
  if (chosen) return { ...chosen, version: version ?? newestVersion };
  const isOld = isOfV03(card) || all.some((each) => each.version.startsWith('0.3'));
  const none = isOfV03(card) ? 'A2A 0.3' : 'no interface that is known here';
  const offered = all.map((each) => `${each.binding} ${each.version}`).join(', ') || none;
  throw new CommandFailure('VersionNotSupportedError', `The agent offers ${offered}, not A2A ${version ?? '1.x'}`, {
    hint: isOld ? 'Use --a2a-version 0.3 for the old version.' : undefined,
  });
}

function interfacesOf({ supportedInterfaces = [] }: Card): ChosenInterface[] {
  return supportedInterfaces.flatMap(({ url, protocolBinding, protocolVersion, tenant }) => {
    const binding = bindingOf(protocolBinding);
    return binding ? [{ url, binding, version: protocolVersion || newestVersion, tenant: tenant || undefined }] : [];
  });
}

function bindingOf(name: string): Binding | undefined {
  const upper = name.toUpperCase();
  return upper === 'JSONRPC' || upper === 'HTTP+JSON' || upper === 'GRPC' ? upper : undefined;
}

/** By major version: a newer minor version is treated as ours. */
function isSpoken(offered: string, wanted: string | undefined): boolean {
  return wanted === undefined ? offered.startsWith('1.') : offered.split('.')[0] === wanted.split('.')[0];
}
