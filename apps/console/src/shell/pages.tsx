import type { Overview } from '@switchyard/operator-api';
import type { ComponentType } from 'preact';
import type { IconName } from '../design/icon.tsx';

export interface PageEntry {
  /** The first part of its path: `tasks`, or `task` for a path with an id. */
  readonly name: string;
  readonly title: string;
  /** In the navigation; unset: not listed. */
  readonly icon?: IconName;
  /** On a phone it is under *More*, which leaves room for five. */
  readonly isUnderMore?: boolean;
  /** `g` and this key open it. */
  readonly key?: string;
  /** What needs somebody there: a number beside it in the navigation. */
  readonly countIn?: (overview: Overview) => PageCount;
  readonly load: () => Promise<ComponentType>;
}

interface PageCount {
  readonly count: number;
  /** For screen readers: `3 questions` */
  readonly what: string;
  /** Nobody works on something. */
  readonly isUrgent?: boolean;
}

/** Each page is a separate file, loaded when it is first visited. */
export const pages: readonly PageEntry[] = [
  {
    name: 'overview',
    title: 'Overview',
    icon: 'overview',
    key: 'o',
    load: async () => (await import('../pages/overview/page.tsx')).OverviewPage,
  },
  {
    name: 'tasks',
    title: 'Tasks',
    icon: 'tasks',
    key: 't',
    countIn: ({ stuck }) => ({ count: stuck, what: 'stuck', isUrgent: true }),
    load: async () => (await import('../pages/tasks/page.tsx')).TasksPage,
  },
  { name: 'task', title: 'Task', load: async () => (await import('../pages/task/page.tsx')).TaskPage },
  {
    name: 'inbox',
    title: 'Inbox',
    icon: 'inbox',
    key: 'i',
    countIn: ({ interrupted }) => ({ count: interrupted, what: 'wait for a person' }),
    load: async () => (await import('../pages/inbox/page.tsx')).InboxPage,
  },
  {
    name: 'conversations',
    title: 'Conversations',
    icon: 'conversations',
    isUnderMore: true,
    key: 'c',
    load: async () => (await import('../pages/conversations/page.tsx')).ConversationsPage,
  },
  {
    name: 'agents',
    title: 'Agents',
    icon: 'agents',
    key: 'a',
    countIn: ({ troubledAgents }) => ({ count: troubledAgents, what: 'in trouble', isUrgent: true }),
    load: async () => (await import('../pages/agents/page.tsx')).AgentsPage,
  },
  {
    name: 'queues',
    title: 'Queues',
    icon: 'queues',
    key: 'q',
    load: async () => (await import('../pages/queues/page.tsx')).QueuesPage,
  },
  {
    name: 'schedules',
    title: 'Schedules',
    icon: 'schedules',
    isUnderMore: true,
    key: 's',
    load: async () => (await import('../pages/schedules/page.tsx')).SchedulesPage,
  },
  {
    name: 'usage',
    title: 'Usage',
    icon: 'usage',
    isUnderMore: true,
    key: 'u',
    load: async () => (await import('../pages/usage/page.tsx')).UsagePage,
  },
  {
    name: 'dead-letters',
    title: 'Dead letters',
    icon: 'dead-letters',
    isUnderMore: true,
    key: 'd',
    countIn: ({ deadLetters: { turn, webhook } }) => ({ count: turn + webhook, what: 'given up' }),
    load: async () => (await import('../pages/dead-letters/page.tsx')).DeadLettersPage,
  },
];

export const firstPage = '/overview';
