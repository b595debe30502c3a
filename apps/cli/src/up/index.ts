export { consoleLine, nextSteps } from './next-steps.ts';
export { type EmptyRedisRun, type PersistentRedisRun, runOnEmptyRedis, runOnPersistentRedis } from './on-redis.ts';
export { openDataFolder } from './open-data-folder.ts';
export { type Operators, openOperators } from './operators.ts';
export type { ProgramSettings } from './programs.ts';
export { secretFile } from './secret-file.ts';
export { runSession, type Session } from './session.ts';
export { readSettings, type StartSettings, urlOf } from './settings.ts';
export { listenToStopSignals } from './stop-signals.ts';
