import { signal } from '@preact/signals';
import { problemText } from '../app/api.ts';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

const shownMs = 6_000;
const notices = signal<readonly Notice[]>([]);
let given = 0;

/** Shows that something is done. */
export function notify(text: string): void {
  show(text, false);
}

export function notifyProblem(error: unknown): void {
  show(problemText(error), true);
}

function show(text: string, isProblem: boolean): void {
  const id = ++given;
  notices.value = [...notices.value.slice(-3), { id, text, isProblem }];
  setTimeout(() => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  }, shownMs);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, isProblem }) => (
        <div key={id} class={isProblem ? 'notice problem' : 'notice'}>
          {text}
        </div>
      ))}
    </div>
  );
}
