/* global document, window -- what stands in functions that run in the page */
/** Notes of every page what must not happen: scripts of strangers, breaches of the policy, requests to other hosts, errors. */

export class Watch {
  lines = [];
  #counts = { scriptsRun: 0, violations: 0, foreign: 0, errors: 0 };

  constructor(url) {
    this.url = url;
  }

  result() {
    return this.#counts;
  }

  async page(context) {
    const page = await context.newPage();
    // For what hangs; a slow machine fails nothing.
    page.setDefaultTimeout(60_000);
    await page.exposeFunction('ran', () => this.#note('scriptsRun', `a script ran on ${page.url()}`));
    await page.exposeFunction('noteViolation', (text) => this.#note('violations', text));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
        window.noteViolation(`policy: ${violatedDirective} ${blockedURI} from ${sourceFile}`),
      );
    });
    page.on('dialog', (dialog) => {
      this.#note('scriptsRun', `a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(`${this.url}/`))
        this.#note('foreign', `a request to ${request.url()}`);
    });
    page.on('pageerror', (error) => this.#note('errors', `an error on ${page.url()}: ${error.stack}`));
    return page;
  }

  #note(kind, line) {
    this.#counts[kind] += 1;
    this.lines.push(line);
  }
}
