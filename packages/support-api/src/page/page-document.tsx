import { raw } from 'hono/html'
import type { FC } from 'hono/jsx'
import { grantAmount } from '../faucet/request-grant.ts'
import { ChainCard } from './chain-card.tsx'
import { ClaimForm, FieldNote, LimitsLeft } from './claim-form.tsx'
import { Asking, OutcomePanel, Unanswered } from './outcome-panel.tsx'
import { chosenChain, type PageView } from './view.ts'
import { pageStyle } from './page-style.ts'

/** The whole page, as HTML. */
export const PageDocument: FC<{ view: PageView; script: string }> = ({ view, script }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>Testnet gas for agents</title>
      <link rel="icon" href={icon} />
      <style>{raw(pageStyle)}</style>
      {isWaiting(view) ? (
        <noscript>
          <meta http-equiv="refresh" content="2" />
        </noscript>
      ) : null}
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to the form
      </a>
      <Header />
      <main id="main">
        <Claiming view={view} />
        <section class="at-chains" aria-labelledby="faucet-title">
          <h2 id="faucet-title" class="unseen">
            How the faucet is
          </h2>
          <div id="chains" data-live>
            <Chains view={view} />
          </div>
        </section>
        <Programs view={view} />
      </main>
      <footer>
        <p>
          Support API {view.version}. Testnet money is worth nothing; that is the point of it. No account, no cookie, no
          tracking.
        </p>
      </footer>
      <script type="module">{raw(script)}</script>
    </body>
  </html>
)

const Header: FC = () => (
  <header>
    <div class="bar">
      <a class="brand" href="/">
        <svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
          <path class="drop" d="M12 2c4 5 7 8.5 7 12.5a7 7 0 0 1-14 0C5 10.5 8 7 12 2z" />
          <path class="shine" d="M9 14.5a3.2 3.2 0 0 0 3 3.3" />
        </svg>
        Support API
      </a>
      <nav aria-label="For programs">
        <a href="/reference">Reference</a>
        <a href="/v1/faucet/status">Status</a>
        <a href="/openapi.json">OpenAPI</a>
      </nav>
    </div>
    <div class="hero">
      <h1>Gas for an agent’s first transaction</h1>
      <p>
        {grantAmount} of the native currency, for every wallet once on every chain. Paste an address; nothing to
        connect.
      </p>
    </div>
  </header>
)

const Claiming: FC<{ view: PageView }> = ({ view }) => (
  <section class="card at-claim" aria-labelledby="claim-title">
    <h2 id="claim-title">Ask for gas</h2>
    {view.faucet.kind === 'none' ? (
      <p class="notice">This service pins agent cards and runs without a faucet.</p>
    ) : (
      <ClaimForm view={view} note={<FieldNote view={view} />} limits={<LimitsLeft view={view} />} />
    )}
    <div id="result" data-live role="status" aria-live="polite">
      <OutcomePanel outcome={view.outcome} />
    </div>
    <template id="asking">
      <Asking />
    </template>
    <template id="unanswered">
      <Unanswered />
    </template>
  </section>
)

const Chains: FC<{ view: PageView }> = ({ view: { faucet } }) => {
  if (faucet.kind === 'open')
    return (
      <>
        {faucet.report.chains.map((chain) => (
          <ChainCard chain={chain} />
        ))}
      </>
    )
  const words =
    faucet.kind === 'none'
      ? 'There is no faucet here.'
      : 'What stands behind the faucet does not answer for the moment. Claims that were taken in are kept and paid.'
  return (
    <div class="card">
      <p class="notice">{words}</p>
    </div>
  )
}

const Programs: FC<{ view: PageView }> = ({ view }) => (
  <section class="card at-curl" aria-labelledby="curl-title">
    <div class="heading">
      <h2 id="curl-title">The same from a program</h2>
      <button id="copy" class="quiet" type="button" hidden>
        Copy
      </button>
    </div>
    <pre id="curl" tabindex={0} aria-label="Command">
      {snippetOf(view)}
    </pre>
    <p class="hint">
      Answers within seconds: with the claim, or with a code that says why not. The <a href="/reference">reference</a>{' '}
      has every field and code.
    </p>
  </section>
)

/** As `client.ts` writes it, which follows the fields. */
function snippetOf(view: PageView): string {
  const { apiUrl, fields, appId } = view
  const typed = {
    address: fields.address || '0x…',
    chainId: chosenChain(view) ?? 84_532,
    appId: appId ?? (fields.appId || '…'),
  }
  return `curl -X POST ${apiUrl}/v1/faucet/request \\
  -H 'content-type: application/json' \\
  -d '${JSON.stringify(typed, null, 2).replaceAll("'", String.raw`'\''`)}'`
}

function isWaiting({ outcome }: PageView): boolean {
  return outcome !== null && 'claim' in outcome && ['queued', 'sent'].includes(outcome.claim.state)
}

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#3538cd" d="M12 2c4 5 7 8.5 7 12.5a7 7 0 0 1-14 0C5 10.5 8 7 12 2z"/></svg>',
)}`
