import type { Feeds, Store } from '@switchyard/store';

/**
 * The part of a `Store` that a gateway uses. The owner of the store starts it before the gateway and stops it
 * afterwards.
 */
export interface GatewayStore
  extends Pick<
    Store,
    'conversations' | 'registry' | 'isAnswering' | 'availability' | 'forRequests' | 'observe' | 'timesToLive'
  > {
  readonly feeds: Pick<Feeds, 'follow' | 'presubscribe' | 'readersOf'>;
}
