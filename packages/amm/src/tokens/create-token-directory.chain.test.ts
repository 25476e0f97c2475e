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
import type { TokenStore } from './read-token.ts'

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

  it('are read once, however many ask for one at the same time', async () => {
    const { chain, rpcUrl, tokens } = devnet()
    let calls = 0
    const counting: typeof fetch = async (input, init) => {
      calls += (typeof init?.body === 'string' ? init.body : '').split('"eth_call"').length - 1
      return fetch(input, init)
    }
    const rpc = createRpcPool({ urls: () => [rpcUrl], now: Date.now, fetch: counting })
    const counted = createTokenDirectory({ chains: [chain], rpc })
    const { address } = tokens.find(({ symbol }) => symbol === 'FOT')!
    const found = await Promise.all(Array.from({ length: 20 }, () => counted.byAddress(chain, address)))
    expect(found).toEqual(Array(20).fill(await directory.byAddress(chain, address)))
    expect(calls, 'decimals, symbol and name').toBe(3)
  })

  describe('kept by others', () => {
    const sharing = (content: string | null) => {
      const kept = new Map(content === null ? [] : [[place.toLowerCase(), content]])
      const shared: TokenStore = {
        read: async ({ address }) => kept.get(address) ?? null,
        keep: async ({ address }, given) => void kept.set(address, given),
      }
      const { chain, rpcUrl } = devnet()
      const rpc = createRpcPool({ urls: () => [rpcUrl], now: Date.now })
      return { kept, directory: createTokenDirectory({ chains: [chain], rpc, shared }) }
    }
    const facts = { decimals: 7, symbol: 'A\u202eB', name: null }
    const ofChain = { decimals: 9, symbol: 'CHAIN' }

    beforeEach(async () => {
      await setAnswers({ 'decimals()': numberToHex(9, { size: 32 }), 'symbol()': word('CHAIN') })
    })

    it('are taken as they would be from their contract, text made safe to show', async () => {
      const { directory: other } = sharing(JSON.stringify(facts))
      const shown = { address: place, decimals: 7, symbol: 'A\\u{202e}B', name: '', listed: false, usdPegged: false }
      expect(await other.byAddress(devnet().chain, place)).toMatchObject(shown)
    })

    it('are what the contract says, where nothing was kept, and are kept as it says them', async () => {
      const { directory: other, kept } = sharing(null)
      expect(await other.byAddress(devnet().chain, place)).toMatchObject(ofChain)
      expect(kept.get(place.toLowerCase())).toBe('{"decimals":9,"symbol":"CHAIN","name":null}')
    })

    it.each([
      'null',
      '[]',
      '{"decimals":6,',
      JSON.stringify({ ...facts, decimals: '7' }),
      JSON.stringify({ ...facts, decimals: 78 }),
      JSON.stringify({ ...facts, decimals: 7.5 }),
      JSON.stringify({ ...facts, decimals: -1 }),
      JSON.stringify({ ...facts, symbol: { toString: 'x' } }),
      JSON.stringify({ decimals: 7, symbol: 'A' }),
    ])('are read from the contract where the row says %s', async (content) => {
      const { directory: other, kept } = sharing(content)
      expect(await other.byAddress(devnet().chain, place)).toMatchObject(ofChain)
      expect(kept.get(place.toLowerCase())).not.toBe(content)
    })

    it('are what the contract says, where nothing can be read or kept', async () => {
      const away = () => Promise.reject(new Error('away'))
      const { chain, rpcUrl } = devnet()
      const rpc = createRpcPool({ urls: () => [rpcUrl], now: Date.now })
      const other = createTokenDirectory({ chains: [chain], rpc, shared: { read: away, keep: away } })
      expect(await other.byAddress(chain, place)).toMatchObject(ofChain)
    })
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
