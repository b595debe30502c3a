export { requireArchiveUrl } from './address.ts';
export { openArchive, PostgresArchive } from './postgres-archive.ts';
export { ArchiveRefused } from './unavailable.ts';
