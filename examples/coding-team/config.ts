import { delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandSettings } from '@switchyard/executor-command';

const {
  OPENAI_API_KEY,
  OPENAI_BASE_URL,
  OPENAI_MODEL = 'gpt-4o-mini',
  CODING_COMMAND,
  CODING_ENV = '',
  CODING_READABLE = '',
  CODING_SANDBOX,
  CODING_TIMEOUT_MS = '540000',
  CODER_STEP_MS = '300',
  WORKSPACES = '.data/workspaces',
} = process.env;

/** The model in the environment; undefined if there is none. */
export const modelFromEnvironment =
  OPENAI_API_KEY || OPENAI_BASE_URL
    ? {
        model: OPENAI_MODEL,
        ...(OPENAI_API_KEY && { apiKey: OPENAI_API_KEY }),
        ...(OPENAI_BASE_URL && { baseURL: OPENAI_BASE_URL }),
      }
    : undefined;

const scriptedCoder = fileURLToPath(new URL('program/main.ts', import.meta.url));

/** The coding program, as a shell command: the one in the environment, or a small one that follows a script. */
export const coder: Pick<
  CommandSettings,
  'command' | 'args' | 'env' | 'sandbox' | 'readable' | 'workspaceRoot' | 'timeoutMs'
> = {
  command: CODING_COMMAND || '"$@"',
  args: CODING_COMMAND ? [] : [process.execPath, scriptedCoder],
  env: { CODER_STEP_MS, ...chosen(CODING_ENV) },
  sandbox: CODING_SANDBOX === 'off' || CODING_SANDBOX === 'required' ? CODING_SANDBOX : 'auto',
  readable: CODING_COMMAND
    ? CODING_READABLE.split(delimiter).filter((path) => path.startsWith('/'))
    : [dirname(process.execPath), dirname(scriptedCoder)],
  workspaceRoot: resolve(WORKSPACES),
  timeoutMs: Number(CODING_TIMEOUT_MS),
};

/** Our environment variables that the program gets; none by default, not even HOME. */
function chosen(names: string): Record<string, string> {
  return Object.fromEntries(
    names.split(/[\s,]+/).flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
