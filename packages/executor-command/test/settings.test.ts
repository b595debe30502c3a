import { expect, it } from 'vitest';
import { type CommandSettings, commandExecutor } from '../src/index.ts';

const executor = (wrong: object) => () =>
  commandExecutor({ command: 'ls', workspaceRoot: '/tmp/workspaces', ...wrong } as CommandSettings);

it.each([
  ['no folder', { workspaceRoot: undefined }, 'commandExecutor cannot be made: workspaceRoot is missing'],
  ['an empty command', { command: '' }, 'command must be a text that is not empty'],
  ['arguments as a text', { args: '-l' }, 'args must be a list, or args must be a function'],
  ['a path as a text', { readable: '/etc' }, 'readable must be a list'],
  ['a number in the environment', { env: { PORT: 80 } }, 'env.PORT must be a text'],
  ['a sandbox that is none', { sandbox: 'on' }, 'sandbox is "on" and must be "auto" or "required" or "off"'],
  ['a network that is none', { network: 'off' }, 'network is "off" and must be "host" or "none"'],
  ['NaN', { outputLimitBytes: Number.NaN }, 'outputLimitBytes is NaN and must be a number from 0 on'],
  ['a misspelt name', { files: { maxFile: 1 } }, 'files.maxFile is unknown (did you mean maxFiles?)'],
])('a setting that is plainly wrong is named when the executor is made: %s', (_, wrong, text) => {
  expect(executor(wrong)).toThrow(text);
});
