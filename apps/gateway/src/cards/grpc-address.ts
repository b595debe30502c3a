import type { CardParts } from './card-parts.ts';

/**
 * `host:port` where clients reach the gRPC binding, if cards name it: google-adk refuses a card with any address beside
 * the origin it came from, and every gRPC client wants `host:port`.
 */
export function grpcAddress(
  { settings, grpcPort }: Pick<CardParts, 'settings' | 'grpcPort'>,
  base: string,
): string | undefined {
  const [port, address] = [grpcPort(), settings.grpc?.publicAddress];
  if (port === undefined) return undefined;
  return address === 'auto' ? `${new URL(base).hostname}:${port}` : address;
}
