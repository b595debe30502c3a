import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `push-secret` encrypts webhooks in Redis; `operator-key` opens the console and the operators' API. */
type SecretName = 'push-secret' | 'operator-key';

/** The file with a secret: made at the first start, for its owner's eyes alone. */
export async function secretFile(folder: string, name: SecretName): Promise<string> {
  const file = join(folder, name);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  // Under its name it is whole: half a secret would be taken for one.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  await rename(draft, file);
  return file;
}
