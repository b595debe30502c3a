import { readFile } from 'node:fs/promises';
import type { Environment } from '@switchyard/settings';
import { secretFile } from './secret-file.ts';
import { type StartSettings, urlOf } from './settings.ts';

/** The operators' port, with a key. */
export interface Operators {
  /** Settings of the gateway. */
  readonly env: Environment;
  /** URL of the port. */
  readonly url: string;
  /** With the key, if it is generated; unset: there is no console. */
  readonly consoleUrl: string | undefined;
}

type Given = Pick<StartSettings, 'adminHost' | 'adminPort' | 'adminKey' | 'dataFolder' | 'servesConsole'>;

/** Generates a key for operators unless one is set: the console needs it. */
export async function openOperators(given: Given): Promise<Operators> {
  const { adminHost, adminPort, adminKey, dataFolder, servesConsole } = given;
  const ownFile = adminKey === undefined ? await secretFile(dataFolder, 'operator-key') : undefined;
  const key = ownFile === undefined ? '' : `#key=${(await readFile(ownFile, 'utf8')).trim()}`;
  const url = urlOf({ host: adminHost, port: adminPort });
  return {
    url,
    env: { ADMIN_PORT: String(adminPort), ...(ownFile && { ADMIN_KEY_FILE: ownFile }) },
    consoleUrl: servesConsole ? `${url}/console/${key}` : undefined,
  };
}
