import { useDevnet } from '@svc/devnet/testing'
import {
  createTestClient,
  getAddress,
  http,
  numberToHex,
  padHex,
  stringToHex,
  toFunctionSelector,
  type Hex,
} from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { TokenDirectory } from '../ports.ts'
import { createRpcPool } from '../rpc/create-rpc-pool.ts'
import { createTokenDirectory } from './create-token-directory.ts'

const devnet = useDevnet()
const place = getAddress('0x00000000000000000000000000000000000a11ce')
let directory: TokenDirectory

beforeEach(() => {
  const { chain, rpcUrl } = devnet()
  directory = createTokenDirectory({ chains: [chain], rpc: createRpcPool({ urls: () => [rpcUrl], now: Date.now }) })
})

describe('unlisted tokens', () => {
  it('are read from their contract and flagged', async () => {
    const fot = devnet().tokens.find(({ symbol }) => symbol === 'FOT')!
    await expect(directory.resolve(devnet().chain, fot.address, 'token')).resolves.toEqual({
      address: fot.address,
      symbol: 'FOT',
      name: 'Fee On Transfer',
      decimals: 18,
      isNative: false,
      listed: false,
      usdPegged: false,
    })
  })

  it('reach nobody raw: a hostile name is cut and escaped, a look-alike symbol shows itself', async () => {
    const hostile = devnet().tokens.find(({ symbol }) => symbol === 'HOSTILE')!
    const token = await directory.byAddress(devnet().chain, hostile.address)
    expect(token.listed).toBe(false)
    expect(token.symbol).toBe('USD\\u{421}\\u{200b}')
    expect(token.name.length).toBeLessThanOrEqual(64)
    expect(token.name).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
  })

  it('cannot be reached by the symbol they give themselves', async () => {
    await expect(directory.resolve(devnet().chain, 'FOT', 'token')).rejects.toMatchObject({ code: 'TOKEN_NOT_FOUND' })
    await expect(directory.resolve(devnet().chain, 'HOSTILE', 'token')).rejects.toMatchObject({
      code: 'TOKEN_NOT_FOUND',
    })
  })

  it('bear their checksum, however they were asked for', async () => {
    const fot = devnet().tokens.find(({ symbol }) => symbol === 'FOT')!
    const lower = fot.address.toLowerCase() as Hex
    await expect(directory.byAddress(devnet().chain, lower)).resolves.toMatchObject({ address: fot.address })
  })

  it('may answer with bytes32', async () => {
    await setAnswers({ 'decimals()': numberToHex(18, { size: 32 }), 'symbol()': word('MKR'), 'name()': word('Maker') })
    await expect(directory.byAddress(devnet().chain, place)).resolves.toMatchObject({ symbol: 'MKR', name: 'Maker' })
  })

  it('may have neither symbol nor name', async () => {
    await setAnswers({ 'decimals()': numberToHex(2, { size: 32 }) })
    await expect(directory.byAddress(devnet().chain, place)).resolves.toMatchObject({
      symbol: 'UNKNOWN',
      name: '',
      decimals: 2,
    })
  })

  it('must have plausible decimals', async () => {
    await setAnswers({ 'symbol()': word('X') })
    await expect(directory.resolve(devnet().chain, place, 'tokenIn')).rejects.toMatchObject({
      code: 'TOKEN_NOT_FOUND',
      details: [{ field: 'tokenIn' }],
    })
    await setAnswers({ 'decimals()': numberToHex(78, { size: 32 }) })
    await expect(directory.byAddress(devnet().chain, place)).rejects.toMatchObject({ code: 'TOKEN_NOT_FOUND' })
    await setAnswers({ 'decimals()': padHex('0xffffffffffffffffffffffff', { size: 32 }) })
    await expect(directory.byAddress(devnet().chain, place)).rejects.toMatchObject({ code: 'TOKEN_NOT_FOUND' })
  })

  it('are no tokens where no contract stands', async () => {
    const { address } = devnet().accounts[0]!
    await expect(directory.byAddress(devnet().chain, address)).rejects.toMatchObject({ code: 'TOKEN_NOT_FOUND' })
  })
})

function word(text: string): Hex {
  return stringToHex(text, { size: 32 })
}

/** Puts a contract at `place` that answers each of these functions with one word and reverts on any other. */
async function setAnswers(answers: Record<string, Hex>): Promise<void> {
  const entries = Object.entries(answers)
  const bodyStart = 5 + entries.length * 11 + 3
  const jumps = entries.map(([signature], index) => {
    const destination = numberToHex(bodyStart + index * 40, { size: 2 }).slice(2)
    return `8063${toFunctionSelector(signature).slice(2)}1461${destination}57`
  })
  const bodies = entries.map(([, answer]) => `5b7f${answer.slice(2)}5f5260205ff3`)
  const bytecode: Hex = `0x5f3560e01c${jumps.join('')}5f5ffd${bodies.join('')}`
  const client = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await client.setCode({ address: place, bytecode })
}
