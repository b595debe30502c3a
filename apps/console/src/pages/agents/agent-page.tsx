import { type AgentReading, levelsText } from '@switchyard/operator-api';
import { z } from 'zod';
import { call } from '../../app/api.ts';
import { useLive } from '../../app/live.ts';
import { href, query, setQuery } from '../../app/route.ts';
import { session } from '../../app/session.ts';
import { Button } from '../../design/button.tsx';
import { Json } from '../../design/json.tsx';
import { notify } from '../../design/notices.tsx';
import { Page } from '../../design/page.tsx';
import { AgentState, Tag } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { durationText } from '../../design/time-text.ts';
import { Empty, WithData } from '../../design/views.tsx';
import { agentPageSchema } from './agent-list.tsx';
import { readCard } from './card.ts';
import { TryIt } from './try-it.tsx';
import { Workers } from './workers.tsx';

const tabs = { try: 'Try it', about: 'About', card: 'Card' } as const;
type Tab = keyof typeof tabs;

/** One agent: its skills, its health, and a form to try it. */
export function AgentPage({ id }: { readonly id: string }) {
  const live = useLive('/admin/agents', agentPageSchema, { id });
  const agent = live.data.value?.agents.find((each) => each.id === id);
  const given = query.value.get('tab') ?? 'try';
  const tab: Tab = given === 'about' || given === 'card' ? given : 'try';
  const title = (
    <>
      <a href={href('/agents')}>Agents</a> / {agent?.name ?? id}
    </>
  );
  return (
    <Page
      title={title}
      tab={agent?.name ?? id}
      about={agent && <AgentState agent={agent} />}
      isLost={live.isLost}
      actions={agent && <Actions agent={agent} />}
      bar={<Tabs label="Views" tabs={tabs} selected={tab} onSelect={(next) => setQuery({ tab: next })} />}
      isFull={tab === 'try'}
    >
      <WithData live={live}>
        {() =>
          agent ? <View agent={agent} tab={tab} /> : <Empty icon="agents" title={`No agent is called “${id}”`} />
        }
      </WithData>
    </Page>
  );
}

function View({ agent, tab }: { readonly agent: AgentReading; readonly tab: Tab }) {
  if (tab === 'about') return <About agent={agent} />;
  if (tab === 'card')
    return (
      <div class="panel">
        <Json value={agent.card} />
      </div>
    );
  if (session().me.canTry) return <TryIt agent={agent} />;
  return (
    <Empty icon="agents" title="Agents are tried as a client">
      Clients need a key here, and this is an operator’s alone. Sign in with a client’s key that has the scope{' '}
      <code>admin</code>.
    </Empty>
  );
}

function Actions({ agent: { id, paused } }: { readonly agent: AgentReading }) {
  const order = async (): Promise<void> => {
    await call(`/admin/agents/${encodeURIComponent(id)}:${paused ? 'resume' : 'pause'}`, z.unknown(), {
      method: 'POST',
    });
    notify(paused ? 'It runs again' : 'Messages are accepted, and wait');
  };
  return (
    <>
      <a class="button" href={href('/tasks', { q: `agent:${id}` })}>
        Tasks
      </a>
      <Button icon={paused ? 'play' : 'pause'} onPress={order}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </>
  );
}

function About({ agent }: { readonly agent: AgentReading }) {
  const { skills, description, defaultInputModes, defaultOutputModes } = readCard(agent.card);
  return (
    <div class="agent-about-page">
      <section class="panel">
        <div class="panel-body agent-summary">
          {agent.remoteProblem && <p role="alert">{agent.remoteProblem.text}</p>}
          <p>{description}</p>
          <dl class="facts">
            <dt>Id</dt>
            <dd class="mono">{agent.id}</dd>
            <dt>Version</dt>
            <dd>{agent.version}</dd>
            <dt>Workers</dt>
            <dd>{agent.workers}</dd>
            <dt>Queue</dt>
            <dd>{queueText(agent)}</dd>
            {agent.places && (
              <>
                <dt>Turns at a time</dt>
                <dd>
                  {agent.places.taken}
                  {agent.places.limit !== undefined && ` of ${agent.places.limit}`}
                </dd>
              </>
            )}
            <dt>Takes</dt>
            <dd>{defaultInputModes.join(', ')}</dd>
            <dt>Gives</dt>
            <dd>{defaultOutputModes.join(', ')}</dd>
          </dl>
        </div>
      </section>
      <section class="panel">
        <div class="panel-head">
          <h2>Skills</h2>
        </div>
        <ul class="panel-body skills">
          {skills.map(({ id, name, description: about, tags }) => (
            <li key={id}>
              <div class="row">
                <strong>{name}</strong>
                {tags.map((tag) => (
                  <Tag key={tag}>{tag}</Tag>
                ))}
              </div>
              <p class="soft">{about}</p>
            </li>
          ))}
        </ul>
      </section>
      <Workers agent={agent.id} />
    </div>
  );
}

function queueText({ active, waiting, levels, delayed, oldestWaitMs, beganPerSecond }: AgentReading): string {
  const byPriority = levelsText(levels);
  const waits = byPriority === undefined ? `${waiting} waiting` : `${waiting} waiting (${byPriority})`;
  const parts = [`${active} running`, waits, `${delayed} delayed`];
  if (waiting > 0) parts.push(`the oldest for ${durationText(oldestWaitMs)}`);
  return [...parts, `${beganPerSecond} started per second`].join(', ');
}
