import type { UsageRow } from '@switchyard/operator-api';
import { usdText } from '@switchyard/protocol';

interface DaysChartProps {
  readonly from: string;
  readonly to: string;
  /** Days without usage are missing. */
  readonly days: readonly UsageRow[];
}

const [WIDTH, HEIGHT] = [900, 120];

/** A bar for each day: its cost or, if nothing has a price, its tokens. The table by day says the same. */
export function DaysChart({ from, to, days }: DaysChartProps) {
  const isPriced = days.some(({ microUsd = 0 }) => microUsd > 0);
  const amountOf = (day: UsageRow | undefined): number => (isPriced ? (day?.microUsd ?? 0) : tokensOf(day));
  const textOf = (value: number): string => (isPriced ? usdText(value) : `${value.toLocaleString()} tokens`);
  const bars = daysBetween(from, to).map((name) => ({ name, value: amountOf(days.find((day) => day.name === name)) }));
  const most = Math.max(...bars.map(({ value }) => value), 1);
  const step = WIDTH / bars.length;
  return (
    <figure class="panel usage-chart">
      <figcaption>
        <span>{isPriced ? 'Cost per day' : 'Tokens per day'}</span>
        <span class="faint">
          {from} to {to} (UTC), at most {textOf(most)}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="A bar for each day">
        {bars.map(({ name, value }, at) => {
          const height = value === 0 ? 0 : Math.max(2, (value / most) * HEIGHT);
          return (
            <rect key={name} x={at * step + 1} y={HEIGHT - height} width={Math.max(1, step - 2)} height={height}>
              <title>{`${name}: ${textOf(value)}`}</title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
}

const tokensOf = (day: UsageRow | undefined): number => (day?.inputTokens ?? 0) + (day?.outputTokens ?? 0);

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
