/** What a merge does to each file, and what it cannot decide. */
import type { BytePath } from '../files/byte-path.js';
import type { Entry } from '../objects/listing.js';

/** Why a change is not taken. The file stays as it is. */
export type ConflictReason =
  /** Both have changed the same lines, or something that has no lines. */
  | 'both_changed'
  | 'both_added'
  /** It was removed here, or a folder has taken its place, and was changed there. */
  | 'gone_here'
  /** It was changed here, and removed there. */
  | 'gone_there'
  /** Something else stands here where it, or a folder on its way, would have to be. */
  | 'in_the_way'
  /** It was changed here while the merge was carried out. */
  | 'changed_meanwhile'
  /** It, or its folder, may not be read or written. */
  | 'closed'
  /** It is part of a repository's own files. */
  | 'protected';

/** The versions of a file; a content is in the store under the id of its entry. */
export interface Sides {
  readonly base: Entry | null;
  readonly ours: Entry | null;
  readonly theirs: Entry | null;
}

/** `from`: its old name, when it was renamed. */
export type Outcome =
  /** As it is there (`taken`), or with what both have changed (`merged`). */
  | ({
      readonly kind: 'taken' | 'merged';
      readonly path: BytePath;
      readonly from: BytePath | null;
      readonly wanted: Entry | null;
    } & Sides)
  /** It is so here already. */
  | { readonly kind: 'there'; readonly path: BytePath }
  | Conflict;

/** `marked`: the blob of a text with both versions of what touches, for what has lines. */
export type Conflict = {
  readonly kind: 'conflict';
  readonly path: BytePath;
  readonly why: ConflictReason;
  readonly marked: string | null;
} & Sides;
