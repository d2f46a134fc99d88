/** "2 CU", or "1 to 4 CU" of a compute that scales. */
export const sizeText = (minCu: number | undefined, maxCu: number | undefined): string =>
  minCu === maxCu ? `${maxCu} CU` : `${minCu} to ${maxCu} CU`;
