import { existsSync } from 'node:fs';
import { bubblewrap } from './bubblewrap.js';
import { sandboxContract } from './testing/sandbox.contract.js';
import { unboxed } from './unboxed.js';

sandboxContract({ name: 'none', works: true, contained: false, make: unboxed });

sandboxContract({
  name: 'bubblewrap',
  works: existsSync('/usr/bin/bwrap'),
  contained: true,
  make: ({ stateFolder }) => bubblewrap({ stateFolder }),
});
