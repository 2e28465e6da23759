/** A taste of the long form: enough for each kind of fault to come. */
import { mixedFaultsTest } from '../../test/mixed-faults.js';

mixedFaultsTest(40, 120_000);
