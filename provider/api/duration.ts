/** Milliseconds as a reader wants them: "0.5 s", "12 s", "2 min 5 s", "10 min", "3 h 20 min". */
export function duration(ms: number): string {
  const exact = Math.max(0, ms) / 1000;
  if (exact < 10) return `${Math.round(exact * 10) / 10} s`;
  const whole = Math.round(exact);
  const parts: [number, string][] = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
