import { useOverview } from '../app/overview.ts';
import { chooseDeployment, session } from '../app/session.ts';
import { Field } from '../design/field.tsx';

/** Which of several deployments the pages show; nothing if there is one. */
export function Deployments() {
  const { deployments, deployment } = session().me;
  const states = useOverview().data.value?.deployments ?? [];
  if (!deployments) return null;
  const isAway = (number: number): boolean => states.some((each) => each.number === number && !each.isAnswering);
  return (
    <Field label="Deployment">
      <select
        class="input"
        value={String(deployment)}
        onChange={({ currentTarget }) => chooseDeployment(Number(currentTarget.value))}
      >
        {deployments.map((number) => (
          <option key={number} value={String(number)}>
            {isAway(number) ? `${number} (no answer)` : number}
          </option>
        ))}
      </select>
    </Field>
  );
}
