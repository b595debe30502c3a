/**
 * Imports between folders that some way leads back from, by app or package. The numbers shrink to nothing; none may
 * grow.
 */
export const knownFolderCircles: Readonly<Record<string, number>> = {
  'packages/store': 61,
};
