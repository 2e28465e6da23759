/** Sends the body that the API reference offers for a new task, as it is. */
import { withPage } from './with-page.mjs';

await withPage(async (page, url) => {
  await page.goto(`${url}/docs`);
  const operation = page.locator('#operations-tasks-createTask');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  const body = await operation.locator('textarea.body-param__text').inputValue();
  const answered = page.waitForResponse(
    (response) => response.url() === `${url}/v1/tasks` && response.request().method() === 'POST',
  );
  await operation.getByRole('button', { name: 'Execute' }).click();
  const response = await answered;
  await operation.locator('.live-responses-table').waitFor();
  return { body: JSON.parse(body), status: response.status(), task: await response.json() };
});
