import type { LongWait } from '../port/long-wait.ts';
import { TurnScope } from './turn-scope.ts';

/**
 * Shows operators what the running turn waits for, until it is called with undefined or the attempt ends. Call it from
 * code that runs in a turn; elsewhere it does nothing.
 *
 *     showWait({ for: 'remote-agent', text: 'it gave no answer' });
 */
export function showWait(wait: LongWait | undefined): void {
  TurnScope.current?.turn.showWait?.(wait);
}
