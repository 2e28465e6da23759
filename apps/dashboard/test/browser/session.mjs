/** A browser of its own that is signed in, at a path. Closed with the deed, if that does not do it itself. */
export async function signedIn({ browser, stack, watch, opened }, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  opened?.push(context);
  const page = await watch.page(context);
  await stack.signIn(page);
  await page.goto(stack.url + path);
  return { context, page };
}
