/** What holds the programs that agents start, and what people are told of it. */
import { z } from 'zod';

/** `bubblewrap`: a box of the kernel; `docker`, `podman`: a container; `none`: nothing but the user that they run as. */
export const Sandbox = z
  .string()
  .max(40)
  .meta({ examples: ['bubblewrap', 'docker', 'podman', 'none'] });
export type Sandbox = z.infer<typeof Sandbox>;

/** In one sentence. */
export function sandboxText(sandbox: Sandbox): string {
  if (sandbox === 'none')
    return 'none: commands can read whatever their user can read, and reach the network; the policy alone stands before them';
  return `${sandbox}: commands see their workspace and the system's programs, and no network but the hosts that the policy opens`;
}
