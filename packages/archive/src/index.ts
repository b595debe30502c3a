export { requireArchiveUrl } from './address.ts';
export { ArchiveRefused } from './archive-refused.ts';
export { openArchive } from './open-archive.ts';
