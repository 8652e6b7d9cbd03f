import { rmSync } from 'node:fs';

export default function removeFixture() {
  const folder = process.env.TRIBUTARY_FIXTURE_PAGE;
  if (folder) rmSync(folder, { recursive: true, force: true });
}
