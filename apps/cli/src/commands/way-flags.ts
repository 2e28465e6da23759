/** How a task goes about its work: freely or in modes, and whether its conversation may be made shorter. */
import { ModeAsks, Workflow, type CreateTaskInput } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';

export interface WayFlags {
  readonly workflow?: Workflow;
  readonly modeAsks?: ModeAsks;
  /** True unless `--no-condense` was given. */
  readonly condense?: boolean;
}

/** Adds the flags that `wayOf` reads. */
export function withWayFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--workflow <workflow>',
        'free: all tools at once; fsm: one work mode after the other (see: bullpen modes)',
      ).choices(Workflow.options),
    )
    .addOption(
      new Option('--mode-asks <what>', 'with --workflow fsm: what its modes ask you for').choices(
        ModeAsks.options,
      ),
    )
    .option('--no-condense', 'never make the conversation shorter; you are asked when it no longer fits');
}

/** The part of a task that these flags describe. Throws with exit code 2 for flags that do not go together. */
export function wayOf({ workflow, modeAsks, condense }: WayFlags): Partial<CreateTaskInput> {
  if (modeAsks !== undefined && workflow !== 'fsm')
    throw new CliError(EXIT.usage, '--mode-asks needs --workflow fsm.');
  return {
    ...(workflow !== undefined && { workflow }),
    ...(modeAsks !== undefined && { modeAsks }),
    ...(condense === false && { condense }),
  };
}
