import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Whether a media query matches. */
export function useMedia(condition: string): ReadonlySignal<boolean> {
  const matches = useSignal(matchMedia(condition).matches);
  useEffect(() => {
    const list = matchMedia(condition);
    const read = (): void => {
      matches.value = list.matches;
    };
    list.addEventListener('change', read);
    return () => list.removeEventListener('change', read);
  }, [condition]);
  return matches;
}
