import type { Feeds, Tasks } from '@switchyard/store';
import type { Cards } from '../cards/cards.ts';
import type { GatewaySettings } from '../settings.ts';

/** The part of the store's tasks that operations use. */
export type TaskStore = Pick<Tasks, 'accept' | 'read' | 'list' | 'cancel'>;

/** What operations stand on. */
export interface Backend {
  readonly tasks: TaskStore;
  readonly feeds: Pick<Feeds, 'follow'>;
  readonly cards: Pick<Cards, 'offersExtended' | 'presentExtended'>;
  readonly settings: Pick<GatewaySettings, 'sendMode' | 'blockingWaitMs' | 'cancelWaitMs' | 'maxPollWaitMs'>;
}
