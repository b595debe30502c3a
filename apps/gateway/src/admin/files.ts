import { setTimeout as delay } from 'node:timers/promises';
import type { Volume } from '@switchyard/files';
import type { FilesReading, NearLimit } from '@switchyard/operator-api';
import { live } from './live.ts';
import { noParameters } from './parameters.ts';
import { type AdminBackend, adminRoute } from './route.ts';

/** Each time something is written in the place. */
const everyMs = 60_000;

/** Where files are stored, and whether they can be. */
export const filesRoute = live(
  adminRoute(
    ['get', '/admin/files'],
    noParameters,
    async ({ files }): Promise<FilesReading> => (files ? { files: await files.status() } : {}),
  ),
  { everyMs },
);

/** The share of the volume from which it is a limit that is nearly reached. */
const NEARLY_FULL = 0.9;
/** A network volume that is away may never answer. */
const WAIT_MS = 1_000;

/** The volume of the files, if it is nearly full. */
export async function fullVolume(files: AdminBackend['files']): Promise<NearLimit[]> {
  if (!files) return [];
  const late = delay(WAIT_MS, undefined, { ref: false });
  const volume = await Promise.race([files.volume().catch(() => undefined), late]);
  return volume ? nearVolume(volume) : [];
}

export function nearVolume({ used, max }: Volume): NearLimit[] {
  if (max === 0 || used < NEARLY_FULL * max) return [];
  return [{ limit: 'file-volume', setting: 'FILES_URL', of: 'the volume with the files', used, max }];
}
