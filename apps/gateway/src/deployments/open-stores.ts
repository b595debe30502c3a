import { openArchive } from '@switchyard/archive';
import { Store, type StoreSettings } from '@switchyard/store';
import type { ListedDeployment } from './deployments-file.ts';
import type { PlacedDeployment } from './placement.ts';

interface StoresConfig {
  readonly store: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>;
  readonly archiveUrl: string | undefined;
  readonly deployments: readonly ListedDeployment[] | undefined;
}

interface ErrorListeners {
  readonly onRedisError: (error: Error) => void;
  readonly onArchiveError: (error: Error) => void;
}

/** The store of a deployment, not yet started. */
export interface OpenStore {
  readonly placed: PlacedDeployment;
  readonly store: Store;
}

export interface OpenStores {
  /** Of the setting DEPLOYMENT. */
  readonly own: OpenStore;
  /** All; unset: there is one. */
  readonly several: readonly OpenStore[] | undefined;
  stop(): Promise<void>;
}

/** The stores of the deployments that the settings name. Their archives are opened, and the stores not started. */
export async function openStores(config: StoresConfig, listeners: ErrorListeners): Promise<OpenStores> {
  const { store: shared, deployments, archiveUrl } = config;
  const { deployment: own = 0 } = shared;
  const placed: readonly (PlacedDeployment & Partial<ListedDeployment>)[] = deployments ?? [
    { number: own, share: 1, archiveUrl },
  ];
  const opened = await Promise.all(placed.map((each) => open(shared, each, listeners)));
  const found = opened.find(({ placed: { number } }) => number === own);
  if (!found) throw new Error(`There is no deployment ${own}`);
  return {
    own: found,
    several: deployments && opened,
    async stop() {
      await Promise.all(opened.map(({ store }) => store.stop()));
      await Promise.all(opened.map(({ archive }) => archive?.stop()));
    },
  };
}

async function open(
  shared: StoresConfig['store'],
  listed: PlacedDeployment & Partial<ListedDeployment>,
  { onRedisError, onArchiveError }: ErrorListeners,
) {
  const { redisUrl, redisPassword, redisCa, prefix, shards, archiveUrl } = listed;
  const own = redisUrl !== undefined && {
    redisUrl,
    ...(redisPassword && { redisPassword }),
    ...(redisCa && { redisCa }),
    ...(prefix !== undefined && { prefix }),
    ...(shards !== undefined && { shards }),
    deployment: listed.number,
  };
  const archive = archiveUrl ? await openArchive({ url: archiveUrl, onError: onArchiveError }) : undefined;
  return { placed: listed, archive, store: new Store({ ...shared, ...own }, onRedisError, archive) };
}
