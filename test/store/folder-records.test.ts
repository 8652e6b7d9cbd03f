import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderRecords } from '../../src/store/folder-records.ts';
import { runRecord } from '../support/run-record.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-records-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string) => {
  await mkdir(join(folder, 'records'), { recursive: true });
  await writeFile(join(folder, 'records', name), text);
};

describe('a record', () => {
  test('comes back as it was put, for another process too, and is for its owner alone', async () => {
    const record = runRecord('run_1');
    await createFolderRecords(folder).put(record);
    expect(await createFolderRecords(folder).get('run_1')).toEqual(record);
    expect(await readdir(join(folder, 'records'))).toEqual(['run_1.json']);
    expect((await stat(join(folder, 'records', 'run_1.json'))).mode & 0o077).toBe(0);
  });

  test('that was never put is none, and is not there to delete', async () => {
    const records = createFolderRecords(folder);
    expect(await records.get('run_1')).toBeNull();
    expect(await records.list()).toEqual([]);
    expect(await records.delete('run_1')).toBe(false);
  });

  test('is listed until it is deleted', async () => {
    const records = createFolderRecords(folder);
    await records.put(runRecord('run_2'));
    await records.put(runRecord('run_1'));
    expect(await records.list()).toEqual(['run_1', 'run_2']);
    expect(await records.delete('run_1')).toBe(true);
    expect(await records.list()).toEqual(['run_2']);
    expect(await records.get('run_1')).toBeNull();
  });

  test('of the run that was started later stands where two have one id, in whichever order they are put', async () => {
    const earlier = runRecord('run_1', { firstRunId: 'a', startedAt: '2026-11-30T12:00:00.000Z' });
    const later = runRecord('run_1', { firstRunId: 'b', startedAt: '2026-11-30T13:00:00.000Z' });
    const records = createFolderRecords(folder);
    for (const order of [
      [earlier, later],
      [later, earlier],
    ]) {
      for (const record of order) await records.put(record);
      expect((await records.get('run_1'))?.firstRunId).toBe('b');
      await records.delete('run_1');
    }
    await records.put(earlier);
    expect(await records.has(earlier)).toBe(true);
    expect(await records.has(later)).toBe(false);
    await records.put(later);
    expect(await records.has(earlier)).toBe(true);
  });

  test('put at once by many is there whole, and nothing half-written is left', async () => {
    const stores = Array.from({ length: 8 }, () => createFolderRecords(folder));
    await Promise.all(stores.map((each) => each.put(runRecord('run_1'))));
    expect(await stores[0]!.get('run_1')).toEqual(runRecord('run_1'));
    expect(await readdir(join(folder, 'records'))).toEqual(['run_1.json']);
  });

  test.each(['../run_1', 'a/b', '', '.', 'x'.repeat(65)])('cannot have the id %j', async (runId) => {
    await expect(createFolderRecords(folder).get(runId)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('a file that is no record is said to be none, with its name and without its words', () => {
  const { result, ...rest } = runRecord('run_1');
  test.each([
    ['half a file', '{"version":1,', /not JSON/],
    ['a field that is missing', JSON.stringify({ version: 1, ...rest, question: 'secret' }), /result/],
    ['another run', JSON.stringify({ version: 1, ...runRecord('run_2') }), /run_2/],
    ['a later version', JSON.stringify({ version: 2, ...rest, result, shape: 'new' }), /later version.*format 2/],
  ])('%s', async (_, text, why) => {
    await write('run_1.json', text);
    const records = createFolderRecords(folder);
    const reading = records.get('run_1');
    await expect(reading).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(why) });
    await expect(reading).rejects.toThrow(/run_1\.json/);
    await expect(reading).rejects.not.toThrow(/secret/);
    await expect(records.has(runRecord('run_1'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(records.put(runRecord('run_1'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await records.list()).toEqual(['run_1']);
    expect(await records.delete('run_1')).toBe(true);
  });

  test('other files of the folder are no runs', async () => {
    await write('run_1.json.ab12.part', '');
    await write('no run.json', '');
    expect(await createFolderRecords(folder).list()).toEqual([]);
  });
});
