import { type Artifact, isTerminal, type Task } from '@switchyard/protocol';
import { useState } from 'preact/hooks';
import { isMarkdown, PartView } from '../../../content/part.tsx';
import { Button } from '../../../design/button.tsx';
import { Badge } from '../../../design/state.tsx';
import type { LiveTask } from './live-task.ts';

/** A task's artifacts, updated while they grow. */
export function Artifacts({ live, task }: { readonly live: LiveTask; readonly task: Task }) {
  const { artifacts = [] } = task;
  const hasEnded = isTerminal(task.status.state);
  if (artifacts.length === 0) return <p class="faint">{hasEnded ? 'None.' : 'None yet.'}</p>;
  return artifacts.map((artifact) => (
    <ArtifactView
      key={live.versionOf(artifact.artifactId)}
      taskId={task.id}
      artifact={artifact}
      isGrowing={!hasEnded && !live.isClosed(artifact.artifactId)}
    />
  ));
}

interface ArtifactProps {
  readonly taskId: string;
  readonly artifact: Artifact;
  readonly isGrowing: boolean;
}

function ArtifactView({ taskId, artifact, isGrowing }: ArtifactProps) {
  const { name, artifactId, description, parts } = artifact;
  const hasMarkdown = parts.some((part) => isMarkdown(part, name));
  const [isPlain, setPlain] = useState(false);
  const last = parts.length - 1;
  return (
    <article class="artifact">
      <header>
        <h3>{name ?? artifactId}</h3>
        {description && <span class="faint clip">{description}</span>}
        {isGrowing && <Badge colour="blue">grows</Badge>}
        {hasMarkdown && (
          <Button kind="quiet" onPress={() => setPlain(!isPlain)}>
            {isPlain ? 'Formatted' : 'As text'}
          </Button>
        )}
      </header>
      {parts.map((part, i) => (
        <PartView
          key={i}
          part={part}
          taskId={taskId}
          isGrowing={isGrowing && i === last}
          isMarkdown={!isPlain && isMarkdown(part, name)}
        />
      ))}
    </article>
  );
}
