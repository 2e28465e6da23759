/* global document -- what stands in functions that run in the page */
/** Giving work, watching it, answering what it asks, and trying again what failed. */
import { signedIn } from '../session.mjs';

/** A task is written down and started; its answer is seen growing before it ends. */
export async function submitAndWatch(given) {
  const { context, page } = await signedIn(given, '/new');
  await page.getByLabel('What is to be done?').fill('Print 2000 lines, 2000 at a time');
  await page.getByRole('button', { name: /^Start task/ }).click();
  await page.waitForURL(/\/tasks\/task_/);
  const id = page.url().split('/').at(-1);
  const seen = [];
  for (let at = 0; at < 2; at += 1) {
    // Seen and measured in one look: between two, the answer may end.
    const longer = await page.waitForFunction(
      (before) => {
        const length = document.querySelector('.md[data-streams]')?.textContent.length ?? 0;
        return length > before && length;
      },
      seen.at(-1) ?? 0,
    );
    seen.push(await longer.jsonValue());
  }
  await page.locator('.thead .st').getByText('completed').waitFor();
  await context.close();
  const { state } = await given.stack.task(id);
  return { ok: state === 'completed' && seen[0] < seen[1], state, seen };
}

/** What was asked for is changed before it is allowed; the changed one runs, and nothing else. */
export async function approveEdited(given) {
  const { stack } = given;
  const { id } = await stack.submit({ prompt: 'Run `echo as-asked`', autonomy: 'agent' });
  const ask = await stack.ask(id);
  const { context, page } = await signedIn(given, `/inbox?ask=${ask.id}`);
  await isShown(page);
  await page.getByRole('button', { name: /^Edit/ }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByLabel('Command').fill('echo as-edited');
  await dialog.getByRole('button', { name: 'Allow the changed one' }).click();
  await stack.becomes(id, 'completed');
  await page.goto(`${stack.url}/tasks/${id}`);
  await page.getByText('as-edited').first().waitFor();
  await context.close();
  const { data: calls } = await stack.call(`/v1/tasks/${id}/tool-calls`);
  const ran = calls.find(({ name, tool }) => (name ?? tool) === 'run_command');
  const text = JSON.stringify(ran);
  return { ok: text.includes('echo as-edited') && !/"result[^}]*as-asked/.test(text), state: ran?.state };
}

/** An answer counts only for what was in view for a moment. */
async function isShown(page) {
  await page.locator('.btn.primary.first').waitFor();
  await page.waitForTimeout(600);
}

/** A question is answered where it is asked, on the page of its task. */
export async function answerQuestion(given) {
  const { stack } = given;
  const { id } = await stack.submit({ prompt: 'Ask me where to begin', autonomy: 'agent' });
  await stack.ask(id);
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await isShown(page);
  await page.getByLabel('The tests').check();
  await page.getByRole('button', { name: /^Answer/ }).click();
  const { output } = await stack.becomes(id, 'completed');
  await page
    .getByText(/The tests/)
    .last()
    .waitFor();
  await context.close();
  return { ok: JSON.stringify(output).includes('The tests') };
}

/** Two browsers answer one question: one of them wins, the other is told what was answered, and by whom. */
export async function answerTogether(given) {
  const { stack } = given;
  const { id } = await stack.submit({ prompt: 'Ask me where to begin', autonomy: 'agent' });
  const ask = await stack.ask(id);
  const browsers = await Promise.all([1, 2].map(() => signedIn(given, `/tasks/${id}`)));
  const choices = ['The code', 'The docs'];
  for (const [at, { page }] of browsers.entries()) {
    await isShown(page);
    await page.getByLabel(choices[at]).check();
  }
  // So that the second one does not hear of the first answer before it gives its own.
  await browsers[1].context.setOffline(true);
  await browsers[0].page.getByRole('button', { name: /^Answer/ }).click();
  await stack.becomes(id, 'completed');
  await browsers[1].context.setOffline(false);
  const second = browsers[1].page;
  const button = second.getByRole('button', { name: /^Answer/ });
  await button.click({ timeout: 2_000 }).catch(() => undefined);
  await second
    .getByText(/answered by|Answered:/i)
    .first()
    .waitFor();
  const told = await second
    .getByText(/answered by|Answered:/i)
    .first()
    .innerText();
  const left = await button.count();
  await Promise.all(browsers.map(({ context }) => context.close()));
  const { answer } = await stack.call(`/v1/interactions/${ask.id}`);
  return { ok: answer.choices.join() === 'The code' && left === 0, told };
}

/** The reason and the button are in view without scrolling; one click, and it goes on from where it stopped. */
export async function retryFailed(given) {
  const { stack } = given;
  const { id } = await stack.submit({ prompt: 'Break once: alone', title: 'Fails, then works' });
  await stack.becomes(id, 'failed');
  const { context, page } = await signedIn(given, `/tasks/${id}`, { viewport: { width: 1280, height: 720 } });
  const why = page.getByText('does not have access to the requested model').first();
  const button = page.getByRole('button', { name: 'Resume', exact: true });
  await button.waitFor();
  const inView = async (part) => (await part.boundingBox()).y < 720;
  const isInView = (await inView(why)) && (await inView(button));
  await button.click();
  const { attempt } = await stack.becomes(id, 'completed');
  await page.locator('.thead .st').getByText('completed').waitFor();
  await context.close();
  return { ok: isInView && attempt === 2, attempt };
}

/** All that failed in one way are tried again together, after a look at what that would do. */
export async function retryMany(given) {
  const { stack } = given;
  const made = await Promise.all(
    Array.from({ length: 5 }, (_, at) => stack.submit({ prompt: `Break once: ${at} of many` })),
  );
  await Promise.all(made.map(({ id }) => stack.becomes(id, 'failed')));
  const { context, page } = await signedIn(given, '/failures');
  const group = page.locator('.group').filter({ hasText: 'does not have access' });
  await group.getByRole('button', { name: /^Retry/ }).click();
  const dialog = page.locator('dialog[open]');
  const look = await dialog.getByText('It can be done to').innerText();
  const before = await Promise.all(made.map(({ id }) => stack.task(id)));
  await dialog.getByRole('button', { name: /^Retry \d+$/ }).click();
  await dialog.getByText(/\d+ done, 0 refused/).waitFor();
  await Promise.all(made.map(({ id }) => stack.becomes(id, 'completed')));
  await context.close();
  return { ok: before.every(({ state }) => state === 'failed'), look };
}
