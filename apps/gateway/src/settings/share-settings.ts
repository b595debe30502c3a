/** How much of something one gateway gives out at a time. */
export interface ShareSettings {
  readonly total: number;
  /** Unset: half of the total. */
  readonly perTenant?: number | undefined;
  /** Unset: a quarter of the total. */
  readonly perPrincipal?: number | undefined;
}

export interface SharesSettings {
  /** Open streams. */
  readonly streams: ShareSettings;
  /** Requests whose answers are held back: streams, blocking sends, long polls. */
  readonly held: ShareSettings;
  /** Bytes of bodies that arrive, or wait for their answer. */
  readonly bytes: ShareSettings;
}

export const defaultSharesSettings: SharesSettings = {
  streams: { total: 20_000 },
  held: { total: 30_000 },
  bytes: { total: 256 * 1024 ** 2 },
};
