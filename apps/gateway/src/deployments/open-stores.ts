import { openArchive } from '@switchyard/archive';
import { Store, type StoreSettings } from '@switchyard/store';
import { type ListedDeployment, placeOf } from './deployments-file.ts';
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
  const opened = await Promise.all(
    deployments?.map((listed) =>
      open(listed, { ...shared, ...placeOf(listed) }, { ...listeners, archiveUrl: listed.archiveUrl }),
    ) ?? [open({ number: own, share: 1 }, shared, { ...listeners, archiveUrl })],
  );
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
  placed: PlacedDeployment,
  settings: StoresConfig['store'],
  { archiveUrl, onRedisError, onArchiveError }: ErrorListeners & Pick<StoresConfig, 'archiveUrl'>,
) {
  const archive = archiveUrl ? await openArchive({ url: archiveUrl, onError: onArchiveError }) : undefined;
  return { placed, archive, store: new Store(settings, onRedisError, archive) };
}
