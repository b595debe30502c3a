import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file with the secret that encrypts webhooks in Redis: made at the first start, for its owner's eyes alone. */
export async function pushSecretFile(folder: string): Promise<string> {
  const file = join(folder, 'push-secret');
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  // Under its name it is whole: half a secret would be taken for one.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  await rename(draft, file);
  return file;
}
