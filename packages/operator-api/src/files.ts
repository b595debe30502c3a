import { z } from 'zod';
import { count, time } from './page.ts';

/** `GET /admin/files`: where files are stored, and how many. */
export const filesSchema = z.object({
  /** Unset: the deployment stores no files. */
  files: z
    .object({
      /** A folder or a bucket. */
      place: z.string(),
      /** Whether new files are. */
      isEncrypted: z.boolean(),
      /** Why the gateway can write nothing there. */
      problem: z.string().optional(),
      /** As a worker counted them when it last looked for files without a task; unset: none has yet. */
      stored: z.object({ count, bytes: count, at: time }).optional(),
      /** Bytes of the volume with the folder, that are used, and that may be at most. */
      volume: z.object({ used: count, max: count }).optional(),
    })
    .optional(),
});

export type FilesReading = z.infer<typeof filesSchema>;
