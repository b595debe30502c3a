import type { RequestOptions } from '@a2a-js/sdk/client';
import type { Card } from './card.ts';

export type ServiceParameters = Readonly<Record<string, string>>;

/** Whether the card names the extension. */
export function offers({ capabilities }: Card, uri: string): boolean {
  return capabilities?.extensions?.some((extension) => extension.uri === uri) === true;
}

export function withExtension(parameters: ServiceParameters, uri: string): ServiceParameters {
  const [name, named] = Object.entries(parameters).find(([key]) => key.toLowerCase() === 'a2a-extensions') ?? [];
  return { ...parameters, [name ?? 'A2A-Extensions']: named ? `${named},${uri}` : uri };
}

export function withExtensionOf({ serviceParameters = {}, ...call }: RequestOptions, uri: string): RequestOptions {
  return { ...call, serviceParameters: withExtension(serviceParameters, uri) };
}
