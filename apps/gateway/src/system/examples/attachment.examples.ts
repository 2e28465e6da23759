/** Examples: attachments. */
import type { CreateAttachment, Media } from '@bullpen/contracts';
import type { OperationExample } from './example.js';

/** One blue pixel. */
const pixel: CreateAttachment = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSFgAAAHEASFiX4r9AAAAAElFTkSuQmCC',
};
const media: Media = {
  sha256: '9ba552d8c3d45bae14058436476842a8ccbfcf63d561329204c168b729a8981d',
  ...{ mediaType: 'image/png', bytes: 69, width: 1, height: 1, pages: null },
};

export const attachmentExamples: Readonly<Record<string, OperationExample>> = {
  createAttachment: { body: pixel, answer: media },
  getAttachment: { parameters: { digest: media.sha256 }, answer: 'the bytes of the picture' },
};
