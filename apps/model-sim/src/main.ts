/** The command: starts a simulator and runs until it is told to stop, by a signal or by the end of the parent process. */
import { parseCliOptions, USAGE } from './cli-options.js';
import { loadScenario } from './load-scenarios.js';
import { startModelSim } from './start-model-sim.js';

async function main(): Promise<void> {
  const { isHelp, scenarioFiles, ...options } = parseCliOptions(process.argv.slice(2));
  if (isHelp) {
    process.stdout.write(USAGE);
    return;
  }
  const scenarios = await Promise.all(scenarioFiles.map(loadScenario));
  const sim = await startModelSim({ ...options, scenarios: scenarios.length === 0 ? undefined : scenarios });
  const stop = (): void => {
    sim.close().then(() => process.exit(0), fail);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  process.stdout.write(`model-sim listening on ${sim.url} (simulated model, not Claude)\n`);
  process.send?.({ type: 'listening', port: sim.port });
}

function fail(error: unknown): void {
  process.stderr.write(`model-sim: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
