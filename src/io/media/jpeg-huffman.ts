/** Huffman codes as JPEG files have them: codes of one length follow each other. */
export interface HuffmanCodes {
  /** Codes of each length from 1 to 16. */
  readonly counts: Uint8Array;
  readonly values: Uint8Array;
}

/** Whether there is room for every code behind the shorter ones. */
export function isWhole({ counts, values }: HuffmanCodes): boolean {
  let room = 1;
  for (const count of counts) {
    room = 2 * room - count;
    if (room < 0) return false;
  }
  return values.length <= 256;
}

const codes = (counts: string, values: string): HuffmanCodes => ({
  counts: Uint8Array.from(Buffer.from(counts, 'hex')),
  values: Uint8Array.from(Buffer.from(values, 'hex')),
});

/** The tables that ITU-T T.81, K.3 gives as typical: most files have them, and frames of motion JPEG leave them out. */
export const TYPICAL_CODES = {
  lumaDc: codes('00010501010101010100000000000000', '000102030405060708090a0b'),
  chromaDc: codes('00030101010101010101010000000000', '000102030405060708090a0b'),
  lumaAc: codes(
    '0002010303020403050504040000017d',
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a' +
      '3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495' +
      '969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  ),
  chromaAc: codes(
    '00020102040403040705040400010277',
    '0001020311040521310612415107617113223281081442' +
      '91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a' +
      '636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8' +
      'b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
  ),
};
