/** The store that the settings of an installation name. */
import type { PackStore } from '@bullpen/core';
import { FolderPackStore } from './folder-pack-store.js';

/** `postgres` makes the store in the database, which this package does not know. */
export function packStoreAt(
  place: 'postgres' | { readonly folder: string },
  postgres: () => PackStore,
): PackStore {
  return place === 'postgres' ? postgres() : new FolderPackStore(place.folder);
}
