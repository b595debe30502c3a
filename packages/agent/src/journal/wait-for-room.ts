import type { Room } from '../pace/turn-pace.ts';
import type { RoomRequest } from '../port/pace-port.ts';
import { TurnScope } from './turn-scope.ts';

/**
 * As `turn.limit`, for executors, which have no turn at hand: waits until there is room for a request of the running
 * turn. Elsewhere it returns undefined at once.
 *
 *     const room = await waitForRoom({ name: 'api.example/large', tokens: 1_200 });
 *     const response = await fetch('https://api.example/large');
 *     if (response.status === 429) await room?.slowDown(10_000);
 *
 * @throws the reason of the turn's signal
 * @throws {RetryableError} there is no room before the time of the turn is over
 */
export async function waitForRoom(request: RoomRequest): Promise<Room | undefined> {
  return TurnScope.current?.turn.pace?.room(request);
}
