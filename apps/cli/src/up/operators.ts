import { readFile } from 'node:fs/promises';
import type { Environment } from '@switchyard/settings';
import { secretFile } from './secret-file.ts';
import type { StartSettings } from './settings.ts';

/** The port for operators, with a key. */
export interface Operators {
  /** Settings of the gateway. */
  readonly env: Environment;
  /** Of their port. */
  readonly url: string;
  /** With the key, if it is ours; unset: there is no console. */
  readonly consoleUrl: string | undefined;
}

/** Makes a key for operators, unless they have one: nobody else can use the console. */
export async function openOperators(given: StartSettings): Promise<Operators> {
  const { adminHost, adminPort, adminKey, dataFolder, servesConsole } = given;
  const ownFile = adminKey === undefined ? await secretFile(dataFolder, 'operator-key') : undefined;
  const key = ownFile === undefined ? '' : `#key=${(await readFile(ownFile, 'utf8')).trim()}`;
  const url = `http://${adminHost}:${adminPort}`;
  return {
    url,
    env: { ADMIN_PORT: String(adminPort), ...(ownFile && { ADMIN_KEY_FILE: ownFile }) },
    consoleUrl: servesConsole ? `${url}/console/${key}` : undefined,
  };
}
