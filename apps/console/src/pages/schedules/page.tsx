import { useSignal } from '@preact/signals';
import { pageOf, type ScheduleReading, scheduleReadingSchema } from '@switchyard/operator-api';
import { z } from 'zod';
import { call } from '../../app/api.ts';
import { useLive } from '../../app/live.ts';
import { href, taskPath } from '../../app/route.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { clientText } from '../../design/client-text.ts';
import { Dialog } from '../../design/dialog.tsx';
import { notify, notifyProblem } from '../../design/notices.tsx';
import { Page } from '../../design/page.tsx';
import { Badge, type Colour, State } from '../../design/state.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Ago } from '../../design/time.tsx';
import { fullTime } from '../../design/time-text.ts';
import { Empty, NotShown, WithData } from '../../design/views.tsx';
import './page.css';

const pageSchema = pageOf('schedules', scheduleReadingSchema);
const query = { pageSize: 100 };

/** Messages for later, and series by cron, that go on. */
export function SchedulesPage() {
  const live = useLive('/admin/schedules', pageSchema, query);
  const total = live.data.value?.totalSize;
  return (
    <Page title="Schedules" about={total?.toLocaleString() ?? ''} isLost={live.isLost}>
      <WithData live={live}>
        {({ schedules, totalSize }) => (
          <>
            {totalSize > 0 ? <Schedules schedules={schedules} /> : <None />}
            <NotShown shown={schedules.length} totalSize={totalSize} />
          </>
        )}
      </WithData>
    </Page>
  );
}

function None() {
  return (
    <Empty icon="schedules" title="Nothing is scheduled">
      A client schedules a message: <code>switchyard send --cron "0 9 * * MON-FRI"</code>
    </Empty>
  );
}

function Schedules({ schedules }: { readonly schedules: readonly ScheduleReading[] }) {
  const ending = useSignal<ScheduleReading | undefined>(undefined);
  const columns: readonly Column<ScheduleReading>[] = [
    { name: 'Agent', cell: ({ agent }) => agent },
    { name: 'When', cell: whenText },
    { name: 'State', cell: ({ state }) => <Badge colour={badges[state].colour}>{badges[state].name}</Badge> },
    { name: 'Next', cell: Next },
    { name: 'Last', cell: Last },
    { name: 'Client', cell: (owner) => <span class="soft">{clientText(owner)}</span> },
    {
      name: '',
      cell: (schedule) => (
        <span class="row">
          <PauseOrResume schedule={schedule} />
          <IconButton
            icon="close"
            label="End"
            onPress={() => {
              ending.value = schedule;
            }}
          />
        </span>
      ),
    },
  ];
  const close = (): void => {
    ending.value = undefined;
  };
  return (
    <div class="panel">
      <Table label="Schedules" columns={columns} rows={schedules} keyOf={({ scheduleId }) => scheduleId} />
      <Dialog title="End the schedule" isOpen={ending.value !== undefined} onClose={close}>
        {ending.value && <End schedule={ending.value} onDone={close} />}
      </Dialog>
    </div>
  );
}

const badges: Readonly<Record<ScheduleReading['state'], { readonly name: string; readonly colour: Colour }>> = {
  active: { name: 'Active', colour: 'green' },
  paused: { name: 'Paused', colour: 'amber' },
  delayed: { name: 'Over its quota', colour: 'red' },
};

function whenText({ cron, timeZone, until, times }: ScheduleReading) {
  if (cron === undefined) return 'once';
  const limits = [timeZone, until && `until ${fullTime(until)}`, times !== undefined && `${times} left`];
  return (
    <>
      <code>{cron}</code> <span class="soft">{limits.filter(Boolean).join(', ')}</span>
    </>
  );
}

function Next({ nextTaskId, nextAt }: ScheduleReading) {
  if (nextTaskId === undefined) return '–';
  return <a href={href(taskPath(nextTaskId))}>{nextAt === undefined ? 'when resumed' : fullTime(nextAt)}</a>;
}

function Last({ lastTaskId, lastAt, lastState }: ScheduleReading) {
  if (lastTaskId === undefined) return '–';
  const ago = lastAt !== undefined && <Ago at={lastAt} />;
  if (lastState === undefined) return <span class="soft">{ago} no longer kept</span>;
  return (
    <a class="schedule-last" href={href(taskPath(lastTaskId))}>
      <State state={lastState} /> {ago}
    </a>
  );
}

const change = ({ scheduleId }: ScheduleReading, name: 'pause' | 'resume' | 'end'): Promise<unknown> =>
  call(`/admin/schedules/${encodeURIComponent(scheduleId)}:${name}`, z.unknown(), { method: 'POST' });

function PauseOrResume({ schedule }: { readonly schedule: ScheduleReading }) {
  const isPaused = schedule.state === 'paused';
  const onPress = async (): Promise<void> => {
    await change(schedule, isPaused ? 'resume' : 'pause');
    notify(isPaused ? 'It goes on at its next time' : 'No task begins until it is resumed');
  };
  const [icon, label] = isPaused ? (['play', 'Resume'] as const) : (['pause', 'Pause'] as const);
  return <IconButton icon={icon} label={label} onPress={() => void onPress().catch(notifyProblem)} />;
}

function End({ schedule, onDone }: { readonly schedule: ScheduleReading; readonly onDone: () => void }) {
  const end = async (): Promise<void> => {
    await change(schedule, 'end');
    onDone();
    notify('The schedule has ended');
  };
  return (
    <>
      <p>The task of {schedule.agent} that waits is canceled; tasks that have begun go on. It cannot be undone.</p>
      <div class="dialog-foot">
        <Button kind="danger" onPress={end}>
          End it
        </Button>
      </div>
    </>
  );
}
