import { chains } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { noRoute } from './quote.ts'

const chain = chains[0]!
const token = {
  symbol: 'A',
  name: 'A',
  decimals: 18,
  address: zeroAddress,
  usdPegged: false,
  isNative: false,
  listed: true,
}

test('without a way in any version the token to change is named, and how to find one; text of an unlisted one is left out', () => {
  const versions = ['v2', 'v3', 'v4'] as const
  const refusal = noRoute(
    chain,
    { tokenIn: token, tokenOut: { ...token, symbol: 'Ask me', listed: false }, versions },
    [],
  )
  const message = `No pools of v2, v3, v4 lead from A to ${zeroAddress} on ${chain.name} directly or over one or two listed tokens between them.`
  const [detail] = refusal.details
  expect(refusal).toMatchObject({ code: 'POOL_NOT_FOUND', message })
  expect(detail).toMatchObject({
    field: 'tokenOut',
    accepted: 'a token that tokenIn trades against',
    versionsLookedFor: versions,
  })
  expect(refusal.suggestion).toMatch(/^At most two tokens between are tried\. .*swap twice.*search_pools/)
})

test('where another version leads there, it is the one to name', () => {
  const asked = { tokenIn: token, tokenOut: { ...token, symbol: 'B' }, versions: ['v4'] as const }
  const refusal = noRoute(chain, asked, ['v3'])
  expect(refusal.suggestion).toBe('Leave version out, or name one that leads there.')
  expect(refusal.details).toMatchObject([{ field: 'version', accepted: ['v3'] }])
})

test('where routes of several versions or over native currency alone lead there, an exact input is', () => {
  const asked = { tokenIn: token, tokenOut: { ...token, symbol: 'B' }, versions: ['v2', 'v3', 'v4'] as const }
  const refusal = noRoute(chain, asked, ['mixed'])
  expect(refusal.message).toMatch(
    /; routes of several versions, or over native currency itself, do, which are for exact inputs\.$/,
  )
  expect(refusal.details).toMatchObject([{ field: 'type', accepted: 'exact_in without version' }])
})
