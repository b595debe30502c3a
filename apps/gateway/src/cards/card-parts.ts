import type { Authenticator } from '../auth/authenticator.ts';
import type { GatewaySettings } from '../settings.ts';

/** What a card is made from, besides the agent. */
export interface CardParts {
  readonly settings: Pick<GatewaySettings, 'grpc' | 'publicUrl' | 'cardSigningKeys' | 'push' | 'legacyV03'>;
  readonly authenticator: Authenticator;
  readonly grpcPort: () => number | undefined;
}
