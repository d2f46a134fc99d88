/** Whether an earlier step failed or did not wait, so that its work may be missing. @param olds the outputs in the state */
export const isUnfinished = (olds: object): boolean => {
  const { unfinished } = olds as { unfinished?: unknown };
  return Array.isArray(unfinished) && unfinished.length > 0;
};
