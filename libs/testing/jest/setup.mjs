/** Before each spec file: its process has a guard. */
import { guardedFolder } from '../src/run-guard.ts';

guardedFolder();
