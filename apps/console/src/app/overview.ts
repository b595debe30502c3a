import { type Overview, overviewSchema } from '@switchyard/operator-api';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Live, useLive } from './live.ts';

const OverviewContext = createContext<Live<Overview> | undefined>(undefined);

/** Provides the overview that the navigation and its page share: one stream for both. */
export const OverviewProvider = OverviewContext.Provider;

export function useLiveOverview(): Live<Overview> {
  return useLive('/admin/overview', overviewSchema);
}

/** Whether all is well, as far as it is known. */
export function useOverview(): Live<Overview> {
  const overview = useContext(OverviewContext);
  if (!overview) throw new Error('the overview is asked for outside of the console’s shell');
  return overview;
}
