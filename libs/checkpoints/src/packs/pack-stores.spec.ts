import { afterAll } from '@jest/globals';
import { packStoreContract } from '@bullpen/core/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FolderPackStore } from './folder-pack-store.js';
import { MemoryPackStore } from './memory-pack-store.js';

const folder = mkdtempSync(path.join(tmpdir(), 'packs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

packStoreContract('in memory', async () => new MemoryPackStore());
packStoreContract('in a folder', async () => new FolderPackStore(folder));
