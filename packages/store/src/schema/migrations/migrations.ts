import type { Migration } from './migration.ts';

/** In the order in which they run. A version that changes no stored data has none; the first version has none. */
export const migrations: readonly Migration[] = [];
