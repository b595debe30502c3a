import { integer, milliseconds, text } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const archive = {
  title: 'Archive',
  settings: {
    ARCHIVE_URL: {
      of: ['gateway', 'worker'],
      schema: text(/^postgres(?:ql)?:\/\/./, 'the URL of a PostgreSQL database, such as postgres://user@host/database'),
      defaultText: 'none: ended tasks are gone after `RETENTION_MS`',
      text: 'The database that keeps ended tasks for longer than Redis ([archive.md](archive.md)). `?schema=` names its schema, of which each deployment needs its own; default: `switchyard`.',
      isSecret: /@/,
      isShared: true,
    },
    ARCHIVE_AFTER_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 60_000,
      defaultText: '1 min',
      text: 'How long after its end a task is copied to the archive, at the earliest. It must be longer than the clocks of the Redis servers differ.',
    },
    ARCHIVE_RETENTION_MS: {
      of: ['worker'],
      schema: integer(0),
      default: 0,
      defaultText: '0: for ever',
      text: 'How long after its end a task is kept in the archive: as long as in Redis (`RETENTION_MS`), at least.',
    },
  },
} as const satisfies SettingGroup;
