import { createRequire } from 'node:module';

/** The versions of the schema that a release works with. */
export interface KnownSchema {
  /** The newest version that it knows. */
  readonly version: number;
  /** The version that others must know to read what it writes. */
  readonly oldest: number;
  /**
   * The version up to which migrations must be done, because this release no longer reads older data. At most `oldest`,
   * because an older program could otherwise come back and undo them.
   */
  readonly needs: number;
}

/**
 * A change of the stored data takes two releases (docs/upgrades.md): the first reads the new form and writes the old
 * one; the second, with a higher `version` and that of the first as `oldest`, writes the new one.
 */
export const schema: KnownSchema = { version: 1, oldest: 1, needs: 1 };

/** The version of this release, and of all its packages. */
export const { version }: { version: string } = createRequire(import.meta.url)('../package.json');

/** This release, for people. */
export const release = `Switchyard ${version}`;
