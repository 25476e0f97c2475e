import type { FC } from 'hono/jsx'
import type { Problem } from '../errors.ts'
import { grantAmount } from '../faucet/request-grant.ts'
import type { Outcome } from './view.ts'
import { brief, chainTitle, dayAndTime } from './words.ts'

/** How it stands with the wallet that was named. */
export const OutcomePanel: FC<{ outcome: Outcome | null }> = ({ outcome }) => {
  if (outcome === null) return null
  if (outcome.kind === 'free') return <p class="panel calm">This wallet has had nothing on this chain yet.</p>
  return outcome.kind === 'refused' ? <Refusal problem={outcome.problem} /> : <Standing {...outcome} />
}

type Standing = Extract<Outcome, { kind: 'claim' | 'earlier' }>

const Standing: FC<Standing> = (outcome) => {
  const { claim, kind } = outcome
  const isAgain = kind === 'earlier'
  const path = `/?chainId=${claim.chainId}&address=${claim.address}`
  const isWaiting = claim.state === 'queued' || claim.state === 'sent'
  return (
    <div class={`panel ${toneOf(outcome)}`} {...(isWaiting ? { 'data-waiting': path } : {})}>
      <h3>{titleOf(outcome)}</h3>
      <p>
        {isAgain ? 'Already claimed on ' : 'Claimed on '}
        <time datetime={new Date(claim.claimedAt).toISOString()}>{dayAndTime(claim.claimedAt)}</time> for{' '}
        <code title={claim.address}>{brief(claim.address)}</code>
        {isAgain ? '. A wallet gets one grant on each chain.' : '.'}
      </p>
      {claim.state === 'failed' || (isAgain && claim.state === 'confirmed') ? null : <Steps reached={claim.state} />}
      {claim.failedId === null ? null : (
        <p>
          It is not lost: ask the operator to queue claim <code>{claim.failedId}</code> again, once the wallet takes
          transfers.
        </p>
      )}
      <Transaction {...outcome} />
      {isWaiting ? (
        <noscript>
          <p>
            This page looks again by itself. <a href={path}>Look now</a>
          </p>
        </noscript>
      ) : null}
    </div>
  )
}

const Transaction: FC<Standing> = ({ claim: { txHash, explorerUrl }, chain }) => {
  if (txHash === null) return null
  return (
    <p class="tx">
      <span>Transaction on {chainTitle(chain)}</span>
      {explorerUrl === null ? (
        <code>{txHash}</code>
      ) : (
        <a href={explorerUrl} rel="noreferrer">
          <code>{txHash}</code>
        </a>
      )}
    </p>
  )
}

/** What stands between the button and the server's answer. */
export const Asking: FC = () => (
  <div class="panel calm">
    <h3>Asking…</h3>
    <Steps reached={null} />
  </div>
)

/** What stands there when the server's answer did not come, or is no page. */
export const Unanswered: FC = () => (
  <div class="panel bad">
    <h3>No answer</h3>
    <p data-words>Nobody can say whether the claim arrived. Ask again: a wallet is never paid twice.</p>
  </div>
)

const Steps: FC<{ reached: 'queued' | 'sent' | 'confirmed' | null }> = ({ reached }) => {
  const done = reached === null ? -1 : order.indexOf(reached)
  const isOver = reached === 'confirmed'
  return (
    <ol class="steps">
      {order.map((step, index) => (
        <li
          class={index <= done ? 'done' : index === done + 1 ? 'next' : 'later'}
          {...(index === done + 1 && !isOver ? { 'aria-current': 'step' } : {})}
        >
          {names[step]}
          <span class="unseen">{index <= done ? ', done' : ''}</span>
        </li>
      ))}
    </ol>
  )
}

const order = ['queued', 'sent', 'confirmed'] as const
const names = { queued: 'Taken in', sent: 'Sent', confirmed: 'Confirmed' } as const

function titleOf({ claim: { state }, chain: { currency }, kind }: Standing): string {
  if (kind === 'earlier') return 'This wallet has had its grant'
  if (state === 'confirmed') return `${grantAmount} ${currency} is in the wallet`
  if (state === 'sent') return `${grantAmount} ${currency} is on its way`
  return state === 'queued' ? 'Your claim waits in the queue' : 'The chain turned this payment down'
}

function toneOf({ claim: { state }, kind }: Standing): string {
  if (kind === 'earlier' || state === 'failed') return 'warn'
  return state === 'confirmed' ? 'ok' : 'calm'
}

const Refusal: FC<{ problem: Problem }> = ({ problem: { code, message, suggestion, details } }) => (
  <div class={`panel ${code === 'VALIDATION_FAILED' ? 'warn' : 'bad'}`}>
    <h3>{titles[code] ?? 'Nothing was sent'}</h3>
    <p>
      {message} {code === 'VALIDATION_FAILED' ? null : suggestion}
    </p>
    {details.length === 0 ? null : (
      <ul>
        {details.map(({ field, message: said, accepted }) => (
          <li>
            {field === undefined ? null : <strong>{labels[field] ?? field}: </strong>}
            {accepted ?? said}
          </li>
        ))}
      </ul>
    )}
    <p class="code">
      <code>{code}</code>
    </p>
  </div>
)

const titles: Partial<Record<Problem['code'], string>> = {
  VALIDATION_FAILED: 'Something in the form is off',
  FAUCET_DRY: 'The faucet is empty on this chain',
  FAUCET_PAUSED: 'The faucet has given out its day',
  RATE_LIMITED: 'Too many claims for today',
  UPSTREAM_UNAVAILABLE: 'Not reachable for the moment',
  APP_ID_INVALID: 'The app id is not known',
}

const labels: Readonly<Record<string, string>> = { address: 'Wallet address', chainId: 'Chain', appId: 'App id' }
