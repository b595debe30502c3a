import type { StoreInside } from '@switchyard/store/inside';
import type { LogLevels } from './log-levels.ts';
import type { Workers } from './workers.ts';

/** What the operations for operators use. */
export interface OperatorDependencies extends StoreInside {
  readonly workers: Workers;
  readonly logLevels: LogLevels;
}
