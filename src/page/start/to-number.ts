/** A number as people type it (`1,000`, `2M`, `200k`, `0.5`), or the text as it is, for the schema to refuse by name. */
const pattern = /^(\d+(?:\.\d+)?)([kM]?)$/;
const factors: Readonly<Record<string, number>> = { '': 1, k: 1_000, M: 1_000_000 };

export function toNumberOrText(text: string): number | string {
  const match = pattern.exec(text.trim().replaceAll(',', ''));
  if (!match) return text.trim();
  const value = Number(match[1]) * factors[match[2]!]!;
  return Number.isInteger(value) ? value : Number(value.toFixed(6));
}
