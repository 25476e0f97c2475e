import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { connect } from './chain/chain-client.ts'
import { useDevnet } from './use-devnet.ts'

const address = '0x00000000000000000000000000000000000A11cE'
const devnet = useDevnet()
const same = useDevnet()
const tooEarly = (() => {
  try {
    return devnet().rpcUrl
  } catch (error) {
    return String(error)
  }
})()
const balance = async () => await connect(devnet().rpcUrl).getBalance({ address })
let innerPid = 0

test('a chain asked for before the tests run says why there is none', () => {
  expect(tooEarly).toContain('starts in beforeAll')
})

test('calls with the same options share a chain', () => {
  expect(same()).toBe(devnet())
})

test.each(['first', 'second'])('the %s test finds the chain as it was before any', async () => {
  expect(await balance()).toBe(0n)
  await devnet().fund(address, { ETH: '1' })
  expect(await balance()).toBe(10n ** 18n)
})

describe('other options', () => {
  const other = useDevnet({ chainId: 5 })

  test('get a chain of their own', async () => {
    innerPid = other().pid
    expect(other().chainId).toBe(5)
    expect(innerPid).not.toBe(devnet().pid)
    expect(await connect(other().rpcUrl).getChainId()).toBe(5)
  })
})

test('a chain stops with its last user', async () => {
  expect(() => readFileSync(`/proc/${innerPid}/stat`)).toThrow('ENOENT')
  expect(await connect(devnet().rpcUrl).getChainId()).toBe(31_337)
})
