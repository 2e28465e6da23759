/** The few plain pages: no scripts of their own, one style sheet, everything escaped. */

/** Markup that is safe to put into a page. */
export class Html {
  constructor(readonly text: string) {}
}

/** Markup with values escaped; values that are markup already stay as they are. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return new Html(parts.reduce((text, part, index) => text + escape(values[index - 1]) + part));
}

/** A whole page. */
export function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Bullpen</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`.text;
}

/** The style sheet of the pages; light and dark as the reader's system says. */
export const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
a { color: inherit; }
pre { padding: .75rem 1rem; overflow-x: auto; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; }
table { border-collapse: collapse; } td { padding: .15rem 1.5rem .15rem 0; } td + td { text-align: right; font-variant-numeric: tabular-nums; }
`;

function escape(value: unknown): string {
  if (value instanceof Html) return value.text;
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
