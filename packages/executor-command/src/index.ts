export type { Briefing, Specification } from './briefing.ts';
export { commandExecutor } from './command-executor.ts';
export type { FileSettings } from './list-files.ts';
export type { CommandJob, CommandRun, CommandSettings } from './settings.ts';
