/** As much of a PNG as says that it is one, and how large; then `more` bytes that say nothing. */
export function pngHead(width: number, height: number, more = 0): Buffer {
  const bytes = Buffer.alloc(33 + more, 7);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
