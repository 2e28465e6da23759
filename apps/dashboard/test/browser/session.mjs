/** A browser of its own that is signed in, at a path. */
export async function signedIn({ browser, stack, watch }, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await watch.page(context);
  await stack.signIn(page);
  await page.goto(stack.url + path);
  return { context, page };
}
