/** Who may call. */
export type AuthSettings = NoAuthSettings | ApiKeySettings;

/** Everyone is one anonymous principal. */
export interface NoAuthSettings {
  readonly kind: 'none';
  /** Listen beyond loopback all the same: whoever reaches the port sees and cancels everybody's tasks. */
  readonly allowAnonymous: boolean;
}

export interface ApiKeySettings {
  readonly kind: 'api-key';
  readonly keys: readonly ApiKey[];
}

/** A key, and whom it stands for. */
export interface ApiKey {
  readonly key: string;
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
}

/** Of principals that name no tenant. */
export const defaultTenant = 'default';
