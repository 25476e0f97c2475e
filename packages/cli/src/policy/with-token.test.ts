import type { PriceSources } from '@svc/wallet/core'
import { describe, expect, it } from 'vitest'
import { namedSources, withToken } from './edit-policy.ts'

const token = '0x4200000000000000000000000000000000000006'
const other = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const feed = { address: other, heartbeatSeconds: 3_600, deviationBps: 50, decimals: 8 } as const
const [deep, thin] = [500, 3_000].map((fee) => ({
  version: 'v3',
  id: `0x${`${fee}`.padStart(40, 'a')}`,
  quote: other,
  fee,
}))
const sources = { feed, pools: [deep, thin] } as PriceSources
const add = (written: unknown, change: Partial<Parameters<typeof withToken>[1]> = {}) =>
  withToken(written, { chainId: 8453, token, isListed: false, sources, ...change })

describe('a token in a policy file', () => {
  it('stands on the list and with its sources; everything else stays, in its order', () => {
    const written = {
      $schema: './policy.schema.json',
      allowlist: { mode: 'strict', tokens: { '1': [other], '8453': [other] } },
      priceSources: { '8453': { [other]: { pools: [] } } },
      limitsUsd: { daily: '100' },
    }
    const changed = add(written)
    expect(changed).toEqual({
      isChanged: true,
      written: {
        ...written,
        allowlist: { mode: 'strict', tokens: { '1': [other], '8453': [other, token] } },
        priceSources: { '8453': { [other]: { pools: [] }, [token]: sources } },
      },
    })
    expect(Object.keys(changed.written)).toEqual(Object.keys(written))
    expect(written.allowlist.tokens['8453']).toEqual([other])
  })

  it('makes a file where there is none, and needs no list where the chain has the token', () => {
    expect(add({}).written).toEqual({
      version: 1,
      allowlist: { tokens: { '8453': [token] } },
      priceSources: { '8453': { [token]: sources } },
    })
    expect(add({}, { isListed: true }).written).toEqual({ version: 1, priceSources: { '8453': { [token]: sources } } })
  })

  it('changes nothing that is there already, in whatever order and spelling', () => {
    const { written } = add({})
    const again = add(written, { sources: { pools: [thin, deep], feed: { ...feed } } as PriceSources })
    expect(again).toEqual({ isChanged: false, written })
    expect(add(written, { token: token.toUpperCase().replace('0X', '0x') as typeof token }).isChanged).toBe(false)
    for (const less of [
      { pools: [deep] },
      { feed, pools: [deep] },
      { ...sources, feed: { ...feed, deviationBps: 51 } },
    ]) {
      expect(add(written, { sources: less as PriceSources }).isChanged).toBe(true)
    }
    expect(add({ ...written, allowlist: {} }).isChanged).toBe(true)
  })

  it('tells the feed that was named before', () => {
    expect(namedSources(add({}).written, 8453, token)).toEqual(sources)
    expect([namedSources({}, 8453, token), namedSources(add({}).written, 1, token)]).toEqual([{}, {}])
  })
})
