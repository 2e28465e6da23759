/** Pictures and documents: what a model is sent beside text. Their bytes are kept once, by their content; whatever refers to them says what they are. */
import { z } from 'zod';
import { readableText } from './text.js';

/** What models take. A drawing that may hold scripts (SVG) is none of them. */
export const MediaType = z
  .enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'])
  .meta({ id: 'MediaType' });
export type MediaType = z.infer<typeof MediaType>;

/** The digest of the content, which is also its name. */
export const MediaDigest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an attachment, as 64 hexadecimal digits');

export const Media = z
  .object({
    sha256: MediaDigest,
    mediaType: MediaType,
    bytes: z.int(),
    width: z.int().nullable().describe('In pixels; null for documents, and where it cannot be read.'),
    height: z.int().nullable(),
    pages: z.int().nullable().describe('Null for pictures, and where they cannot be counted.'),
  })
  .meta({ id: 'Media' });
export type Media = z.infer<typeof Media>;

/** The largest content that is kept: what a provider takes in one request, with room for the rest of it. */
export const MAX_MEDIA_BYTES = 20 * 1_024 * 1_024;

/** `POST /v1/attachments`. */
export const CreateAttachment = z
  .strictObject({
    data: z
      .string()
      .min(1)
      .max(Math.ceil(MAX_MEDIA_BYTES / 3) * 4)
      .describe('The content as base64. Its type is found out from the content.'),
  })
  .meta({ id: 'CreateAttachment' });
export type CreateAttachment = z.infer<typeof CreateAttachment>;

/** The name that something is attached under. */
export const AttachmentName = readableText(200);

/** `image, 320x200, 12 KB`: what people and models without eyes get in its place. */
export function mediaText({ mediaType, width, height, pages, bytes }: Omit<Media, 'sha256'>): string {
  const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`;
  const [kind, extent] =
    mediaType === 'application/pdf'
      ? ['PDF', pages === null ? [] : [`${pages} page${pages === 1 ? '' : 's'}`]]
      : [`image (${mediaType.slice('image/'.length)})`, width === null ? [] : [`${width}x${height}`]];
  return [kind, ...extent, size].join(', ');
}
