/** Pastes login links into a tab that shows the sign-in page already, where only the fragment of the address changes. */
import { withNewPage } from './with-page.mjs';

await withNewPage(async (page, url, [used, fresh]) => {
  const paste = (link) => page.evaluate(`void location.assign(${JSON.stringify(link)})`);
  const way = page.getByRole('link', { name: 'continue' });

  await page.goto(`${url}/login`);
  await paste(used);
  await page.waitForURL(`${url}/`);
  await page.goBack();
  await way.waitFor();
  const back = { address: page.url(), text: await page.locator('body').innerText() };

  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  const told = [];
  for (const link of [used, used, `${url}/login#nonsense`]) {
    const answered = page.waitForResponse(`${url}/v1/sessions`);
    await paste(link);
    await answered;
    await page.locator('#status', { hasText: 'used before' }).waitFor();
    told.push(page.url());
  }
  const signedInBefore = await way.isVisible();
  await paste(fresh);
  await page.waitForURL(`${url}/`);
  return { back, told, signedInBefore, heading: await page.locator('h1').innerText() };
});
