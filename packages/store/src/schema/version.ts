import { createRequire } from 'node:module';

/** What a release knows of what is in Redis. */
export interface KnownSchema {
  /** The newest version that it knows. */
  readonly version: number;
  /** That others must know to read what it writes; 0: releases from before the schema had a version, too. */
  readonly oldest: number;
  /**
   * Up to which migrations must be done, because it no longer reads what was there before them. `oldest` at most, or an
   * older program could come back and undo them.
   */
  readonly needs: number;
}

/**
 * A change of what is kept takes two releases (docs/upgrades.md): the first reads the new form and writes the old one;
 * the second, with a higher `version` and that of the first as `oldest`, writes the new one.
 */
export const schema: KnownSchema = { version: 1, oldest: 0, needs: 0 };

/** Of this release: that of all packages. */
export const { version }: { version: string } = createRequire(import.meta.url)('../../package.json');

/** This release, for people. */
export const release = `Switchyard ${version}`;
