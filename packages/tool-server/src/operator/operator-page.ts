import { ToolError } from '@svc/amm'
import { type Html, htmlText, html } from './html.ts'
import {
  createOperatorActs,
  json,
  type OperatorActsOptions,
  type OperatorAnswer,
  signInFirst,
  createOperatorSessions,
} from './operator-acts.ts'
import { operatorCss, pageJs, passkeyJs, signInJs } from './operator-assets.ts'

/**
 * The operator page. Without a public address it is read alone, on this machine, by whoever opened it with a link of `svc status --page`. With
 * one, nothing of it is shown without a session that a passkey of the policy opened, and each decision takes a passkey again: over a challenge
 * that names just this decision, for this operator, once. Credentials of callers mean nothing here.
 */
export function createOperatorPage(options: OperatorPageOptions): OperatorPage {
  const { origin } = options
  const assets: Readonly<Record<string, OperatorAnswer>> = {
    '/operator/page.css': { type: 'text/css', body: operatorCss },
    '/operator/page.js': { type: 'text/javascript', body: pageJs },
    '/operator/passkey.js': { type: 'text/javascript', body: passkeyJs },
    '/operator/sign-in.js': { type: 'text/javascript', body: signInJs },
  }
  const signedIn = origin === null ? null : createOperatorActs({ ...options, origin })
  const here = createReaders(options)
  const shown: Readonly<Record<string, (operator: string | null) => Promise<Html>>> = {
    '/operator': async (operator) =>
      operator === null ? readerView() : pageView({ state: await options.showState(true), operator }),
    '/operator/state': (operator) => options.showState(operator !== null),
    '/operator/chains': () => options.showChains(),
  }
  return {
    origin,
    async get(path, token, link = null) {
      if (signedIn === null && path === '/operator/open') return here.open(link)
      const asset = Object.hasOwn(assets, path) ? assets[path] : undefined
      if (asset !== undefined) return asset
      const show = Object.hasOwn(shown, path) ? shown[path] : undefined
      if (show === undefined) return null
      if (signedIn === null) {
        // What is shown before its script has a session says nothing of the server.
        if (path !== '/operator') here.require(token)
        return markup(await show(null))
      }
      const session = await signedIn.find(token)
      if (session === null && path === '/operator') return markup(signInView())
      if (session === null) throw signInFirst()
      return markup(await show(session.operator))
    },
    async post(path, body, token) {
      const act = signedIn !== null && Object.hasOwn(signedIn.acts, path) ? signedIn.acts[path] : undefined
      return act === undefined ? null : act(body, token)
    },
  }
}

export type OperatorPage = {
  /** Of its public address; `null` where it is read on this machine alone. */
  readonly origin: string | null
  /**
   * `null` where there is nothing. Throws `AUTHENTICATION_REQUIRED` for what is shown to operators alone.
   *
   * @param token of a session
   * @param link the token of a link to the page of this machine, which `/operator/open` exchanges for one of a session; `SIGN_IN_REFUSED` for
   * one that opens nothing
   */
  get(path: string, token: string | null, link?: string | null): Promise<OperatorAnswer | null>
  /** What a script of the page asks for. Throws `ToolError`; what a passkey did not confirm is `SIGN_IN_REFUSED`. */
  post(path: string, body: unknown, token: string | null): Promise<OperatorAnswer | null>
}

export type OperatorPageOptions = Omit<OperatorActsOptions, 'origin'> & {
  /** Where operators reach the page over https; `null` where it is for this machine. */
  readonly origin: string | null
  /** What the state is now, with buttons where somebody may decide. */
  readonly showState: (decides: boolean) => Promise<Html>
  readonly showChains: () => Promise<Html>
  /** Whether a link to the page of this machine holds, which it uses up. */
  readonly useLink: (token: string) => boolean
}

/** Who reads it on this machine. A proxy that hides, or a forwarded port, brings strangers to it, who have no link. */
function createReaders({ useLink, now }: Pick<OperatorPageOptions, 'useLink' | 'now'>) {
  const sessions = createOperatorSessions(now, readerMs)
  return {
    open(link: string | null): OperatorAnswer {
      if (link === null || !useLink(link))
        throw new ToolError('SIGN_IN_REFUSED', 'This link was used, is over, or is none.', howToOpen)
      return json({ session: sessions.begin('', '') })
    },
    require(token: string | null): void {
      if (token !== null && sessions.find(token) !== null) return
      throw new ToolError('AUTHENTICATION_REQUIRED', 'The operator page opens with a link.', howToOpen)
    },
  }
}

const howToOpen = {
  suggestion:
    'Run svc status --page on this machine, as the user of the server, and open the link that it prints: once.',
}

/** A day of work. */
const readerMs = 12 * 3_600_000

function markup(shown: Html): OperatorAnswer {
  return { type: 'text/html', body: htmlText(shown) }
}

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
function readerView(): Html {
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
function signInView(): Html {
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
