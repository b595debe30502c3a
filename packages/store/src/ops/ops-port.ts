import type { DeadTurns } from '../dead-turns/dead-turns.ts';
import type { Push } from '../push/push.ts';
import type { DurablePort } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Registry } from '../registry/registry.ts';
import type { DeletePort } from '../tasks/delete.ts';
import type { Workers } from './workers.ts';

/** What all operations need. */
export interface OpsPort extends DeletePort, DurablePort {
  readonly registry: Registry;
  readonly workers: Workers;
  readonly deadTurns: DeadTurns;
  readonly push: Push;
  readonly settings: StoreSettings;
}
