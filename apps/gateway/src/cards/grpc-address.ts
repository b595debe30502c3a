import type { CardParts } from './card-parts.ts';

/** `host:port` where clients reach the gRPC binding: as the settings say, else at the host of the other URLs. */
export function grpcAddress(
  { settings, grpcPort }: Pick<CardParts, 'settings' | 'grpcPort'>,
  base: string,
): string | undefined {
  const port = grpcPort();
  if (port === undefined) return undefined;
  return settings.grpc?.publicAddress ?? `${new URL(base).hostname}:${port}`;
}
