/** A page of Chromium that notes each request to another host and each complaint of the browser. */
import { chromium } from 'playwright-core';

const WAIT_MS = 60_000;

/** Signs in with the first link, and hands the page to `visit`. */
export function withPage(visit) {
  return withNewPage(async (page, url, [link]) => {
    await page.goto(link);
    await page.waitForURL(`${url}/`);
    return visit(page, url);
  });
}

/** Hands an empty page to `visit`, and prints what it gives, with what was noted, as JSON. */
export async function withNewPage(visit) {
  const { GATEWAY_URL: url, LOGIN_LINKS: links, SHOT: shot } = process.env;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    // Chromium refuses to run its sandbox as root.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    page.setDefaultTimeout(WAIT_MS);
    const foreign = [];
    const complaints = [];
    page.on('request', (request) => {
      if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(`${url}/`))
        foreign.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    const seen = await visit(page, url, links.split(' '));
    if (shot) await page.screenshot({ path: shot });
    console.log(JSON.stringify({ seen, foreign, complaints }));
  } finally {
    await browser.close();
  }
}
