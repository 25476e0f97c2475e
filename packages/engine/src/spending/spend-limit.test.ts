import { openStore, type Store } from '@svc/store'
import { parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { neededApproval } from '../operations/needed-approval.ts'
import { unnamedBudgetName, limitsOf } from './budgets.ts'
import { unpricedGasCapWei } from './gas.ts'
import { parsePolicy } from '../policy/policy.ts'
import type { PriceDoubt, Token } from '@svc/amm'
import { holdSpend, limitSpend, raiseSpend, type SpendRequest } from './spend-limit.ts'

const policy = parsePolicy(
  {
    allowlist: { mode: 'lenient' },
    limitsUsd: { perTransaction: '500' },
    maxDailyGasUsd: '500',
    approvalThresholdUsd: '250',
  },
  { production: false },
)
const usd = (dollars: string) => parseUnits(dollars, 6)
const now = 1_700_000_000_000
let store: Store
beforeEach(async () => void (store = await openStore({ path: ':memory:', now: () => now })))
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
  const asked = { leaving: new Map(), value, budgets: [], gasWei: 0n, gasUsdMicros: usd(gas) }
  return { ledger: store.ledger, policy, ...ids, isExit: false, homeUsdMicros: 0n, isSureHome: false, ...asked, dryRun }
}

it.each(['0', '1', '250', '499.99'])('a guess needs a person with %s USD of gas as without', async (gas) => {
  const spend = await limitSpend(guessed(gas, { dryRun: true }))
  expect(spend.refusals).toEqual([])
  expect(neededApproval(spend, policy, { carriesOut: null })).toMatchObject({
    code: 'APPROVAL_REQUIRED',
    details: [{ thresholdUsd: '250', askedUsd: '500' }],
  })
})

it('puts what may leave on record, with gas at its worst', async () => {
  const native = '0x0000000000000000000000000000000000000000'
  const leaving = new Map([
    ['0xaa', 5n],
    [native, 7n],
  ])
  await limitSpend({ ...guessed('1'), leaving, gasWei: 11n })
  expect(await store.ledger.outflows(1, now)).toMatchObject([{ amounts: new Map([...leaving, [native, 18n]]) }])
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
    message: expect.stringContaining('It leaves 499 USD, about 370.136 USDC and 0.0431825 WETH, for the amount.'),
    details: [{ leftUsd: '499' }],
  })
  expect(await refusalOf('500')).toMatchObject({
    message: expect.stringContaining('It leaves nothing for an amount.'),
    details: [{ leftUsd: '0' }],
  })
})

it('says of a token without a price why any amount counts as the whole limit, what helps, and who must say yes besides', async () => {
  const budgets = [{ name: unnamedBudgetName(1, '0x09'), usdMicros: 1n, capUsdMicros: 0n }]
  const unnamed = { ...guessed('1'), budgets }
  for (const id of ['one', 'other']) {
    const value = { usdMicros: usd('300'), arrivingUsdMicros: 0n, unpriced: [] }
    await limitSpend({ ...guessed('0'), value, reservationId: id, requestId: id })
  }
  const { refusals, needsPerson = '' } = await limitSpend(unnamed)
  expect(needsPerson).toContain('leaves only with a person')
  expect(refusals).toMatchObject([
    {
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: expect.stringContaining(
        'No named source tells what 0x0000000000000000000000000000000000000009 is worth',
      ),
      details: [{ limit: 'perSession' }, { code: 'APPROVAL_REQUIRED', message: needsPerson }],
      suggestion: expect.stringMatching(
        /Another amount counts the same\. Wait .*the session ends at .*a person must approve.*svc policy add-token/,
      ),
    },
  ])
  expect(refusals[0]?.message).not.toContain('for the amount')
  const alone = await limitSpend({ ...unnamed, budgets: [] })
  expect(alone).not.toHaveProperty('needsPerson')
  expect(alone.refusals[0]?.suggestion).not.toContain('person')
})

it('names every limit that is exceeded, the one that leaves least first, and when it frees something', async () => {
  const asks = (amount: string) => ({ usdMicros: usd(amount), arrivingUsdMicros: 0n, unpriced: [] })
  for (const id of ['one', 'other']) {
    await limitSpend({ ...guessed('0'), value: asks('450'), reservationId: id, requestId: id })
  }
  const { refusals } = await limitSpend({ ...guessed('0'), value: asks('600'), reservationId: 'third' })
  const at = new Date(now + 30 * 60_000).toISOString()
  expect(refusals).toMatchObject([
    {
      message: expect.stringContaining('The limit of the session is 1000 USD'),
      details: [{ limit: 'perSession', leftUsd: '100', freesAt: at }],
      suggestion: expect.stringContaining(`the session ends at ${at}`),
    },
    { message: expect.stringMatching(/is 500 USD.* all that the call/), details: [{ limit: 'perTransaction' }] },
  ])
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

describe('the gas of a day', () => {
  const nothing = { usdMicros: 0n, arrivingUsdMicros: 0n, unpriced: [] }
  const tight = parsePolicy({ limitsUsd: { perTransaction: '100' }, maxDailyGasUsd: '40' }, { production: false })
  const call = (id: string, gas: string, change: Partial<SpendRequest> = {}): SpendRequest => {
    return { ...guessed(gas), policy: tight, value: nothing, reservationId: id, requestId: id, ...change }
  }

  it('is as much as may be lost, where the policy says nothing of it', () => {
    const of = (policyOf: object) => limitsOf(parsePolicy(policyOf, { production: false })).dailyGas
    expect([of({}), of({ maxDailyLossUsd: '7' }), of({ maxDailyLossUsd: '7', maxDailyGasUsd: '9' })]).toEqual(
      ['40', '7', '9'].map(usd),
    )
  })

  it('refuses what no longer fits, and says what is left and that calls which are out give some back', async () => {
    await limitSpend(call('one', '30'))
    const { refusals, reserved } = await limitSpend(call('two', '10.5'))
    expect(reserved).toBe(false)
    expect(refusals).toEqual([
      {
        code: 'SPENDING_LIMIT_EXCEEDED',
        message:
          'All calls but those that bring funds home may burn 40 USD of gas in any 24 hours: 30 USD are used, 10 USD are left, and this call may cost 10.5 USD at worst.',
        details: [
          {
            message: 'limit',
            limit: 'maxDailyGasUsd',
            capUsd: '40',
            usedUsd: '30',
            leftUsd: '10',
            askedUsd: '10.5',
            freesAt: null,
          },
        ],
        suggestion: 'Wait until the calls that are out have ended, or have the operator raise maxDailyGasUsd.',
      },
    ])
    const tooMuch = await limitSpend(call('two', '40.5'))
    expect(tooMuch.refusals).toMatchObject([{ suggestion: expect.stringMatching(/^Wait for cheaper gas, or/) }])
  })

  it('says when enough of it is free again', async () => {
    await limitSpend(call('one', '30'))
    const hash = `0x${'1'.repeat(64)}` as const
    const from = '0x00000000000000000000000000000000000000aa'
    const slot = { requestId: 'one', step: 0, chainId: 1, from, nonce: 0, attempt: 0, rawTransaction: '0x02' } as const
    await store.journal.recordSigned({ ...slot, hash, reservationId: 'one' })
    await store.ledger.settle('one', 0n, [{ hash, usdMicros: usd('30'), wei: 1n }])
    const { refusals } = await limitSpend(call('two', '10.5'))
    const freesAt = new Date(now + 24 * 3_600_000).toISOString()
    expect(refusals).toMatchObject([
      { details: [{ freesAt }], suggestion: expect.stringContaining(`Wait until ${freesAt}, when enough`) },
    ])
  })

  it('is asked again where it rises on the way, and a dry run asks it too', async () => {
    expect((await limitSpend(call('one', '40.5', { dryRun: true }))).refusals).toHaveLength(1)
    const held = await limitSpend(call('one', '30'))
    expect((await raiseSpend(call('one', '40.5'), held)).refusals).toMatchObject([
      { details: [{ limit: 'maxDailyGasUsd' }] },
    ])
    expect((await raiseSpend(call('one', '40'), held)).refusals).toEqual([])
  })

  it('of a way home is held to a budget of its own and to no limit, however dear it is', async () => {
    await limitSpend(call('one', '40'))
    const low = { ...tight, limitsUsd: { perTransaction: '1', perSession: '1', daily: '1' } }
    const home = await limitSpend(call('home', '39', { isExit: true, policy: low }))
    expect(home).toMatchObject({ reserved: true, isExit: true, refusals: [] })
    const held = {
      ledger: store.ledger,
      policy: low,
      reservationId: 'home',
      reserved: home,
      budgets: [],
      isReserved: true,
    }
    expect(await holdSpend(held)).toEqual([])
    expect(await raiseSpend(call('home', '40', { isExit: true, policy: low }), home)).toMatchObject({ refusals: [] })
    const absurd = await limitSpend(call('next', '9000000000000', { isExit: true }))
    expect(absurd.refusals).toMatchObject([{ details: [{ limit: 'maxDailyGasUsd of ways home' }] }])
  })

  it('of a way home is held to no day where it is at most a twentieth of what comes, and of one transaction', async () => {
    const burnt = await limitSpend(call('burnt', '40', { isExit: true }))
    expect(burnt.refusals).toEqual([])
    const home = (id: string, gas: string, comes: string) =>
      limitSpend(call(id, gas, { isExit: true, homeUsdMicros: usd(comes) }))
    expect((await home('poor', '100', '1999.99')).refusals).toMatchObject([
      {
        details: [{ limit: 'maxDailyGasUsd of ways home' }],
        suggestion: expect.stringContaining('at most 5 % of what'),
      },
    ])
    expect((await home('dear', '500.01', '100000')).refusals).toHaveLength(1)
    const worth = await home('worth', '100', '2000')
    expect(worth).toMatchObject({ reserved: true, refusals: [] })
    const asked = { isExit: true, homeUsdMicros: usd('2000') }
    expect((await raiseSpend(call('worth', '100.01', asked), worth)).refusals).toHaveLength(1)
    // The simulation before the signature may show that less comes; gas is what it was.
    const lessComes = { isExit: true, homeUsdMicros: usd('1999') }
    expect((await raiseSpend(call('worth', '100', lessComes), worth)).refusals).toHaveLength(1)
    const held = { ledger: store.ledger, policy: tight, reservationId: 'worth', budgets: [], isReserved: true }
    expect(await holdSpend({ ...held, reserved: worth })).toEqual([])
    expect(await holdSpend({ ...held, reserved: { ...worth, homeUsdMicros: 0n } })).toHaveLength(1)
    // Only of what comes home: what a call spends is held to its limits whatever arrives.
    expect((await limitSpend(call('spends', '41', { homeUsdMicros: usd('100000') }))).refusals).toHaveLength(1)
  })

  it('of a way home that nobody can keep from coming passes what others have burnt for nothing, and nothing else does', async () => {
    const home = { isExit: true, homeUsdMicros: usd('100000') }
    expect((await limitSpend(call('out', '41', home))).refusals).toEqual([])
    expect((await limitSpend(call('next', '41', home))).refusals).toHaveLength(1)
    const { homeUsdMicros: _comes, ...poor } = home
    expect((await limitSpend(call('poor', '41', { ...poor, isSureHome: true }))).refusals).toHaveLength(1)
    const sure = await limitSpend(call('sure', '40.5', { ...home, isSureHome: true }))
    expect(sure).toMatchObject({ reserved: true, refusals: [] })
    expect((await raiseSpend(call('sure', '42', { ...home, isSureHome: true }), sure)).refusals).toEqual([])
    const held = { ledger: store.ledger, policy: tight, reservationId: 'sure', budgets: [], isReserved: true }
    expect(await holdSpend({ ...held, reserved: sure })).toEqual([])
    // The simulation before the signature may show hooks, or a price may be gone.
    expect((await raiseSpend(call('sure', '40.5', home), sure)).refusals).toHaveLength(1)
    // What failed all the same is bounded: here it is out still.
    expect((await limitSpend(call('last', '41', { ...home, isSureHome: true }))).refusals).toHaveLength(1)
  })

  it('without a price counts as its share of the sum that is allowed without one', async () => {
    const unpriced = (id: string, gasWei: bigint, isExit: boolean) =>
      limitSpend(call(id, '0', { gasWei, gasUsdMicros: null, isExit }))
    const half = unpricedGasCapWei / 2n
    for (const isExit of [true, false]) {
      expect(await unpriced(`one ${isExit}`, half, isExit)).toMatchObject({ gasUsdMicros: usd('20'), refusals: [] })
      expect(await unpriced(`two ${isExit}`, half, isExit)).toMatchObject({ refusals: [] })
      expect((await unpriced(`three ${isExit}`, 1n, isExit)).refusals).toHaveLength(1)
    }
  })
})
