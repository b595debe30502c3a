import { join } from 'node:path';

/** The log of `switchyard up` and `npm start` in a data folder: JSON lines, the later ones in `current`. */
export interface LogFiles {
  readonly current: string;
  readonly previous: string;
}

export function logFilesIn(dataFolder: string): LogFiles {
  return { current: join(dataFolder, 'log.jsonl'), previous: join(dataFolder, 'log.1.jsonl') };
}
