import type { Overview } from '@switchyard/operator-api';
import { durationText } from '../../design/time-text.ts';

type Limit = Overview['limits'][number];

const names: Readonly<Record<Limit['limit'], string>> = {
  memory: 'Memory',
  connections: 'Connections',
  'waiting-messages': 'Waiting messages',
  'open-tasks': 'Open tasks',
  'kept-tasks': 'Kept tasks',
  'open-tasks-of-tenant': 'Open tasks of a tenant',
  'scheduled-tasks': 'Scheduled tasks',
  streams: 'Streams',
  'archive-delay': 'Archive',
  'file-volume': 'Volume of files',
};

/** The limits that are nearly reached, and whether ended tasks go earlier than they should; nothing if all have room. */
export function LimitsPanel({ overview: { limits, kept } }: { readonly overview: Overview }) {
  const goEarly = kept.keptMs < kept.wantedMs;
  if (limits.length === 0 && !goEarly) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Limits that are nearly reached</h2>
      </div>
      {goEarly && (
        <p class="panel-body">
          Memory: ended tasks are kept for {durationText(kept.keptMs)} instead of {durationText(kept.wantedMs)}.
        </p>
      )}
      <ul class="longest">
        {limits.map(({ limit, setting, of, used, max }) => (
          <li key={`${limit} ${of}`}>
            <span class="grow clip">
              {names[limit]} <span class="faint">{of}</span>
            </span>
            <span class="mono faint">{setting}</span>
            <b>{Math.floor((100 * used) / max)} %</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
