import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { CELL } from '../data/typeface.ts';
import { pixelsOf, type ReadPage } from './page.ts';

export interface Pdf {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A page as a PDF: its bitmap, and over it the text in invisible letters, to be found and copied. */
export function pdfOf(page: ReadPage): Pdf {
  const { name, width, height, text } = page;
  const image = deflateSync(pixelsOf(page), { level: 2 });
  const letters = text.split('\n').map(line => `(${line.replace(/[\\()]/g, '\\$&')}) '`);
  const content = `q ${width} 0 0 ${height} 0 0 cm /I Do Q BT 3 Tr /F 24 Tf ${CELL.height} TL 0 ${height} Td ${letters.join(' ')} ET`;
  const bytes = documentOf([
    ['/Type /Catalog /Pages 2 0 R'],
    ['/Type /Pages /Kids [3 0 R] /Count 1'],
    [
      `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R`,
      '/Resources << /XObject << /I 5 0 R >> /Font << /F 6 0 R >> >>',
    ],
    [`/Length ${content.length}`, Buffer.from(content, 'latin1')],
    [
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`,
      `/Filter /FlateDecode /Length ${image.length}`,
      image,
    ],
    ['/Type /Font /Subtype /Type1 /BaseFont /Courier'],
  ]);
  return { name: `${name}.pdf`, bytes };
}

export const writePdf =
  (folder: string) =>
  ({ name, bytes }: Pdf): void =>
    writeFileSync(join(folder, name), bytes);

/** Numbers the objects, each entries of a dictionary and perhaps a stream, and adds the table of where they begin. */
function documentOf(objects: readonly (readonly (string | Uint8Array)[])[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.4\n')];
  let length = parts[0]?.length ?? 0;
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
  };
  const places = objects.map((object, at) => {
    const place = String(length).padStart(10, '0');
    add(`${at + 1} 0 obj\n<< ${object.filter(part => typeof part === 'string').join(' ')} >>\n`);
    for (const stream of object.filter(part => typeof part !== 'string')) {
      add('stream\n');
      add(stream);
      add('\nendstream\n');
    }
    add('endobj\n');
    return `${place} 00000 n \n`;
  });
  const size = objects.length + 1;
  add(`xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`);
  add(
    `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length - 20 * size - `xref\n0 ${size}\n`.length}\n%%EOF\n`,
  );
  return Buffer.concat(parts);
}
