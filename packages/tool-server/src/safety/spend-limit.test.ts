import { openStore, type Store } from '@svc/store'
import { parseUnits } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { neededApproval } from './approval.ts'
import { parsePolicy } from './policy.ts'
import type { PriceDoubt, Token } from '../ports.ts'
import { limitSpend, raiseSpend, type SpendRequest } from './spend-limit.ts'

const policy = parsePolicy(
  { allowlist: { mode: 'lenient' }, limitsUsd: { perTransaction: '500' }, approvalThresholdUsd: '250' },
  { production: false },
)
const usd = (dollars: string) => parseUnits(dollars, 6)
let store: Store
beforeEach(async () => void (store = await openStore({ path: ':memory:', now: Date.now })))
afterEach(() => store.close())

/** A spend of a token that no list names and nobody prices; of what arrives for it, `arriving` dollars are known. */
function guessed(gas: string, { arriving = '0.01', dryRun = false } = {}): SpendRequest {
  const token = '0x0000000000000000000000000000000000000009'
  const value = {
    usdMicros: 0n,
    arrivingUsdMicros: usd(arriving),
    unpriced: [{ token, doubt: 'unnamed', listed: false }],
  } as const
  const ids = { principal: 'agent', chainId: 1, requestId: 'request', reservationId: 'reservation' }
  return { ledger: store.ledger, policy, ...ids, value, budgets: [], gasUsdMicros: usd(gas), dryRun }
}

it.each(['0', '1', '250', '499.99'])('a guess needs a person with %s USD of gas as without', async (gas) => {
  const spend = await limitSpend(guessed(gas, { dryRun: true }))
  expect(spend.refusals).toEqual([])
  expect(neededApproval(spend, policy, { carriesOut: null })).toMatchObject({
    code: 'APPROVAL_REQUIRED',
    details: [{ thresholdUsd: '250', askedUsd: '500' }],
  })
})

it('says what a limit leaves, in dollars and in the tokens of the call', async () => {
  const token = (symbol: string, decimals: number) =>
    ({ address: `0x${symbol}`, symbol, decimals, listed: true, isNative: false }) as unknown as Token
  const amounts = [
    { token: token('USDC', 6), amount: parseUnits('600', 6) },
    { token: token('WETH', 18), amount: parseUnits('0.07', 18) },
  ]
  const value = { usdMicros: usd('800'), arrivingUsdMicros: 0n, unpriced: [] }
  const refusalOf = async (gas: string) => (await limitSpend({ ...guessed(gas), value, amounts })).refusals[0]
  expect(await refusalOf('1')).toMatchObject({
    code: 'SPENDING_LIMIT_EXCEEDED',
    message: expect.stringContaining('It leaves 499 USD, about 374.25 USDC and 0.0436625 WETH, for the amount.'),
    details: [{ leftUsd: '499' }],
  })
  expect(await refusalOf('500')).toMatchObject({
    message: expect.stringContaining('It leaves nothing for an amount.'),
    details: [{ leftUsd: '0' }],
  })
})

it('may be tried again where a price is only late', async () => {
  const retryable = async (doubt: PriceDoubt) => {
    const unpriced = [{ ...guessed('1').value.unpriced[0]!, doubt, listed: true }]
    return (await limitSpend({ ...guessed('1'), value: { ...guessed('1').value, unpriced } })).refusals
  }
  for (const doubt of ['silent', 'stale'] as const) {
    expect(await retryable(doubt)).toMatchObject([{ code: 'PRICE_UNAVAILABLE', retryable: true }])
  }
  for (const doubt of ['unnamed', 'pastless', 'absurd'] as const) {
    expect(await retryable(doubt)).toMatchObject([{ code: 'PRICE_UNAVAILABLE', retryable: false }])
  }
})

it('asks nobody about a priced spend because of its gas', async () => {
  const value = { usdMicros: usd('250'), arrivingUsdMicros: 0n, unpriced: [] }
  const spend = await limitSpend({ ...guessed('10'), value })
  expect(neededApproval(spend, policy, { carriesOut: null })).toBeNull()
})

it('a guess makes room for gas that rises on the way, in the ledger too, and still needs the same person', async () => {
  const held = await limitSpend(guessed('1'))
  const raised = await raiseSpend(guessed('300'), held)
  expect(raised).toMatchObject({ amountUsdMicros: usd('200'), gasUsdMicros: usd('300'), isGuess: true, refusals: [] })
  expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: usd('200'), gasUsdMicros: usd('300') }])
  expect(neededApproval(raised, policy, { carriesOut: null })?.code).toBe('APPROVAL_REQUIRED')
})

it('a guess never falls below what is known to arrive, and gas alone stays below the limit', async () => {
  const held = await limitSpend(guessed('1', { arriving: '400' }))
  const refused = await raiseSpend(guessed('100.01', { arriving: '400' }), held)
  expect(refused.refusals).toMatchObject([{ code: 'SPENDING_LIMIT_EXCEEDED', details: [{ askedUsd: '500.01' }] }])
  expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: usd('499'), gasUsdMicros: usd('1') }])
})

it('a spend that was priced makes no room for its gas', async () => {
  const value = { usdMicros: usd('499'), arrivingUsdMicros: 0n, unpriced: [] }
  const held = await limitSpend({ ...guessed('1'), value })
  const raised = await raiseSpend({ ...guessed('2'), value }, held)
  expect(raised.refusals).toMatchObject([{ code: 'SPENDING_LIMIT_EXCEEDED', details: [{ askedUsd: '501' }] }])
})
