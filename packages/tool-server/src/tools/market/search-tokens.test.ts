import { expect, test } from 'vitest'
import { createTokenDirectory } from '@svc/amm/tokens'
import { hostile } from '../hostile-inputs.fixture.ts'
import { refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { searchTokens } from './tokens.ts'

async function search(args: Record<string, unknown>) {
  const input = searchTokens.input.parse(args)
  return searchTokens.output.parse(await searchTokens.handle(input, untouchedWorld())) as {
    items: { symbol: string; address: string; chain: { id: number; name: string } }[]
    nextCursor: string | null
  }
}

test('search_tokens finds listed tokens without asking any chain', async () => {
  const { items } = await search({ query: 'usdc', chain: 'base' })
  expect(items[0]).toMatchObject({
    symbol: 'USDC',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    chain: { id: 8453, name: 'base' },
    listed: true,
  })
  expect(items.every((item) => item.chain.id === 8453)).toBe(true)
})

test('search_tokens goes over all chains page by page, each token once', async () => {
  const all = await search({ query: 'USD', limit: 100 })
  const seen: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await search({ query: 'USD', limit: 3, ...(cursor ? { cursor } : {}) })
    expect(page.items.length).toBeLessThanOrEqual(3)
    seen.push(...page.items.map((item) => `${item.chain.id}:${item.address}`))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual(all.items.map((item) => `${item.chain.id}:${item.address}`))
  expect(new Set(seen).size).toBe(seen.length)
  expect(new Set(all.items.map((item) => item.chain.id)).size).toBeGreaterThan(5)
})

test('search_tokens answers an empty page where nothing fits', async () => {
  expect(await search({ query: 'NOSUCHTOKEN' })).toMatchObject({ items: [], nextCursor: null })
})

test('search_tokens says to whoever asks for nothing how all are listed', async () => {
  const { details } = await refusalOf(searchTokens, { query: '' })
  expect(JSON.stringify(details)).toContain('\\"*\\": all')
  expect((await search({ query: '*', chain: 'base', limit: 100 })).items.length).toBeGreaterThan(4)
})

test('an answer rests on the same unless the policy lists a token anywhere, and then never', () => {
  const listed: `0x${string}`[] = []
  const policyTokens = (chainId: number) => (chainId === 8453 ? listed : [])
  const world = untouchedWorld()
  const tokens = createTokenDirectory({ chains: world.chains.list(), rpc: world.rpc, policyTokens })
  const rests = () => searchTokens.restsOn!({ query: 'USDC' }, { ...world, tokens })
  expect([rests(), rests()]).toEqual([[], []])
  listed.push(`0x${'7'.repeat(40)}`)
  expect(Object.is(rests()[0], rests()[0])).toBe(false)
})

const kinds = { query: 'query', chain: 'chain', limit: 'limit', cursor: 'cursor' } as const
const rows = Object.entries(kinds).flatMap(([field, kind]) => hostile[kind].map((value) => ({ field, value })))
test.each(rows)('search_tokens refuses $value as $field', async ({ field, value }) => {
  const { details } = await refusalOf(searchTokens, { query: 'USDC', [field]: value })
  expect(details[0]?.field).toBe(field)
})
