import type { ComponentType } from 'preact';
import type { IconName } from '../design/icon.tsx';

interface PageEntry {
  /** The first part of its path: `tasks`, or `task` for a path with an id. */
  readonly name: string;
  readonly title: string;
  /** In the navigation; unset: not listed. */
  readonly icon?: IconName;
  /** `g` and this key open it. */
  readonly key?: string;
  readonly load: () => Promise<ComponentType>;
}

/** Each page is a separate file, loaded when it is first visited. */
export const pages: readonly PageEntry[] = [
  {
    name: 'tasks',
    title: 'Tasks',
    icon: 'tasks',
    key: 't',
    load: async () => (await import('../pages/tasks/page.tsx')).TasksPage,
  },
  { name: 'task', title: 'Task', load: async () => (await import('../pages/task/page.tsx')).TaskPage },
  {
    name: 'inbox',
    title: 'Inbox',
    icon: 'inbox',
    key: 'i',
    load: async () => (await import('../pages/inbox/page.tsx')).InboxPage,
  },
  {
    name: 'conversations',
    title: 'Conversations',
    icon: 'conversations',
    key: 'c',
    load: async () => (await import('../pages/conversations/page.tsx')).ConversationsPage,
  },
  {
    name: 'agents',
    title: 'Agents',
    icon: 'agents',
    key: 'a',
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
    name: 'dead-letters',
    title: 'Dead letters',
    icon: 'dead-letters',
    key: 'd',
    load: async () => (await import('../pages/dead-letters/page.tsx')).DeadLettersPage,
  },
];

export const firstPage = '/tasks';
