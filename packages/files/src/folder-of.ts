import { fileURLToPath } from 'node:url';

/** The folder that `FILES_URL` names. @throws {Error} it names no folder of this machine */
export function folderOf(filesUrl: string): string {
  const url = URL.canParse(filesUrl) ? new URL(filesUrl) : undefined;
  if (url?.protocol !== 'file:')
    throw new Error('must be the URL of a folder, such as file:///var/lib/switchyard/files');
  return fileURLToPath(url);
}
