import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolderOf, type FolderPlace, readAddresses } from '../data-folder/data-folder.ts';
import { isOfThisMachine } from '../settings/this-machine.ts';

/** The operators' port of `switchyard up` with the default `PORT`. */
export const defaultOperatorUrl = 'http://127.0.0.1:4100';

/** Where the operators' port is, and what says so. */
export async function operatorUrl(place: FolderPlace): Promise<{ readonly url: string; readonly source: string }> {
  const { SWITCHYARD_OPERATOR_URL: given } = place.env;
  if (given) return { url: given, source: 'SWITCHYARD_OPERATOR_URL' };
  const folder = dataFolderOf(place);
  const { addresses } = await readAddresses(folder);
  if (addresses?.operators) return { url: addresses.operators, source: `what runs in ${folder}` };
  return { url: defaultOperatorUrl, source: 'default' };
}

/** Where the operators' key is. */
export type OperatorKey =
  | { readonly key: string }
  | { readonly file: string; readonly isGiven: boolean }
  /** The key in the folder is that of the deployment that runs there: no other machine gets it. */
  | 'none';

export function operatorKey(place: FolderPlace, url: string): OperatorKey {
  const { ADMIN_KEY: key, ADMIN_KEY_FILE: file } = place.env;
  if (key) return { key };
  if (file) return { file, isGiven: true };
  return isOfThisMachine(url) ? { file: join(dataFolderOf(place), 'operator-key'), isGiven: false } : 'none';
}

/** A setting as `config show` prints it. */
export interface ShownSetting {
  readonly variable: string;
  /** null: it has no value. */
  readonly value: string | null;
  readonly source: string;
}

/** The settings of the commands for operators, without the key itself. */
export async function shownOperatorSettings(place: FolderPlace): Promise<readonly ShownSetting[]> {
  const { url, source } = await operatorUrl(place);
  return [{ variable: 'SWITCHYARD_OPERATOR_URL', value: url, source }, shownKey(operatorKey(place, url))];
}

function shownKey(key: OperatorKey): ShownSetting {
  if (key === 'none') return { variable: 'ADMIN_KEY', value: null, source: 'default' };
  if ('key' in key) return { variable: 'ADMIN_KEY', value: '[hidden]', source: 'ADMIN_KEY' };
  const source = key.isGiven ? `ADMIN_KEY_FILE, ${key.file}` : key.file;
  if (existsSync(key.file)) return { variable: 'ADMIN_KEY', value: '[hidden]', source };
  return { variable: 'ADMIN_KEY', value: null, source: key.isGiven ? `${source}, which does not exist` : 'default' };
}
