/** "2 CU", or "1 to 4 CU" of a compute that scales. The same as `sizeLabel` of the emulator's page, which may not import this. */
export const sizeText = (minCu: number | undefined, maxCu: number | undefined): string =>
  minCu === maxCu ? `${maxCu} CU` : `${minCu} to ${maxCu} CU`;
