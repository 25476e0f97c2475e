import { describe, expect, it } from 'vitest'
import { chains } from '@svc/wallet/core'
import { type Address, encodePacked } from 'viem'
import type { Part } from './read-parts.ts'
import { tradesOf } from './trade-bounds.ts'

const chain = chains.find(({ name }) => name === 'ethereum')!
const weth = chain.wrappedNative.address.toLowerCase()
const [usdc, usdt] = ['USDC', 'USDT'].map((symbol) => tokenOf(symbol).toLowerCase()) as [string, string]
const native = '0x0000000000000000000000000000000000000000'
const router: Part = { name: 'execute', args: {} }
/** A router's name for itself. */
const ownAlias = '0x0000000000000000000000000000000000000002'

describe('what the trades of one call permit', () => {
  it('is all that they say they take, and the least they say they bring', () => {
    expect(bounds([single(usdc, weth, 3_000n, 7n)])).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 7n]]),
      feeBps: 5,
    })
  })

  it('counts what is drawn out of the wallet for them in full, beside what they take themselves', () => {
    const drawn: Part = { name: 'PERMIT2_TRANSFER_FROM', args: { token: usdc, recipient: ownAlias, amount: 500n } }
    expect(bounds([drawn, single(usdc, weth, 3_000n, 7n)]).pays).toEqual(new Map([[usdc, 3_500n]]))
    expect(bounds([{ ...drawn, args: { ...drawn.args, token: usdt } }, single(usdc, weth, 3_000n, 7n)]).pays).toEqual(
      new Map([
        [usdc, 3_000n],
        [usdt, 500n],
      ]),
    )
  })

  it('a payout may promise more, once for all trades before it', () => {
    const payout: Part = { name: 'unwrapWETH9', args: { amountMinimum: 10n } }
    const trades = [single(usdc, weth, 3_000n, 1n), single(usdc, weth, 3_000n, 1n)]
    expect(bounds([...trades, payout]).brings).toEqual(new Map([[weth, 10n]]))
    expect(bounds(trades).brings).toEqual(new Map([[weth, 2n]]))
  })

  it('what a router pays itself is no payout', () => {
    const itself: Part = { name: 'UNWRAP_WETH', args: { recipient: ownAlias, least: 10n } }
    const contract: Part = { name: 'SWEEP', args: { recipient: tokenOf('USDC'), token: weth, least: 10n } }
    for (const part of [itself, contract]) {
      expect(bounds([single(usdc, weth, 3_000n, 1n), part]).brings).toEqual(new Map([[weth, 1n]]))
    }
  })

  it('what a trade leaves in the router is sure by its payout alone', () => {
    const inside = {
      ...single(usdc, weth, 3_000n, 9n),
      args: { ...single(usdc, weth, 3_000n, 9n).args, recipient: ownAlias },
    }
    const sweep = (least: bigint): Part => ({ name: 'sweepToken', args: { token: weth, amountMinimum: least } })
    expect(bounds([inside, sweep(0n)]).brings).toEqual(new Map([[weth, 0n]]))
    expect(bounds([inside, sweep(8n)]).brings).toEqual(new Map([[weth, 8n]]))
    const taken: Part = { name: 'v4.take', args: { token: weth, recipient: ownAlias, amount: 0n } }
    expect(bounds([single(usdc, weth, 3_000n, 9n), taken, sweep(8n)]).brings).toEqual(new Map([[weth, 8n]]))
    for (const args of [
      { token: native, otherToken: usdt },
      { token: usdt, otherToken: weth },
    ]) {
      const pair: Part = { name: 'v4.takePair', args: { ...args, recipient: ownAlias } }
      expect(bounds([single(usdc, weth, 3_000n, 9n), pair]).brings).toEqual(new Map([[weth, 0n]]))
      expect(bounds([single(usdc, weth, 3_000n, 9n), pair, sweep(8n)]).brings).toEqual(new Map([[weth, 8n]]))
    }
    const home: Part = { name: 'v4.takePair', args: { token: native, otherToken: usdt, recipient: tokenOf('USDT') } }
    expect(bounds([single(usdc, weth, 3_000n, 9n), home]).brings).toEqual(new Map([[weth, 9n]]))
  })

  it('what a later part trades on is not brought, and not paid by the wallet', () => {
    const parts = [router, v3In([usdc, 100, usdt], 3_000n, 2_990n), v3In([usdt, 500, weth], 2n ** 255n, 1n, false)]
    expect(bounds(parts)).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 1n]]),
      feeBps: 6,
    })
  })

  it('native currency that is sent along is paid as the wrapped token, and what comes in either form is one', () => {
    const value = { valueWei: 5n }
    expect(bounds([single(weth, usdc, 5n, 1n)], value).pays).toEqual(new Map([[weth, 5n]]))
    expect(bounds([router, v3In([weth, 500, usdc], 2n, 1n)], value).pays).toEqual(new Map([[weth, 7n]]))
    const sale = v4(usdc, native, 3_000n, 9n)
    const settle: Part = { name: 'v4.settleAll', args: { token: usdc, most: 4_000n } }
    expect(bounds([router, sale, settle])).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 9n]]),
    })
  })

  it('an open amount of v4 is what its settlement says', () => {
    const settle: Part = { name: 'v4.settle', args: { token: usdc, amount: 800n, payerIsUser: true } }
    expect(bounds([router, settle, v4(usdc, native, 0n, 9n)]).pays).toEqual(new Map([[usdc, 800n]]))
    const all: Part = { name: 'v4.settleAll', args: { token: usdc, most: 4_000n } }
    expect(bounds([router, v4(usdc, native, 0n, 9n), all]).pays).toEqual(new Map([[usdc, 4_000n]]))
    const fromRouter: Part = { name: 'v4.settle', args: { token: usdc, amount: 800n, payerIsUser: false } }
    expect(bounds([router, fromRouter, v4(usdc, native, 0n, 9n)]).pays).toEqual(new Map())
  })

  it('of an exact output is the most that it may take, and just what is asked for', () => {
    const through = (name: string, args: Part['args']): Part => ({ name, args: { amountOut: 7n, ...args } })
    const single = through('exactOutputSingle', {
      tokenIn: usdc,
      tokenOut: weth,
      fee: 500,
      amountInMaximum: 3_000n,
      sqrtPriceLimitX96: 0n,
    })
    const back = encodePacked(
      ['address', 'uint24', 'address', 'uint24', 'address'],
      [weth as Address, 500, usdt as Address, 100, usdc as Address],
    )
    const along = through('exactOutput', { path: back, amountInMaximum: 3_000n })
    const pairs = through('swapTokensForExactTokens', { path: [usdc, weth], amountInMax: 3_000n })
    const routed = { most: 3_000n, payerIsUser: true }
    const routedAlong = through('V3_SWAP_EXACT_OUT', { path: back, ...routed })
    const routedPairs = through('V2_SWAP_EXACT_OUT', { path: [usdc, weth], ...routed })
    const inside = { ...routedAlong, args: { ...routedAlong.args, payerIsUser: false } }
    expect(bounds([router, inside])).toMatchObject({ pays: new Map(), brings: new Map([[weth, 7n]]) })
    // The universal router looks at no outcome of v2: what is made sure of there is what pays it out.
    const overTwo = through('V2_SWAP_EXACT_OUT', { path: [usdc, usdt, weth], ...routed })
    for (const part of [overTwo, routedPairs])
      expect(bounds([part])).toMatchObject({ pays: new Map([[usdc, 3_000n]]), brings: new Map([[weth, 0n]]) })
    const paidOut: Part = { name: 'SWEEP', args: { token: weth, recipient: `0x${'5'.repeat(40)}`, least: 7n } }
    expect(bounds([router, routedPairs, paidOut])).toMatchObject({ brings: new Map([[weth, 7n]]) })
    for (const [part, feeBps] of [
      [routedAlong, 6],
      [single, 5],
      [along, 6],
      [pairs, 30],
    ] as const) {
      expect(bounds([part])).toMatchObject({ pays: new Map([[usdc, 3_000n]]), brings: new Map([[weth, 7n]]), feeBps })
    }
    expect(bounds([along]).trades).toMatchObject([{ tokenIn: usdc, tokenOut: weth }])
    const reversed = encodePacked(
      ['address', 'uint24', 'address', 'uint24', 'address'],
      [usdc as Address, 100, usdt as Address, 500, weth as Address],
    )
    const forth = bounds([{ name: 'exactInput', args: { path: reversed, amountIn: 1n, amountOutMinimum: 0n } }])
    expect(bounds([along]).trades[0]?.pools).toEqual(forth.trades[0]?.pools)
    const native = through('swapETHForExactTokens', { path: [weth, usdc] })
    expect(bounds([native], { valueWei: 9n })).toMatchObject({
      pays: new Map([[weth, 9n]]),
      brings: new Map([[usdc, 7n]]),
    })
  })

  it('an exact output with a price limit of its own makes sure of nothing', () => {
    const args = {
      tokenIn: usdc,
      tokenOut: weth,
      fee: 500,
      amountOut: 7n,
      amountInMaximum: 3_000n,
      sqrtPriceLimitX96: 1n,
    }
    expect(bounds([{ name: 'exactOutputSingle', args }])).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 0n]]),
    })
  })

  it('an exact output of v4 is sure by what is taken of it alone, and takes what is settled at most', () => {
    const { args } = v4(usdc, native, 0n, 0n)
    const sale: Part = {
      name: 'v4.swapSingleOut',
      args: { key: args['key'], zeroForOne: args['zeroForOne'], amountOut: 7n, most: 3_000n },
    }
    const settle: Part = { name: 'v4.settleAll', args: { token: usdc, most: 4_000n } }
    const take = (amount: bigint, recipient = tokenOf('USDT')): Part => ({
      name: 'v4.take',
      args: { token: native, recipient, amount },
    })
    expect(bounds([router, sale, settle, take(7n)])).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 7n]]),
      feeBps: 5,
    })
    expect(bounds([router, sale, settle, take(0n)]).brings).toEqual(new Map([[weth, 0n]]))
    expect(bounds([router, sale, settle, take(7n, ownAlias)]).brings).toEqual(new Map([[weth, 0n]]))
    const hop = (intermediateCurrency: string, fee: number) => ({
      intermediateCurrency,
      fee,
      tickSpacing: 10,
      hooks: native,
      hookData: '0x',
    })
    const path: Part = {
      name: 'v4.swapPathOut',
      args: { currencyOut: native, path: [hop(usdc, 100), hop(usdt, 500)], amountOut: 7n, most: 3_000n },
    }
    const forth: Part = {
      name: 'v4.swapPath',
      args: { currencyIn: usdc, path: [hop(usdt, 100), hop(native, 500)], amountIn: 1n, least: 0n },
    }
    expect(bounds([router, path, settle, take(7n)])).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 7n]]),
      feeBps: 6,
    })
    expect(bounds([router, path]).trades[0]?.pools).toEqual(bounds([router, forth]).trades[0]?.pools)
    expect(bounds([router, path]).trades).toMatchObject([{ tokenIn: usdc, tokenOut: weth }])
  })

  it('parts of an input that pay the router are sure by the one payout behind them', () => {
    const inside = (part: Part): Part => ({ ...part, args: { ...part.args, recipient: ownAlias } })
    const parts = [router, inside(v3In([usdc, 500, weth], 1_000n, 0n)), inside(v3In([usdc, 3_000, weth], 2_000n, 0n))]
    const sweep: Part = { name: 'SWEEP', args: { token: weth, recipient: tokenOf('USDT'), least: 9n } }
    expect(bounds([...parts, sweep])).toMatchObject({
      pays: new Map([[usdc, 3_000n]]),
      brings: new Map([[weth, 9n]]),
      feeBps: 5,
    })
    expect(bounds(parts).brings).toEqual(new Map([[weth, 0n]]))
  })

  it('a dear pool beside a cheap one excuses nothing, and a hook that decides its fee neither', () => {
    const settle: Part = { name: 'v4.settleAll', args: { token: usdc, most: 10n } }
    const dear = [v4(usdc, native, 1n, 0n, 90_000), settle]
    expect(bounds([router, ...dear]).feeBps).toBe(900)
    expect(bounds([router, ...dear, v3In([usdc, 500, weth], 3_000n, 1n)]).feeBps).toBe(5)
    expect(bounds([router, v4(usdc, native, 1n, 0n, 0x800000), settle]).feeBps).toBe(0)
  })
})

function bounds(parts: readonly Part[], change: { readonly valueWei?: bigint } = {}) {
  return tradesOf(parts, { chain, contract: tokenOf('USDC'), valueWei: 0n, ...change })
}

function tokenOf(symbol: string): Address {
  return chain.tokens.find((token) => token.symbol === symbol)!.address
}

function single(tokenIn: string, tokenOut: string, amountIn: bigint, least: bigint): Part {
  return { name: 'exactInputSingle', args: { tokenIn, tokenOut, fee: 500, amountIn, amountOutMinimum: least } }
}

function v3In(path: readonly [string, number, string], amountIn: bigint, least: bigint, payerIsUser = true): Part {
  const packed = encodePacked(['address', 'uint24', 'address'], [path[0] as Address, path[1], path[2] as Address])
  return { name: 'V3_SWAP_EXACT_IN', args: { path: packed, amountIn, least, payerIsUser } }
}

function v4(tokenIn: string, tokenOut: string, amountIn: bigint, least: bigint, fee = 500): Part {
  const isInOrder = BigInt(tokenIn) < BigInt(tokenOut)
  const [currency0, currency1] = isInOrder ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const key = { currency0, currency1, fee, tickSpacing: 10, hooks: native }
  return { name: 'v4.swapSingle', args: { key, zeroForOne: isInOrder, amountIn, least } }
}
