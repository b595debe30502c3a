import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `push-secret` encrypts webhooks in Redis; `operator-key` opens the console and the operators' API. */
type SecretName = 'push-secret' | 'operator-key';

/** A file with a secret, generated at the first start and readable only by its owner. */
export async function secretFile(folder: string, name: SecretName): Promise<string> {
  const file = join(folder, name);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  // The rename is atomic: a partial secret would be used as a whole one.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  await rename(draft, file);
  return file;
}
