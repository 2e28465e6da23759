/** A thousand steps of one task, half of whose requests go wrong. */
import { mixedFaultsTest } from '../../test/mixed-faults.js';

mixedFaultsTest(1_000, 600_000);
