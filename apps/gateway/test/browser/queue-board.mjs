/** Looks at the queue dashboard, and at the jobs of a queue. */
import { withPage } from './with-page.mjs';

await withPage(async (page, url) => {
  await page.goto(`${url}/admin/queues`);
  await page.getByRole('link', { name: 'bullpen-tasks' }).first().click();
  await page
    .getByText(/task_\w+-1/)
    .first()
    .waitFor();
  return { title: await page.title() };
});
