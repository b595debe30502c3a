export { requireArchiveUrl } from './address.ts';
export { type ArchiveSettings, openArchive, PostgresArchive } from './postgres-archive.ts';
export { ArchiveRefused } from './unavailable.ts';
