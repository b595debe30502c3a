import { ArchiveUnavailable } from '@switchyard/store';

/** PostgreSQL answers, and nothing but a change of it or of ARCHIVE_URL will help. */
export class ArchiveRefused extends ArchiveUnavailable {}
