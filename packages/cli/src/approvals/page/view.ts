import { html, type Html, listView, type OperationList } from '@svc/tool-server/operator-page'

/** The whole page with the list in it, readable as it comes. Unix milliseconds. */
export function pageView(list: OperationList, now: number): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Approvals</title>
        <link rel="stylesheet" href="/page.css" />
        <link rel="icon" href="data:," />
        <script src="/page.js" defer></script>
      </head>
      <body>
        <header>
          <h1>Approvals</h1>
          <p>
            What the agent asks for and may not do without a person. A decision holds for exactly the plan whose hash is
            shown, once, before it expires.
          </p>
        </header>
        <p id="said" role="status" aria-live="polite"></p>
        <main id="list">${listView(list, now)}</main>
        <noscript
          ><p class="hint">Without JavaScript this page shows; decide with <code>svc approvals</code>.</p></noscript
        >
      </body>
    </html>`
}
