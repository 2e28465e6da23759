/** Port: where the bytes of pictures and documents are kept, each once for a tenant. */
import type { Media } from '@bullpen/contracts';

export interface MediaStore {
  /** Keeps a content, from which its name is made; what is there already stays. Null for what is no picture and no PDF. */
  keep(tenantId: string, content: Uint8Array): Promise<Media | null>;
  /** What is kept under a name; null when nothing is. */
  describe(tenantId: string, sha256: string): Promise<Media | null>;
  /** The content as base64, as a request carries it; null when it is gone. */
  read(tenantId: string, sha256: string): Promise<string | null>;
}
