import type { Level, Logger } from 'pino';
import type { Happening, Observe } from './happening.ts';

/** Level and words of each kind. What a client did wrong is the client's to know: it is logged for those who look closely. */
const lines: Readonly<Record<Happening['kind'], readonly [level: Level, message: string]>> = {
  listening: ['info', 'listening'],
  stopping: ['info', 'stopping: streams end, requests finish'],
  stopped: ['info', 'stopped'],
  'push-in-clear': ['warn', 'credentials of webhooks are stored in clear: set PUSH_SECRET'],
  'agents-changed': ['info', 'agents announced'],
  'agents-unreadable': ['warn', 'the announced agents cannot be read; the last known ones are served'],
  operated: ['info', 'operated'],
  answered: ['debug', 'answered'],
  refused: ['debug', 'refused'],
  failed: ['error', 'failed'],
};

export function logHappenings(log: Logger): Observe {
  return (happening) => {
    const [level, message] = lines[happening.kind];
    if (!log.isLevelEnabled(level)) return;
    const { kind: _, ...fields } = happening;
    log[level](fields, message);
  };
}
