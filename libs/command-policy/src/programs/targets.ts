/** Names of scripts and targets of a project that look, build, test or check. Any other name may deploy. */
import type { LineState } from '../line-state.js';
import { finding, type Finding } from '../rules.js';
import type { Arg } from '../words.js';

const HARMLESS =
  /^(tests?|unit|e2e|it|integration|spec|smoke|build|compile|bundle|lint|eslint|stylelint|check|checks|typecheck|types?|tsc|prettier|format|fmt|coverage|cov|bench|benchmark|verify|validate|docs?|knip|clean|codegen|generate|gen|audit-ci|all|assemble|package|vet|analyze|analyse|size|dev-build|prebuild|pretest|posttest|ci|doctor|storybook-build|depcheck|unused|spellcheck|style|static|mypy|ruff|flake8|pytest|jest|vitest|mocha|help|default|debug|release-build)([:._-][\w:.-]*)?$/;
const RISKY =
  /(^|[:._-])(publish|deploy|release|push|upload|prod|production|destroy|drop|reset|migrate|migration|seed|install|uninstall|prune|purge|wipe|delete|ship|promote|rollback|flash|login|db|tf|terraform|apply|up|down|start|serve|watch|remote|fetch|pull)([:._-]|$)/;

/** Whether a script or target goes by a name of its class. */
export function isBuildOrTest(name: string): boolean {
  return HARMLESS.test(name) && (!RISKY.test(name) || name === 'release-build');
}

const WRITING = /(^|[:._-])(format|fmt|fix|prettier|write|update|codegen|generate|gen|clean)($|[:._-])/;

/** Objects to a script or target that by its name changes files, where that needs approval. */
export function judgeWritingName({ value, span }: Arg, { settings }: LineState): Finding[] {
  if (settings.allowWrite || !WRITING.test(value)) return [];
  return [finding('write.off', `${value} changes files, and that needs approval here.`, span)];
}
