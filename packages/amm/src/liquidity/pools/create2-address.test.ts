import { createRequire } from 'node:module'
import { chains } from '@svc/wallet/core'
import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { v2PairAddress, v3PoolAddress } from './pool-address.ts'

const require = createRequire(import.meta.url)

describe('create2Address', () => {
  it('finds pools where they stand on Ethereum', () => {
    const { v2, v3 } = chains.find(({ id }) => id === 1)!.amm
    const [usdc, weth] = [
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    ] as const
    expect(v3PoolAddress(v3!, usdc, weth, 500)).toBe('0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640')
    expect(v2PairAddress(v2!, usdc, weth)).toBe('0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc')
  })

  it("follows the ZK Stack's formula where the code hash is one of its own", () => {
    const { v3 } = chains.find(({ id }) => id === 324)!.amm
    const [token0, token1] = [
      '0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4',
      '0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91',
    ] as const
    const parameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
    const salt = keccak256(encodeAbiParameters(parameters, [token0, token1, 3_000]))
    const expected = oracle(v3!.factory, v3!.poolInitCodeHash, salt)
    expect(v3PoolAddress(v3!, token0, token1, 3_000)).toBe(expected)
  })
})

/** The publisher's own function. */
function oracle(sender: Address, bytecodeHash: Hex, salt: Hex): string {
  const sdk: {
    computeZksyncCreate2Address(sender: string, bytecodeHash: Hex, salt: Hex): string
  } = require('@uniswap/sdk-core')
  return sdk.computeZksyncCreate2Address(sender, bytecodeHash, salt)
}
