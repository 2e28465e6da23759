/** The work modes: the machine is read by keyboard, and a task is moved from its page. */
import { signedIn } from '../session.mjs';

/** A mode is opened by keyboard, and the same rules are there as a table. */
export async function readModes(given) {
  const { context, page } = await signedIn(given, '/modes');
  const box = page.locator('.mode-box').filter({ hasText: 'debug' }).first();
  await box.focus();
  await page.keyboard.press('Enter');
  const panel = page.locator('.mode-panel');
  await panel.getByRole('heading', { name: 'debug' }).waitFor();
  const rule = await panel.locator('.mode-rule').filter({ hasText: 'fix_identified' }).innerText();
  await page.getByRole('button', { name: 'Show as table' }).click();
  const row = page.locator('.rules-table tr').filter({ hasText: 'fix_identified' });
  const text = await row.innerText();
  // A phone's bar has no room for it.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${given.stack.url}/settings`);
  await page.getByRole('navigation', { name: 'More' }).getByRole('link', { name: 'Modes' }).click();
  await page.waitForURL(/\/modes/);
  await context.close();
  return {
    ok: rule.includes('implementation') && /debug\s+fix_identified\s+9\s+implementation/.test(text),
    text,
  };
}

/** A trigger is fired with a reason; what leads nowhere is refused in words; what others do shows by itself. */
export async function moveTask(given) {
  const { stack } = given;
  const { id } = await stack.submit({
    prompt: 'Add a flag to the parser',
    workflow: 'fsm',
    conversation: true,
  });
  await stack.becomes(id, 'waiting');
  const { context, page } = await signedIn(given, `/tasks/${id}?tab=modes`);
  const current = (mode) => page.locator('.mode-box.current').filter({ hasText: mode }).waitFor();
  await current('implementation');
  const fire = async (trigger, reason) => {
    await page.getByLabel('Trigger', { exact: true }).selectOption(trigger);
    await page.getByLabel('Reason').fill(reason);
    await page.getByRole('button', { name: `Fire ${trigger}` }).click();
  };
  await fire('code_complete', 'the flag is there');
  await current('test');
  await fire('tests_passed', 'I believe so');
  const refusal = await page.getByRole('alert').innerText();
  await page.locator('.way-table tr').filter({ hasText: 'refused, stays in test' }).waitFor();
  await stack.call(`/v1/tasks/${id}/transitions`, { trigger: 'test_failed' });
  await current('implementation');
  await page.keyboard.press('1');
  await page.getByText('Mode: implementation → test (code_complete)').waitFor();
  await context.close();
  const { history } = await stack.call(`/v1/tasks/${id}/transitions`);
  const by = history.find(({ trigger }) => trigger === 'code_complete');
  return { ok: refusal.includes('Possible: test_failed') && by.reason === 'the flag is there', refusal };
}
