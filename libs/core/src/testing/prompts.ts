/** The labelled prompts, without the contract suites beside them, which only run in a test runner. */
export { ENGLISH_PROMPTS } from './labelled-english.js';
export { KOREAN_PROMPTS } from './labelled-korean.js';
export { SPOKEN_PROMPTS } from './labelled-speech.js';
