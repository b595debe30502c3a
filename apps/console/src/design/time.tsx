import { signal } from '@preact/signals';
import { agoText, durationText, fullTime } from './time-text.ts';

/** Milliseconds, updated every second. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

/** A time relative to now; the tooltip has the date. */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {agoText(at, now.value)}
    </time>
  );
}

/** How long something has taken; updated while it has no end. */
export function Duration({ from, until }: { readonly from: string; readonly until?: string | undefined }) {
  const end = until === undefined ? now.value : Date.parse(until);
  return <span title={fullTime(from)}>{durationText(end - Date.parse(from))}</span>;
}
