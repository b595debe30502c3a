import { requireArchiveUrl } from '@switchyard/archive';
import { readCertificates, readJsonFile, readSettingFile } from '@switchyard/settings';
import { MAX_DEPLOYMENT, parseRedisAddress } from '@switchyard/store';
import { z } from 'zod';
import type { PlacedDeployment } from './placement.ts';

/** A deployment, and where its data are. */
export interface ListedDeployment extends PlacedDeployment {
  readonly redisUrl: string;
  readonly redisPassword?: string | undefined;
  readonly redisCa?: string | undefined;
  /** KEY_PREFIX of its workers. */
  readonly prefix: string;
  /** SHARDS of its workers. */
  readonly shards: number;
  /** ARCHIVE_URL of its workers. */
  readonly archiveUrl?: string | undefined;
}

const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2030-01-31T09:00:00Z' })
  .transform(Date.parse);
const tenantNames = z.array(z.string().min(1).max(256)).min(1);
const address = z.string().superRefine((url, context) => void check(() => parseRedisAddress(url), context));
const archiveAddress = z.string().superRefine((url, context) => void check(() => requireArchiveUrl(url), context));
const fileText = (read: (path: string) => Buffer) =>
  z.string().transform((path, context) => check(() => read(path).toString().trim(), context) ?? z.NEVER);

const deploymentSchema = z
  .strictObject({
    number: z.int().min(0).max(MAX_DEPLOYMENT),
    redisUrl: address,
    redisPasswordFile: fileText(readSettingFile).optional(),
    redisCaFile: fileText(readCertificates).optional(),
    prefix: z
      .string()
      .regex(/^[\w.:-]{1,64}$/, '1 to 64 letters, digits and . : _ -')
      .default('sw'),
    shards: z.int().min(1).max(256).default(1),
    archiveUrl: archiveAddress.optional(),
    tenants: tenantNames.optional(),
    formerTenants: tenantNames.optional(),
    share: z.number().min(0).max(1_000_000).default(1),
    opensAt: time.optional(),
    closedAt: time.optional(),
    movedAt: time.optional(),
  })
  .transform(
    ({ redisPasswordFile: redisPassword, redisCaFile: redisCa, ...rest }): ListedDeployment => ({
      ...rest,
      redisPassword,
      redisCa,
    }),
  );

const fileSchema = z
  .strictObject({ deployments: z.array(deploymentSchema).min(1) })
  .superRefine(({ deployments }, context) => {
    const refuse = (path: readonly (string | number)[], message: string): void =>
      context.addIssue({ code: 'custom', path: ['deployments', ...path], message });
    refuseTwice(
      deployments,
      ({ number }) => String(number),
      (i) => refuse([i, 'number'], 'is that of another one'),
    );
    refuseTwice(
      deployments,
      ({ redisUrl, prefix }) => `${redisUrl} ${prefix}`,
      (i) => refuse([i, 'prefix'], 'must differ from that of another one on this Redis'),
    );
    refuseTwice(
      deployments,
      ({ archiveUrl }) => archiveUrl,
      (i) => refuse([i, 'archiveUrl'], 'is that of another one: each needs a schema of its own'),
    );
    deployments.forEach(({ formerTenants, share, closedAt, movedAt }, i) => {
      if (formerTenants && movedAt === undefined) refuse([i, 'formerTenants'], 'needs movedAt');
      if (share === 0 && closedAt === undefined && movedAt === undefined)
        refuse([i, 'share'], 'needs closedAt or movedAt: otherwise what principals have here is in no list');
    });
    const isForAll = ({ tenants, share, closedAt, opensAt = 0 }: ListedDeployment): boolean =>
      tenants === undefined && share > 0 && (closedAt === undefined || opensAt > closedAt);
    if (!deployments.some(isForAll))
      refuse([], 'need one for all other principals: without tenants and closedAt, with a share above 0');
  });

/**
 * Reads the file of DEPLOYMENTS_FILE (docs/deployments.md).
 * @throws {Error} naming each wrong field; the values are not in it, as some are secret
 */
export function readDeployments(path: string): readonly ListedDeployment[] {
  const { data, error } = fileSchema.safeParse(readJsonFile(path));
  if (data) return data.deployments;
  throw new Error(error?.issues.map((issue) => `${pathOf(issue.path)}: ${issue.message}`).join('; '));
}

/** The settings of a store of this deployment. */
export function placeOf({ number, redisUrl, redisPassword, redisCa, prefix, shards }: ListedDeployment) {
  return {
    redisUrl,
    ...(redisPassword && { redisPassword }),
    ...(redisCa && { redisCa }),
    prefix,
    shards,
    deployment: number,
  };
}

/** A text such as `deployments[1].share`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);
}

function check<T>(read: () => T, context: z.core.$RefinementCtx): T | undefined {
  try {
    return read();
  } catch (error) {
    context.addIssue({ code: 'custom', message: textOf(error) });
    return undefined;
  }
}

function refuseTwice<T>(
  items: readonly T[],
  nameOf: (item: T) => string | undefined,
  refuse: (at: number) => void,
): void {
  const names = new Set<string>();
  items.forEach((item, at) => {
    const name = nameOf(item);
    if (name === undefined) return;
    if (names.has(name)) refuse(at);
    names.add(name);
  });
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
