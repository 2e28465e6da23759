/** The screens while nothing has come yet, when nothing can be read, and when what they show may be out of date. */
import { LIGHT, record, twoAtATime } from './screens.mjs';

const API = /\/v1\//;
const STREAM = /\/v1\/[^?]*stream/;

const PROBLEM = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    ...{ type: 'urn:bullpen:problem:internal_error', title: 'Something went wrong', status: 500 },
    ...{ detail: 'Something went wrong on the side of Bullpen.', code: 'internal_error', traceId: 'req_1' },
    ...{ instance: '/v1', nextActions: [] },
  }),
};

const STATES = [
  { name: 'loading', meddle: (context) => context.route(API, () => undefined), sign: '.skel, h1' },
  {
    name: 'error',
    meddle: (context) => context.route(API, (route) => route.fulfill(PROBLEM)),
    sign: '.note.failed, [role="alert"], h1',
  },
  { name: 'stale', meddle: (context) => context.route(STREAM, (route) => route.abort()), sign: '.stale' },
];

export async function visitStates(given, screens) {
  for (const { name, meddle, sign } of STATES) {
    const context = await given.browser.newContext(LIGHT.options);
    const first = await given.watch.page(context);
    await given.stack.signIn(first);
    // All tabs of a browser share one stream, and this one may have opened it by now.
    await first.close();
    await meddle(context);
    await twoAtATime(screens, async (screen) => {
      const page = await given.watch.page(context);
      await page.goto(given.stack.url + screen.path);
      await page.locator(sign).first().waitFor();
      await page.waitForTimeout(name === 'stale' ? 0 : 600);
      await record(given, page, `${screen.name}-${name}`);
      await page.close();
    });
    await context.close();
  }
}
