import { findCircles } from './circles.ts';
import { rules } from './rules.ts';
import { readSourceFiles } from './source-files.ts';

/** Everything that the floors of the design forbid and that the tree below `root` does, one line each. */
export function checkFloors(root: string): string[] {
  const files = readSourceFiles(root);
  const violations = files.flatMap((file) => rules.flatMap((rule) => rule(file).map((why) => `${file.path}: ${why}`)));
  const circles = findCircles(files).map((circle) => `files import each other in a circle: ${circle}`);
  return [...violations, ...circles];
}
