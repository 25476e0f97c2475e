import type { Child, FC } from 'hono/jsx'
import { grantAmount } from '../faucet/request-grant.ts'
import { chosenChain, type PageView } from './view.ts'
import { chainTitle, wholeNumber } from './words.ts'

/** The form: chain, wallet, app, what is left, and the one button. It works as plain HTML. */
export const ClaimForm: FC<{ view: PageView; note: Child; limits: Child }> = ({ view, note, limits }) => {
  const { fields, appId, chains } = view
  const chosen = chosenChain(view)
  return (
    <form id="claim" method="post" action="/">
      <fieldset>
        <legend>Chain</legend>
        <div class="chains">
          {chains.map((chain) => (
            <ChainChoice chain={chain} isChosen={chain.id === chosen} />
          ))}
        </div>
      </fieldset>
      <label for="address">Wallet address</label>
      <input
        id="address"
        name="address"
        type="text"
        value={fields.address}
        required
        pattern="\s*0x[0-9a-fA-F]{40}\s*"
        title="0x and 40 hex digits"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby="address-note"
      />
      <div id="address-note" class="note" data-live aria-live="polite">
        {note}
      </div>
      {appId === null ? <AppField value={fields.appId} /> : <input type="hidden" name="appId" value={appId} />}
      <div id="limits" data-live>
        {limits}
      </div>
      <button class="main" type="submit">
        Send {grantAmount} to this wallet
      </button>
    </form>
  )
}

const ChainChoice: FC<{ chain: PageView['chains'][number]; isChosen: boolean }> = ({ chain, isChosen }) => (
  <label class="chain">
    <input type="radio" name="chainId" value={chain.id} checked={isChosen} required />
    <span>
      <strong>{chainTitle(chain)}</strong>
      <small>
        {grantAmount} {chain.nativeCurrency.symbol} · chain id {chain.id}
      </small>
    </span>
  </label>
)

const AppField: FC<{ value: string }> = ({ value }) => (
  <>
    <label for="app-id">App id</label>
    <input
      id="app-id"
      name="appId"
      type="text"
      value={value}
      required
      maxlength={64}
      autocomplete="off"
      spellcheck={false}
      aria-describedby="app-note"
    />
    <p id="app-note" class="note">
      The id of your app at the wallet provider; it is public.
    </p>
  </>
)

/** What is to be said of the address as typed. */
export const FieldNote: FC<{ view: PageView }> = ({ view: { outcome, fields } }) => {
  if (outcome === null)
    return (
      <span>0x and 40 hex digits, with the upper and lower case they came in: by it a mistyped digit is found.</span>
    )
  const faulty = outcome.kind === 'refused' && outcome.problem.details.some(({ field }) => field === 'address')
  if (faulty) {
    const isWhole = /^0x[0-9a-fA-F]{40}$/.test(fields.address)
    return (
      <strong class="fault">
        {isWhole
          ? 'The checksum does not hold: a digit is mistyped, or its case is.'
          : 'This is no address: it has 0x and 40 hex digits.'}
      </strong>
    )
  }
  if (/^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(fields.address)) {
    return <span>This spelling has no checksum, so a mistyped digit cannot be found. Look at it twice.</span>
  }
  return <span class="good">The checksum holds.</span>
}

/** The rule, and what is left of it, before anything is sent. */
export const LimitsLeft: FC<{ view: PageView }> = ({ view: { faucet } }) => {
  if (faucet.kind !== 'open') return null
  const { networkLeft, report } = faucet
  return (
    <dl class="limits">
      <div>
        <dt>This wallet</dt>
        <dd>once per chain, for good</dd>
      </div>
      <div>
        <dt>Your network, today</dt>
        <dd>
          {wholeNumber(networkLeft)} of {wholeNumber(report.limits.perNetworkPerDay)} left
        </dd>
      </div>
    </dl>
  )
}
