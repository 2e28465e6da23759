/** The layers of a policy, as they are stored. */
import type { PolicyLayer } from '@bullpen/contracts';

/** Layers around an agent's definition; a layer that nobody has written is missing. */
export interface PolicyLayers {
  readonly installation?: PolicyLayer | undefined;
  readonly project?: PolicyLayer | undefined;
  /** Kept for a whole tree, under its root. */
  readonly task?: PolicyLayer | undefined;
}
