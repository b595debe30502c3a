export type { Briefing, Specification } from './briefing.ts';
export { commandExecutor } from './command-executor.ts';
export type { FileSettings } from './list-files.ts';
export { bubblewrap } from './sandbox/bubblewrap.ts';
export type { SandboxSetting } from './sandbox/confine.ts';
export type { Sandbox, SandboxPaths } from './sandbox/sandbox.ts';
export { unshareSandbox } from './sandbox/unshare.ts';
export type { CommandJob, CommandRun, CommandSettings } from './settings.ts';
