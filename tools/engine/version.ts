/** Versions as `pulumi version` prints them: `v3.274.1`, `3.216.0-dev.0`. */
export type Version = readonly [major: number, minor: number, patch: number];

export function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/**
 * Is `text` a version of the same major line and not older than `oldest`? Pre-releases count as their release: who
 * runs one knows what it is.
 */
export function isUsable(text: string, oldest: string): boolean {
  const [version, floor] = [parseVersion(text), parseVersion(oldest)];
  if (!version || !floor || version[0] !== floor[0]) return false;
  return version[1] !== floor[1] ? version[1] > floor[1] : version[2] >= floor[2];
}
