import { anyText, integer, list, milliseconds, text } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const files = {
  title: 'Files',
  settings: {
    FILES_URL: {
      of: ['gateway', 'worker'],
      schema: text(
        /^(?:file|s3):\/./,
        'the URL of a folder, such as file:///var/lib/switchyard/files, or of a bucket, such as s3://bucket/prefix',
      ),
      defaultText: 'none: no files; `switchyard up`: `files` in the data folder',
      text: 'Where files are that are too large for a task ([files.md](files.md)): a folder on a volume that all gateways and workers of the deployment mount, or a bucket of S3, and no other deployment. A bucket has no credentials in its URL.',
      isShared: true,
    },
    FILES_SECRET: {
      of: ['gateway', 'worker'],
      schema: list,
      default: [],
      defaultText: 'none: files are stored in clear',
      text: 'Encrypts files, with their names; create one with `openssl rand -base64 32`. With several, the first encrypts and all decrypt.',
      isShared: true,
      isSecret: true,
    },
    FILES_SECRET_FILE: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text: 'A file with one more secret, in addition to `FILES_SECRET`.',
      isShared: true,
    },
    INLINE_FILE_BYTES: {
      of: ['gateway', 'worker'],
      schema: integer(0, 1024 ** 3),
      default: 64 * 1024,
      defaultText: '64 KiB',
      text: 'With `FILES_URL`: what a part has as `raw` with more bytes is stored there, and the task refers to it ([files.md](files.md#large-raw-parts)). 0: never.',
      isShared: true,
    },
    MAX_FILE_BYTES: {
      of: ['gateway', 'worker'],
      schema: integer(1, 2 ** 50),
      default: 5 * 1024 ** 3,
      defaultText: '5 GiB',
      text: 'The largest file, in bytes; also the largest that an agent reads from another server.',
      isShared: true,
    },
    MAX_FILE_BYTES_PER_PRINCIPAL: {
      of: ['gateway', 'worker'],
      schema: integer(1, 2 ** 50),
      default: 20 * 1024 ** 3,
      defaultText: '20 GiB',
      text: 'Bytes of all files of a principal, with those that its agents have written for it, and unfinished uploads.',
      isShared: true,
    },
    FILES_UNUSED_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 86_400_000,
      defaultText: '24 h',
      text: 'How long a file is kept that no message has referred to, and an upload that gets no more bytes.',
    },
    FILES_SWEEP_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 600_000,
      defaultText: '10 min',
      text: 'How often a worker removes files whose tasks are gone.',
    },
  },
} as const satisfies SettingGroup;
