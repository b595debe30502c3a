import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from './if-there.ts';
import { runsFolder } from './workspace.ts';

const checkEveryMs = 3_600_000;

/** Removes the workspaces that no turn has used for `retentionMs`, at most once an hour. */
export function workspaceRetirement(root: string, retentionMs: number): () => Promise<void> {
  let lookedAt = 0;
  return async () => {
    if (Date.now() - lookedAt < Math.min(checkEveryMs, retentionMs)) return;
    lookedAt = Date.now();
    const records = join(root, runsFolder);
    for (const name of (await ifThere(readdir(records))) ?? []) {
      const used = await ifThere(stat(join(records, name)));
      if (!used || Date.now() - used.mtimeMs < retentionMs) continue;
      await rm(join(root, name), { recursive: true, force: true });
      await rm(join(records, name), { recursive: true, force: true });
    }
  };
}
