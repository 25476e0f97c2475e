import { chains, type Chain } from '@svc/wallet/core'
import { type Address, getAddress, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../tool-error.ts'
import { createRpcPool } from '../rpc/create-rpc-pool.ts'
import { createTokenDirectory } from './create-token-directory.ts'

const rpc = createRpcPool({ urls: () => [], now: () => 0 })
const directory = createTokenDirectory({ chains, rpc })
const base = named('base')
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

describe('resolve', () => {
  it.each(['USDC', 'usdc', usdc, usdc.toLowerCase()])(
    'finds a listed token by %s without reading the chain',
    async (text) => {
      await expect(directory.resolve(base, text, 'token')).resolves.toEqual({
        address: usdc,
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
        isNative: false,
        listed: true,
        usdPegged: true,
      })
    },
  )

  it.each(['ETH', 'eth', zeroAddress])('finds the native currency by %s', async (text) => {
    await expect(directory.resolve(base, text, 'token')).resolves.toMatchObject({
      address: zeroAddress,
      symbol: 'ETH',
      isNative: true,
      listed: true,
    })
  })

  it('takes the token where the native currency is a token itself', async () => {
    const celo = named('celo')
    await expect(directory.resolve(celo, 'CELO', 'token')).resolves.toMatchObject({
      address: celo.wrappedNative.address,
      isNative: false,
    })
  })

  it('lists the candidates of a symbol that two listed tokens bear, and never takes the first', async () => {
    const twin = { ...base.tokens[1]!, address: '0x1111111111111111111111111111111111111111', name: 'Other' } as const
    const chain: Chain = { ...base, tokens: [...base.tokens, { ...twin, symbol: 'uSDC' }] }
    const error = await refusal(directory.resolve(chain, 'USDC', 'tokenIn'))
    expect(error).toMatchObject({ code: 'TOKEN_AMBIGUOUS' })
    expect(error.details.map(({ address }) => address)).toEqual([usdc, twin.address])
    expect(error.details[0]).toMatchObject({ field: 'tokenIn' })
  })

  it('names the field and the known symbols for an unknown one, without repeating it', async () => {
    const error = await refusal(directory.resolve(base, 'SCAM', 'tokenOut'))
    expect(error).toMatchObject({ code: 'TOKEN_NOT_FOUND', details: [{ field: 'tokenOut' }] })
    expect(error.details[0]!.accepted).toContain('USDC')
    expect(JSON.stringify(error)).not.toContain('SCAM')
  })

  it.each(['ＵＳＤＣ', 'USDС', 'USDC\u200b', ' USDC', 'USDC ', '', 'x'.repeat(33), '..', '__proto__'])(
    'refuses %j as no symbol',
    async (text) => {
      expect(await refusal(directory.resolve(base, text, 'token'))).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'token', accepted: expect.any(String) }],
      })
    },
  )

  it('refuses a wrong checksum before anything is read', async () => {
    const error = await refusal(directory.resolve(base, usdc.replace('fCD', 'fcD'), 'token'))
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'token' }] })
  })

  it('says so when an unlisted token cannot be read', async () => {
    const error = await refusal(directory.resolve(base, `0x${'12'.repeat(20)}`, 'token'))
    expect(error.code).toBe('RPC_UNAVAILABLE')
  })
})

describe('search', () => {
  it('ranks the symbol itself before its beginning before a part of the name', async () => {
    const found = (await directory.search('usd', base, 10)).found.map(({ symbol }) => symbol)
    expect(found.slice(0, 3)).toEqual(expect.arrayContaining(['USDC', 'USDbC', 'USDT']))
    expect((await directory.search('weth', null, 50)).found[0]).toMatchObject({ symbol: 'WETH' })
    expect((await directory.search('btc', base, 10)).found.map(({ symbol }) => symbol)).toEqual(['WBTC', 'cbBTC'])
  })

  it('searches one chain or all, names the chain, keeps to the limit', async () => {
    expect((await directory.search('USDC', base, 10)).found.every(({ chain }) => chain.id === base.id)).toBe(true)
    expect(
      new Set((await directory.search('USDC', null, 100)).found.map(({ chain }) => chain.id)).size,
    ).toBeGreaterThan(5)
    expect((await directory.search('e', null, 3)).found).toHaveLength(3)
    expect((await directory.search('', null, 3)).found).toEqual([])
    expect((await directory.search('no such token', null, 3)).found).toEqual([])
  })

  it('lists all for a star', async () => {
    const found = (await directory.search('*', base, 100)).found.map(({ symbol }) => symbol)
    expect(found).toEqual(expect.arrayContaining(['ETH', ...base.tokens.map(({ symbol }) => symbol)]))
    expect((await directory.search('*', null, 3)).found).toHaveLength(3)
  })

  it('finds a listed token by its address', async () => {
    expect((await directory.search(usdc.toLowerCase(), null, 5)).found).toMatchObject([
      { symbol: 'USDC', chain: { id: base.id } },
    ])
  })
})

describe('the tokens of the policy', () => {
  it('are those it lists now, and a chain that does not answer is named', async () => {
    const listed: Address[] = []
    const following = createTokenDirectory({ chains, rpc, policyTokens: (id) => (id === base.id ? listed : []) })
    const token = getAddress(`0x${'12'.repeat(20)}`)
    expect(following.isListed(base, token)).toBe(false)
    listed.push(token, usdc)
    expect([following.isListed(base, token), following.isListed(named('celo'), token)]).toEqual([true, false])
    await expect(following.listedByPolicy(base)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    const { found, unread } = await following.search('usdc', null, 100)
    expect([unread, found.filter(({ chain }) => chain.id === base.id).length]).toEqual([[base], 1])
    listed.shift()
    expect(await following.listedByPolicy(base)).toEqual([])
  })
})

describe('wrapped', () => {
  it('is the wrapped native token of the chain', () => {
    expect(directory.wrapped(base)).toMatchObject({ symbol: 'WETH', isNative: false, listed: true })
  })
})

function named(name: string): Chain {
  return chains.find((chain) => chain.name === name)!
}

async function refusal(promise: Promise<unknown>): Promise<ToolError> {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ToolError)
  return error as ToolError
}
