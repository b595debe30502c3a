import { integer, list, type Parser, text, tuple } from '@switchyard/redis';
import { layoutIn } from './shard-layout.ts';
import { type KnownSchema, release } from './version.ts';

/** Why a program must not work with a deployment: see register-program.lua. */
export const refusals = {
  'too-old': tuple(integer, integer, text),
  unmigrated: tuple(integer),
  'other-shards': tuple(text),
  'others-too-old': list(text),
} as const;

type Refusals = typeof refusals;
type Parsed<P> = P extends Parser<infer Value extends readonly unknown[]> ? Value : never;
type Refusal = { [Word in keyof Refusals]: readonly [Word, ...Parsed<Refusals[Word]>] }[keyof Refusals];

export interface Refused {
  readonly known: KnownSchema;
  /** The setting SHARDS of this program. */
  readonly shards: number;
  /** Its setting DEPLOYMENT. */
  readonly deployment: number;
}

/** The error message: what the deployment has, what this program knows, and what to do. */
export function refusalText(refusal: Refusal, { known, ...own }: Refused): string {
  switch (refusal[0]) {
    case 'too-old': {
      const [, version, oldest, by] = refusal;
      // Short enough for a line of the log.
      return (
        `${by || 'A later release'} took this Redis over (schema ${version}): programs must know schema ${oldest}, ` +
        `and ${release} knows ${known.version}. Start that release or a later one, or restore a backup of before.`
      );
    }
    case 'unmigrated':
      return (
        `What is in this Redis is migrated up to version ${refusal[1]} of the schema, and ${release} needs version ` +
        `${known.needs}. Nothing was changed. Run workers of the previous release until "switchyard doctor" says ` +
        'that all is migrated, then start this one.'
      );
    case 'others-too-old': {
      const [, ...programs] = refusal;
      return (
        `Programs are running that cannot read what ${release} writes (version ${known.oldest} of the schema): ` +
        `${programs.map((each) => each.replace(/^(\d+) (.*)$/, '$2 knows $1')).join(', ')}. Nothing was changed. ` +
        'Replace them by the previous release, or stop them, then start this one.'
      );
    }
    case 'other-shards':
      return layoutText(refusal[1], own);
  }
}

/** @param stored the layout that the deployment was made with */
function layoutText(stored: string, { shards, deployment }: Omit<Refused, 'known'>): string {
  const made = layoutIn(stored);
  const [name, old, given] =
    made.shards === shards ? ['DEPLOYMENT', made.deployment, deployment] : ['SHARDS', made.shards, shards];
  return `This deployment was made with ${name}=${old}, which cannot change; it was started with ${name}=${given}.`;
}
