/** The bytes of a base64 text; null when it is none. `Buffer` passes over what does not belong there, and would give other bytes. */
export function contentOfBase64(text: string): Buffer | null {
  const content = Buffer.from(text, 'base64');
  const isExact = content.length > 0 && content.toString('base64') === text;
  return isExact ? content : null;
}
