import { ToolError } from '@svc/amm'
import { type Html, htmlText } from './html.ts'
import {
  createOperatorActs,
  json,
  type OperatorActsOptions,
  type OperatorAnswer,
  signInFirst,
} from './operator-acts.ts'
import { operatorCss, pageJs, passkeyJs, signInJs } from './operator-assets.ts'
import { createOperatorSessions } from './operator-sessions.ts'
import { pageView, readerView, signInView } from './page-view.ts'

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
