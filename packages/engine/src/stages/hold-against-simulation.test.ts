import { chains, findChain } from '@svc/wallet/core'
import { encodeAbiParameters, erc20Abi, encodeEventTopics, getAddress, type Log, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { lossPct, type Worth } from '../value/mined-loss.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import { asPermitted, holdTrades } from './hold-against-simulation.ts'

/** Amounts in cents: a dollar token, a three-dollar token, and one nobody prices. */
const worth: Worth = (token, amount) => (token === 'odd' ? null : amount * 10_000n * (token === 'three' ? 3n : 1n))
const moved = (amounts: Readonly<Record<string, bigint>>) => new Map(Object.entries(amounts))

it.each([
  ['as simulated', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 100_00n }, 0],
  ['less arrives', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 80_00n }, 20],
  ['more leaves', { one: -300_00n, three: 100_00n }, { one: -360_00n, three: 100_00n }, 20],
  ['nothing arrives', { one: -300_00n, three: 100_00n }, { one: -300_00n }, 100],
  ['another token leaves', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 100_00n, two: -30_00n }, 10],
  ['more arrives', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 150_00n }, 0],
  [
    'a position gives more of one and less of the other',
    { one: 300_00n, three: 100_00n },
    { one: 450_00n, three: 50_00n },
    0,
  ],
  ['only dust is missing', { one: 99n }, { one: 0n }, 0],
  ['something leaves a call that moves nothing', {}, { one: -2_00n }, Infinity],
  ['a token without a price, as simulated', { odd: 7n }, { odd: 7n }, 0],
  ['a token without a price brings less', { odd: 10n, one: -5_00n }, { odd: 8n, one: -5_00n }, 0],
  ['a token without a price leaves unasked', {}, { odd: -1n }, 0],
] as const)('%s', (_what, simulated, real, pct) => {
  expect(lossPct(moved(simulated), moved(real), worth)).toBe(pct)
})

describe('beside what a deposit may take', () => {
  const may = (token: string) => ({ one: 300_00n, three: 100_00n })[token] ?? 0n
  const pct = (simulated: Readonly<Record<string, bigint>>, real: Readonly<Record<string, bigint>>) =>
    lossPct(asPermitted(moved(simulated), moved(real), may), moved(real), worth)

  it.each([
    ['the other of its tokens leaves', { one: -2_00n }, { three: -100_00n }, 0],
    ['more of it leaves than may', { one: -2_00n }, { one: -2_00n, three: -150_00n }, 49],
    [
      'a third leaves beside it, and what was not taken makes up for none of it',
      { one: -300_00n },
      { three: -100_00n, two: -300_00n },
      100,
    ],
    ['it takes as much as simulated', { three: -200_00n }, { three: -200_00n }, 0],
    ['more leaves than simulated, which was more than may', { three: -200_00n }, { three: -300_00n }, 50],
  ] as const)('%s', (_what, simulated, real, lost) => {
    expect(pct(simulated, real)).toBe(lost)
  })
})

describe('a trade of a call that was cut off', () => {
  const chain = findChain(chains, 'base')!
  const [wallet, pool, dollar] = ['11', '22', '33'].map((digits) => getAddress(`0x${digits.repeat(20)}`)) as [
    `0x${string}`,
    `0x${string}`,
    `0x${string}`,
  ]
  const native = chain.wrappedNative.address.toLowerCase()
  const usd = (amount: number) => BigInt(amount) * 1_000_000n
  const band = { lowE18: 10n ** 18n, highE18: 10n ** 18n }
  const priced = new Map([[dollar, { token: { decimals: 6 }, band }]]) as unknown as PricedTokens

  /** What the breaker was opened by, where so much arrived. */
  async function openedBy(arrived: number, brings: Readonly<Record<string, bigint>>, pays = usd(0)) {
    const opened: unknown[] = []
    const trip = async (_cause: string, by: unknown) => opened.push(by) > 0
    const engine = {
      policy: { breaker: { maxSimulationDriftPct: 5 } },
      breaker: { trip },
      switches: { look: async () => {} },
    }
    const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: pool, to: wallet } })
    const data = encodeAbiParameters(parseAbiParameters('uint256'), [usd(arrived)])
    const logs = [{ address: dollar, topics, data }] as unknown as readonly Log[]
    const bounds = { pays: new Map([[dollar, pays]]), brings: moved(brings) }
    const context = { engine, chain, wallet } as unknown as Parameters<typeof holdTrades>[0]
    await holdTrades(context, { requestId: 'one', trades: [{ bounds, logs }], priced })
    return opened
  }

  it.each([
    ['brought what it asks for', 1_000, { [dollar]: usd(1_000) }, usd(0), []],
    ['brought 4 % less', 960, { [dollar]: usd(1_000) }, usd(0), []],
    ['brought 6 % less', 940, { [dollar]: usd(1_000) }, usd(0), ['shortfall']],
    ['brought nothing', 0, { [dollar]: usd(1_000) }, usd(0), ['shortfall']],
    ['paid a part of what it brings back', 940, { [dollar]: usd(1_000) }, usd(60), []],
    ['brings native currency, which leaves no logs', 0, { [native]: usd(1_000) }, usd(0), []],
  ] as const)('that %s', async (_what, arrived, brings, pays, opened) => {
    expect(await openedBy(arrived, brings, pays)).toEqual(opened)
  })
})
