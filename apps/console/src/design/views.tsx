import type { ComponentChildren } from 'preact';
import type { Live } from '../app/live.ts';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** An empty view: says why, and what to do. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="view">
      <Icon name={icon} size={28} />
      <div class="title">{title}</div>
      {children && <p>{children}</p>}
    </div>
  );
}

export function Problem({ text }: { readonly text: string }) {
  return (
    <div class="problem-line" role="alert">
      {text}
    </div>
  );
}

export function Loading() {
  return (
    <div class="view" aria-busy="true">
      <span class="faint">Loading …</span>
    </div>
  );
}

/** That a list goes on beyond its first page. */
export function NotShown({ shown, totalSize }: { readonly shown: number; readonly totalSize: number }) {
  const more = totalSize - shown;
  return more > 0 ? <p class="not-shown faint">and {more.toLocaleString()} more, which are not shown</p> : null;
}

interface WithDataProps<T> {
  readonly live: Live<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Live data, when it is known. A problem is shown above the last answer. */
export function WithData<T>({ live, children }: WithDataProps<T>) {
  const data = live.data.value;
  const problem = live.problem.value;
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      {data !== undefined ? children(data) : problem === undefined && <Loading />}
    </>
  );
}
