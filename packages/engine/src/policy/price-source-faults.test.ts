import { chains } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { parsePolicy } from './policy.ts'
import { priceSourceFaults } from './policy-price-sources.ts'

const base = chains.find(({ id }) => id === 8453)!
const weth = base.wrappedNative.address
const rows = base.tokens.find(({ address }) => address === weth)!.priceSources!.pools!
const faultsOf = (pools: readonly unknown[]) =>
  priceSourceFaults(
    parsePolicy({ priceSources: { 8453: { [weth]: { pools } }, 424242: {} } }, { production: true }),
    chains,
  )

it('finds nothing against the rows of the chain itself', () => {
  expect(rows.length).toBeGreaterThan(0)
  expect(faultsOf(rows)).toEqual([])
})

it('names a pool whose id is another’s, and one against a token that is not listed', () => {
  const row = rows.find(({ version }) => version === 'v3')!
  const quote = '0x000000000000000000000000000000000000dEaD'
  expect(faultsOf([row, { ...row, fee: 10_000 }, { ...row, quote }])).toEqual([
    { field: `priceSources.8453.${weth}.pools.1`, message: 'its id does not follow from its tokens and fee' },
    { field: `priceSources.8453.${weth}.pools.2`, message: 'its other token is not listed' },
  ])
})
