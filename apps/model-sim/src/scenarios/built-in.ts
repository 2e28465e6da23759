import type { Scenario } from '../scenario.js';
import { surveyScenario } from './survey.js';

/** The scenarios that are played when none is named. */
export const builtInScenarios: readonly Scenario[] = [surveyScenario];
