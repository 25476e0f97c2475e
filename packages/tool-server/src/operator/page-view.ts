import { html, type Html } from './html.ts'

/** The whole page with what is known of the state in it, readable as it comes. `operator` is `null` where it is read alone. */
export function pageView({ state, operator }: { readonly state: Html; readonly operator: string }): Html {
  return frame({
    script: '/operator/page.js',
    body: html`<header>
        <h1>Operator</h1>
        ${signedInView(operator)}
      </header>
      <main>
        <p id="said" role="status" aria-live="polite"></p>
        ${switchView}
        <div id="state">${state}</div>
        <div id="chains"><p class="by" role="status">Chains are being asked for positions and health.</p></div>
        <noscript
          ><p class="hint">Without JavaScript this page shows the state as it was when it was opened.</p></noscript
        >
      </main>`,
  })
}

/** The page of this machine before its script has asked for anything: nothing of the server. */
export function readerView(): Html {
  return frame({
    script: '/operator/page.js',
    body: html`<header>
        <h1>Operator</h1>
        <p>
          Read-only, for this machine. Decide with <code>svc approvals</code>; stop signing with <code>svc pause</code>.
        </p>
      </header>
      <main>
        <p id="said" role="status" aria-live="polite"></p>
        <div id="state"></div>
        <div id="chains"></div>
        <noscript
          ><p class="hint">This page needs JavaScript; <code>svc status</code> does not.</p></noscript
        >
      </main>`,
  })
}

/** What anybody sees who has not signed in: nothing of the server. */
export function signInView(): Html {
  return frame({
    script: '/operator/sign-in.js',
    body: html`<header>
        <h1>Operator</h1>
        <p>
          Whoever the policy names as an operator signs in with a passkey. Every decision is confirmed by one again.
        </p>
      </header>
      <main>
        <p id="said" role="status" aria-live="polite"></p>
        <h2>Sign in</h2>
        <p class="act"><button type="button" class="approve" id="sign-in">Sign in with a passkey</button></p>
        <h2>Make a passkey for this server</h2>
        <p>
          It is made by this device and stays there. By itself it opens nothing: whoever has the machine writes its
          public half into the policy with the line that is shown then.
        </p>
        <form id="make">
          <label for="name">Name of the operator</label>
          <input
            id="name"
            name="name"
            pattern="[a-z0-9][a-z0-9._\\-]{0,31}"
            maxlength="32"
            autocomplete="off"
            required
          />
          <button type="submit" class="approve">Make a passkey</button>
        </form>
        <div id="made" hidden>
          <p>On the machine of the server:</p>
          <p><code id="line"></code></p>
          <p>Its fingerprint, which the command shows as well: <code id="fingerprint"></code></p>
        </div>
        <noscript
          ><p class="hint">Passkeys need JavaScript; <code>svc approvals</code> on the machine does not.</p></noscript
        >
      </main>`,
  })
}

function frame({ script, body }: { readonly script: string; readonly body: Html }): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Operator</title>
        <link rel="stylesheet" href="/operator/page.css" />
        <link rel="icon" href="data:," />
        <script type="module" src="${script}"></script>
      </head>
      <body>
        ${body}
      </body>
    </html>`
}

function signedInView(operator: string): Html {
  return html`<p>
      Signed in as <strong id="operator">${operator}</strong>. Each decision holds for exactly what is shown, once, and
      is confirmed by your passkey.
    </p>
    <p><button type="button" class="plain" id="sign-out">Sign out</button></p>`
}

const switchView = html`<form id="switch" aria-label="Pause and resume">
  <label for="reason">Reason for a pause</label>
  <input id="reason" name="reason" maxlength="500" autocomplete="off" />
  <button type="button" class="deny" data-word="pause" hidden>Pause signing</button>
  <button type="button" class="approve" data-word="resume" hidden>Resume signing</button>
</form>`
