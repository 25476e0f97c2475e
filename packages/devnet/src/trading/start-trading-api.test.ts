import { findChain, chains } from '@svc/wallet/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTradingApi, type TradingApi } from './start-trading-api.ts'

let api: TradingApi
beforeAll(async () => {
  api = await startTradingApi({ chain: findChain(chains, 'base')!, apiKey: 'k', now: () => 1_000_000_000 })
})
afterAll(async () => {
  await api.stop()
})

const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const wallet = '0x00000000000000000000000000000000000000aa'
const claim = {
  protocol: 'V3',
  tokenId: 7,
  position: { pool: { token0: weth, token1: usdc, fee: 500, tickSpacing: 10 }, tickLower: -10, tickUpper: 10 },
  walletAddress: wallet,
  chainId: 8453,
  expectedTokenOwed0RawAmount: '5',
  expectedTokenOwed1RawAmount: '6',
  collectAsWETH: true,
}

async function post(body: unknown, key = 'k', route = '/lp/claim') {
  const response = await fetch(`${api.url}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as Record<string, unknown>] as const
}

describe('the stand-in for the trading API', () => {
  test('wants its key, a body of the documented form, a known route and its own chain', async () => {
    const refusal = (errorCode: string) => ({ errorCode, detail: expect.any(String) })
    expect(await post(claim, 'other')).toEqual([401, refusal('UnauthorizedError')])
    expect(await post({ ...claim, tokenId: '7' })).toEqual([400, refusal('RequestValidationError')])
    expect(await post({ ...claim, protocol: 'V2' })).toEqual([400, refusal('RequestValidationError')])
    expect(await post(claim, 'k', '/lp/other')).toEqual([404, refusal('ResourceNotFound')])
    expect(await post({ ...claim, chainId: 1 })).toEqual([404, refusal('ResourceNotFound')])
  })

  test('answers a claim with a transaction of the position manager', async () => {
    const [status, body] = await post(claim)
    const { amm } = findChain(chains, 'base')!
    expect(status).toBe(200)
    expect(body['claim']).toMatchObject({ to: amm.v3!.positionManager, from: wallet, chainId: 8453, value: '0x00' })
    const [, v4] = await post({ ...claim, protocol: 'V4' })
    expect(v4['claim']).toMatchObject({ to: amm.v4!.positionManager, from: wallet, chainId: 8453, value: '0x00' })
  })

  test('answers a decrease likewise, and wants the state of the pool', async () => {
    const decrease = {
      ...claim,
      liquidityPercentageToDecrease: 50,
      positionLiquidity: '1000000000000',
      slippageTolerance: 0.5,
      poolLiquidity: '1000000000000',
      currentTick: 0,
      sqrtRatioX96: '79228162514264337593543950336',
    }
    const { amm } = findChain(chains, 'base')!
    for (const [protocol, to] of [
      ['V3', amm.v3!.positionManager],
      ['V4', amm.v4!.positionManager],
    ]) {
      const [status, body] = await post({ ...decrease, protocol }, 'k', '/lp/decrease')
      expect([protocol, status, body['decrease']]).toMatchObject([protocol, 200, { to, from: wallet, value: '0x00' }])
      const { sqrtRatioX96: _, ...stateless } = { ...decrease, protocol }
      expect((await post(stateless, 'k', '/lp/decrease'))[0]).toBe(400)
    }
  })

  test('remembers what it was asked', async () => {
    const before = api.asked().length
    await post(claim)
    expect(api.asked().slice(before)).toEqual([{ route: 'POST /v1/lp/claim', body: claim }])
  })
})
