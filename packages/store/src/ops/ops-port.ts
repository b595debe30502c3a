import type { Encryption } from '../encryption/encryption.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Registry } from '../registry/registry.ts';
import type { AcceptPort } from '../tasks/accept.ts';
import type { DeletePort } from '../tasks/delete.ts';
import type { LogLevels } from './log-levels.ts';
import type { Workers } from './workers.ts';

/** What the operations for operators use. */
export interface OpsPort extends DeletePort, AcceptPort {
  readonly registry: Registry;
  readonly workers: Workers;
  readonly logLevels: LogLevels;
  readonly settings: StoreSettings;
  readonly encryption: Encryption;
}
