/** 16 by 16, in the colour of the text. */
const shapes = {
  overview: 'M2.5 9.5h2.7l1.6-5 2.6 8 1.6-5h2.5',
  tasks: 'M2.5 4h2m2.5 0h6.5M2.5 8h2M7 8h6.5m-11 4h2m2.5 0h6.5',
  inbox: 'M2.5 9.5 4 3.5h8l1.5 6v3h-11zm0 0h3.2l.8 1.5h3l.8-1.5h3.2',
  conversations: 'M2.5 3h7.5v5.5H6L3.8 10.6V8.5H2.5zm5 8h2.7l2.3 2V11h1V6H12.3',
  agents: 'M3.5 6h9v6.5h-9zM8 6V3.5M6.3 9v.8M9.7 9v.8M1.8 8.5v2m12.4-2v2M8 3a.6.6 0 1 0 0-.01',
  queues: 'M2.5 12.5v-4m3.7 4v-9m3.6 9v-6m3.7 6v-7.5',
  'dead-letters': 'M2.5 3.5h11v2.5h-11zm1 2.5v6.5h9V6M6.3 8.2l3.4 2.9m0-2.9-3.4 2.9',
  usage:
    'M8 13.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11m1.7-7.2A2 2 0 0 0 8 5.4c-1 0-1.7.5-1.7 1.3 0 1.8 3.4.8 3.4 2.6 0 .8-.7 1.3-1.7 1.3a2 2 0 0 1-1.7-.9M8 4.3v7.4',
  schedules: 'M8 13.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11M8 5v3.2l2.2 1.4',
  search: 'M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9m3.3-1.2 3.2 3.2',
  close: 'm4 4 8 8m0-8-8 8',
  more: 'M3.5 8h.01M8 8h.01m4.49 0h.01',
  send: 'm2.5 8 11-5-4 10.5-2.2-4.3zm4.8 1.2 2.7-2.7',
  file: 'M4 2.5h5l3 3v8H4zm5 0v3h3',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7L13 5.8M13 2.8v3h-3',
  pause: 'M5.5 3.5v9m5-9v9',
  play: 'M5 3.5v9l7.5-4.5z',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M8 1.8v1.4m0 9.6v1.4M1.8 8h1.4m9.6 0h1.4M3.6 3.6l1 1m6.8 6.8 1 1m0-8.8-1 1m-6.8 6.8-1 1',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3 4.5 4.5 0 0 0 13 9.5',
  system: 'M2.5 3.5h11v7h-11zm3.5 10h4m-2-3v3',
  person: 'M8 8.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 5c.6-2.4 2.8-3.5 5.5-3.5s4.9 1.1 5.5 3.5',
  leave: 'M6.5 3h-3v10h3m3.5-2 3-3-3-3m3 3H6.5',
  check: 'm3.5 8.5 3 3 6-7',
  warning: 'M8 2.8 14 13H2zM8 6.5v3m0 1.8v.1',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  copy: 'M5.5 5.5h8v8h-8zm-3 5v-8h8',
  plus: 'M8 3v10M3 8h10',
  bookmark: 'M4.5 2.5h7v11L8 10.7l-3.5 2.8z',
} as const;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers: the text beside it says the same. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={shapes[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
