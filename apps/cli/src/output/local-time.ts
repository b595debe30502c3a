/**
 * A time for people: the clock of this machine, as in the lines of `up`, with its distance to UTC. JSON has UTC.
 * @param timestamp of ISO 8601; what is none is returned unchanged
 */
export function localTime(timestamp: string): string;
export function localTime(timestamp: string | undefined): string | undefined;
export function localTime(timestamp: string | undefined): string | undefined {
  const time = new Date(timestamp ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return timestamp;
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  const minutes = -time.getTimezoneOffset();
  const sign = minutes < 0 ? '-' : '+';
  const zone = `${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${date} ${time.toTimeString().slice(0, 8)} ${zone}`;
}
